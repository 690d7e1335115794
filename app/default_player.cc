#include "app/default_player.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string_view>
#include <system_error>

#include "app/common.h"
#include "env/base/error.h"
#include "model/network_file.h"

namespace pahtum {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStrongestWithoutNetwork = "alphabeta:time=1";

struct Network {
  fs::path path;  // of a network file, or a run
  std::int64_t step = 0;
};

std::vector<fs::path> entries_of(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> entries;
  for (const auto& entry : fs::directory_iterator(folder, error)) entries.push_back(entry.path());
  std::ranges::sort(entries);
  return entries;
}

// Network files of models/ and of its folders, and runs among the folders.
std::vector<fs::path> network_paths(const fs::path& models) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (const fs::path& entry : entries_of(models)) {
    const bool is_run = fs::is_directory(entry / "checkpoints", error);
    if (fs::is_directory(entry, error) && !is_run) {
      std::ranges::copy_if(entries_of(entry), std::back_inserter(paths), is_network_name);
    } else if (is_run || is_network_name(entry)) {
      paths.push_back(entry);
    }
  }
  return paths;
}

std::vector<Network> networks_in(const fs::path& models) {
  std::vector<Network> networks;
  for (const fs::path& path : network_paths(models)) {
    try {
      networks.push_back({path, load_network_file(resolve_checkpoint(path)).manifest.step});
    } catch (const Error& error) {
      spdlog::warn("passed over: {}", error.what());
    }
  }
  std::ranges::stable_sort(networks, std::ranges::greater{}, &Network::step);
  return networks;
}

}  // namespace

std::vector<fs::path> models_folders() {
  std::vector<fs::path> folders;
  const auto add = [&](const fs::path& folder) {
    std::error_code error;
    if (fs::is_directory(folder, error)) folders.push_back(folder);
  };
  const char* chosen = std::getenv("PAHTUM_MODELS");
  if (chosen != nullptr && *chosen != '\0') {
    add(chosen);
    return folders;
  }
  add("models");
  std::error_code error;
  fs::path folder = fs::read_symlink("/proc/self/exe", error).parent_path();
  for (int level = 0; level < 3 && folder.has_relative_path(); ++level, folder = folder.parent_path()) {
    add(folder / "models");
  }
  return folders;
}

std::vector<DefaultPlayer> default_players() {
  std::vector<DefaultPlayer> players;
  for (const fs::path& folder : models_folders()) {
    for (const Network& network : networks_in(folder)) {
      players.push_back({"net:" + network.path.string(), "the best network in " + folder.string()});
    }
    if (!players.empty()) break;
  }
  if (const auto run = newest_run("")) {
    try {
      static_cast<void>(resolve_checkpoint(*run));
      players.push_back({"net:" + run->string(), "the newest run"});
    } catch (const Error&) {
      // A run without a whole checkpoint offers nobody to play against.
    }
  }
  const char* why = players.empty() ? "no trained agent is there, in models/ or in runs/"
                                    : "no agent in models/ or runs/ plays these rules";
  players.push_back({kStrongestWithoutNetwork, why});
  return players;
}

std::string default_spec() {
  return default_players().front().spec;
}

}  // namespace pahtum
