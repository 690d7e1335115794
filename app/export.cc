#include "model/export.h"

#include <array>
#include <iostream>
#include <memory>

#include "app/common.h"
#include "env/base/files.h"
#include "env/base/random.h"
#include "env/game_rules.h"
#include "env/observation.h"
#include "env/random_move.h"
#include "model/checkpoint.h"
#include "model/network_file.h"

namespace pahtum {
namespace {

struct FormatName {
  const char* name;
  ExportFormat format;
  bool folded;  // unless the user says otherwise
};
// Weights alone stay as they were trained; what computes is faster without BatchNorm.
constexpr std::array<FormatName, 3> kFormats = {{{"torchscript", ExportFormat::kTorchScript, true},
                                                 {"onnx", ExportFormat::kOnnx, true},
                                                 {"safetensors", ExportFormat::kSafetensors, false}}};
constexpr const char* kFolded = "folded";
constexpr const char* kSeparate = "separate";

struct ExportOptions {
  std::string target, format, output, batch_norm, samples;
  int sample_count = 1000;
  bool half = false;
};

// Positions of all depths: game k is played at random up to a ply drawn at random, and is not over then.
std::vector<Position> sample_positions(const GameConfig& game, int count) {
  constexpr std::uint64_t kSeed = 1;
  const GameRules rules(game);
  std::vector<Position> positions;
  for (int k = 0; k < count; ++k) {
    const auto number = static_cast<std::uint64_t>(k);
    Position position = rules.start(kSeed, Stream::kEvaluationLayout, number);
    Random random(kSeed, Stream::kEvaluationOpening, number);
    auto plies = random.below(static_cast<std::uint32_t>(rules.longest_game()));
    for (; plies > 0; --plies) {
      Position next = position;
      apply(next, random_move(position, random));
      if (next.over()) break;
      position = next;
    }
    positions.push_back(position);
  }
  return positions;
}

// One JSON object a line.
std::string samples_text(const Checkpoint& checkpoint, int count) {
  const GameConfig& game = checkpoint.manifest.game;
  const std::vector<Position> positions = sample_positions(game, count);
  const std::vector<NetworkSample> samples = network_samples(checkpoint, positions);
  std::string text;
  for (std::size_t k = 0; k < samples.size(); ++k) {
    nlohmann::ordered_json legal = nlohmann::ordered_json::array();
    for_each_legal(positions[k],
                   [&](Move move) { legal.push_back(action_of(move, static_cast<int>(game.size))); });
    const NetworkSample& sample = samples[k];
    text += nlohmann::ordered_json{{"position", to_text(positions[k])},
                                   {"planes", std::vector<int>(sample.planes.begin(), sample.planes.end())},
                                   {"legal", legal},
                                   {"policy", sample.policy},
                                   {"wdl", sample.wdl},
                                   {"margin", sample.margin},
                                   {"ownership", sample.ownership}}
                .dump() +
            "\n";
  }
  return text;
}

int export_file(const ExportOptions& options) {
  const std::filesystem::path source = resolve_checkpoint_with_warnings(options.target);
  const Checkpoint checkpoint = load_network_file(source);
  const auto format = std::ranges::find(kFormats, options.format, &FormatName::name);
  const bool folded = options.batch_norm.empty() ? format->folded : options.batch_norm == kFolded;
  export_network(checkpoint, format->format, {.folded = folded, .half = options.half}, options.output);
  std::cout << "exported " << source.string() << " to " << options.output << "\n";
  if (!options.samples.empty()) {
    write_file_atomically(options.samples, samples_text(checkpoint, options.sample_count));
    std::cout << "wrote " << options.sample_count << " positions and what the network says of them to "
              << options.samples << "\n";
  }
  return 0;
}

}  // namespace

void add_export(CLI::App& app, Command& command) {
  CLI::App& sub =
      *app.add_subcommand("export", "Writes a checkpoint's network in a format other programs load");
  const auto options = std::make_shared<ExportOptions>();
  sub.add_option("CHECKPOINT", options->target,
                 "Checkpoint file, exported network, or run directory for its newest checkpoint")
      ->required();
  sub.add_option("--format", options->format, "File format: torchscript, onnx or safetensors")
      ->required()
      ->check(CLI::IsMember({"torchscript", "onnx", "safetensors"}));
  sub.add_option("--output", options->output, "File to write")->required();
  sub.add_option(
         "--batch-norm", options->batch_norm,
         "folded into the convolutions, or separate; folded unless said, but separate for safetensors")
      ->check(CLI::IsMember({kFolded, kSeparate}));
  sub.add_flag("--half", options->half, "Convolutions in float16: a file of half the size, less exact");
  CLI::Option* samples = sub.add_option(
      "--samples", options->samples,
      "Also write positions with their planes and the network's outputs, one JSON object a line, to "
      "test a reader with");
  sub.add_option("--sample-count", options->sample_count, "How many")
      ->check(CLI::Range(1, 1'000'000))
      ->needs(samples)
      ->capture_default_str();
  sub.footer("Example: pahtum export runs/quick-1 --format onnx --output agent.onnx");
  sub.callback([options, &command] { command = [options] { return export_file(*options); }; });
}

}  // namespace pahtum
