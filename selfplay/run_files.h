#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <system_error>
#include <vector>

#include "env/base/error.h"
#include "env/base/random.h"
#include "env/game_rules.h"

// What selfplay/run_check.cc looks a run over with.
namespace pahtum {

// What a listing tells of a file.
struct FileFacts {
  std::filesystem::file_type type = std::filesystem::file_type::none;
  std::uintmax_t size = 0;
  std::filesystem::file_time_type written;

  friend bool operator==(const FileFacts&, const FileFacts&) = default;
};
using RunFiles = std::map<std::string, FileFacts>;  // by name in the run: "games/000001.games"

inline void list_folder(const std::filesystem::path& folder, const std::string& prefix, RunFiles& files) {
  std::error_code error;
  for (auto entry = std::filesystem::directory_iterator(folder, error);
       !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    std::error_code gone, unlinked;
    FileFacts facts;
    facts.type = entry->status(gone).type();
    if (facts.type == std::filesystem::file_type::regular) facts.size = entry->file_size(gone);
    facts.written = entry->last_write_time(gone);
    if (!gone || std::filesystem::is_symlink(entry->symlink_status(unlinked))) {
      files.emplace(prefix + entry->path().filename().string(), facts);
    }
  }
  if (error) throw request_error(folder.string(), "cannot be read: " + error.message());
}

// The files of a run directory and of its two folders. Throws a kRequest Error that names what cannot be
// read.
inline RunFiles list_files(const std::filesystem::path& run) {
  RunFiles files;
  list_folder(run, "", files);
  for (const char* folder : {"checkpoints", "games"}) {
    if (std::filesystem::is_directory(run / folder))
      list_folder(run / folder, std::string(folder) + "/", files);
  }
  return files;
}

// The starts of games by a configuration's rules, whatever its seed.
class Starts {
 public:
  explicit Starts(const GameConfig& game) {
    const GameRules rules(game);
    drawn_ = game.layouts.empty() && game.hole_mode == HoleMode::kRandom;
    for (const std::string& layout : game.layouts) layouts_.push_back(parse_layout(layout, rules.size()));
    for (const HoleCounts::Choice& choice : game.holes.choices()) {
      GameConfig one = game;
      if (game.layouts.empty()) one.holes = choice.holes;
      samples_.push_back(start_position(one, 0, Stream::kLayout, 0));
    }
  }
  [[nodiscard]] bool contain(const Position& start) const {
    return std::ranges::any_of(samples_, [&](Position sample) {
      const bool holes_fit = drawn_             ? std::popcount(start.holes) == std::popcount(sample.holes)
                             : layouts_.empty() ? start.holes == sample.holes
                                                : std::ranges::find(layouts_, start.holes) != layouts_.end();
      sample.holes = start.holes;
      return holes_fit && sample == start;
    });
  }

 private:
  bool drawn_;  // the holes are drawn square by square
  std::vector<Bitboard> layouts_;
  std::vector<Position> samples_;  // one for each number of holes
};

inline std::string iterations_text(std::int64_t first, std::int64_t last) {
  if (first == last) return "iteration " + std::to_string(first);
  return "iterations " + std::to_string(first) + " to " + std::to_string(last);
}

// What an Error says about `file`, without naming it again.
inline std::string reason_of(const Error& error, const std::filesystem::path& file) {
  const std::string& subject = error.subject();
  const std::string name = file.string();
  if (subject == name) return error.message();
  if (!subject.starts_with(name)) return error.what();
  std::string place = subject.substr(name.size());
  place.erase(0, place.find_first_not_of(": "));
  return place + ": " + error.message();
}

// Results of one iteration's games, as a shard has them and a row of metrics counts them.
struct Results {
  std::int64_t white = 0, draws = 0, black = 0;
  friend bool operator==(const Results&, const Results&) = default;
};

inline std::string to_text(const Results& results) {
  return std::to_string(results.white) + "-" + std::to_string(results.draws) + "-" +
         std::to_string(results.black);
}

}  // namespace pahtum
