#include "env/game_config.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <functional>
#include <utility>

#include "env/base/error.h"
#include "env/base/files.h"
#include "env/base/quotes.h"
#include "env/base/text.h"

namespace pahtum {
namespace {

constexpr int kMostHoles = kMaxSquares - 2;
constexpr std::size_t kMostLayouts = 1'000'000;

// Calls visit(part) for what stands between the separators.
template <class Visit>
void for_each_part(std::string_view text, char separator, Visit&& visit) {
  while (true) {
    const std::size_t end = text.find(separator);
    visit(trimmed(text.substr(0, end)));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

std::string shortest(double value) {
  std::array<char, 32> buffer{};
  return {buffer.data(), std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr};
}

void validate_hole_count(std::int64_t holes, const GameConfig& config, const std::string& key) {
  const std::int64_t squares = config.size * config.size;
  const auto text = std::to_string(holes) + " holes";
  if (holes < 0) throw request_error(key, text + "; use 0 or more");
  if (holes > squares - 2) {
    throw request_error(key, text + " leave fewer than two of the " + std::to_string(squares) +
                                 " squares; use at most " + std::to_string(squares - 2));
  }
  if ((squares - holes) % 2 != 0 && !config.unequal_stones) {
    throw request_error(key, text + " leave an odd number of squares (" + std::to_string(squares - holes) +
                                 " of " + std::to_string(squares) + "); use an " +
                                 (squares % 2 == 0 ? "even" : "odd") +
                                 " number of holes, or set unequal_stones: true");
  }
}

bool is_weight(double weight) {
  // The upper bound keeps the sum of all weights finite.
  return weight > 0.0 && weight <= 1e9;
}

void validate_hole_counts(const GameConfig& config) {
  const std::string key = "game.holes";
  const auto choices = config.holes.choices();
  if (choices.empty()) throw request_error(key, "no number of holes is given; use at least one");
  for (std::size_t k = 0; k < choices.size(); ++k) {
    validate_hole_count(choices[k].holes, config, key);
    if (!is_weight(choices[k].weight)) {
      throw request_error(key, std::to_string(choices[k].holes) +
                                   " holes have no sound weight; use one above 0 and at most 1e9");
    }
    if (std::ranges::count(choices.first(k), choices[k].holes, &HoleCounts::Choice::holes) > 0) {
      throw request_error(key,
                          std::to_string(choices[k].holes) + " holes are named twice; name each number once");
    }
  }
}

void validate_layouts(const GameConfig& config) {
  if (config.hole_mode != HoleMode::kRandom) {
    throw request_error("game.layouts", "fixed layouts leave nothing to hole_mode: " +
                                            std::string(hole_mode_name(config.hole_mode)) +
                                            "; use hole_mode: random with them");
  }
  for (const std::string& layout : config.layouts) {
    try {
      const Bitboard holes = parse_layout(layout, static_cast<int>(config.size));
      validate_hole_count(std::popcount(holes), config, "layout " + in_quotes(layout));
    } catch (const Error& error) {
      throw request_error("game.layouts", error.what());
    }
  }
}

template <class Enum>
Field::Parsed choice_of(Enum* value, std::vector<std::pair<std::string, Enum>> names) {
  std::string type = "one of ";
  for (const auto& [name, _] : names) type += (type.back() == ' ' ? "`" : ", `") + name + "`";
  const auto text = [value, names] {
    return std::ranges::find(names, *value, &std::pair<std::string, Enum>::second)->first;
  };
  const auto assign = [value, names, type](std::string_view chosen) {
    const auto found = std::ranges::find(names, chosen, &std::pair<std::string, Enum>::first);
    if (found == names.end()) throw request_error("", in_quotes(chosen) + " is none; use " + type);
    *value = found->second;
  };
  return {type, text, assign};
}

}  // namespace

std::string_view objective_name(Objective objective) noexcept {
  return objective == Objective::kMargin ? "margin" : "outcome";
}

std::optional<Objective> objective_named(std::string_view name) noexcept {
  for (const Objective objective : {Objective::kOutcome, Objective::kMargin}) {
    if (objective_name(objective) == name) return objective;
  }
  return {};
}

HoleCounts HoleCounts::parse(std::string_view text) {
  HoleCounts counts;
  for_each_part(text, ',', [&](std::string_view part) {
    const std::size_t colon = part.find(':');
    const auto holes = parse_number<int>(trimmed(part.substr(0, colon)));
    if (!holes) {
      throw request_error("", in_quotes(text) +
                                  " is no number of holes; use a number (5), several (3,5,7), or "
                                  "numbers with weights (3:1,5:2)");
    }
    Choice choice{.holes = *holes};
    if (choice.holes < 0 || choice.holes > kMostHoles) {
      throw request_error("",
                          std::to_string(choice.holes) + " holes; use 0 to " + std::to_string(kMostHoles));
    }
    if (colon != std::string_view::npos) {
      const auto weight = parse_number<double>(trimmed(part.substr(colon + 1)));
      if (!weight || !is_weight(*weight)) {
        throw request_error("", in_quotes(part) +
                                    " has no weight; use number:weight with a weight above 0 and "
                                    "at most 1e9");
      }
      choice.weight = *weight;
    }
    if (std::ranges::find(counts.choices_, choice.holes, &Choice::holes) != counts.choices_.end()) {
      throw request_error("", in_quotes(text) + " names " + std::to_string(choice.holes) +
                                  " holes twice; name each number once");
    }
    counts.choices_.push_back(choice);
  });
  return counts;
}

std::string HoleCounts::text() const {
  const bool weighted = std::ranges::any_of(choices_, [](const Choice& c) { return c.weight != 1.0; });
  std::string text;
  for (const Choice& choice : choices_) {
    text += (text.empty() ? "" : ",") + std::to_string(choice.holes);
    if (weighted) text += ":" + shortest(choice.weight);
  }
  return text;
}

int HoleCounts::most() const noexcept {
  return std::ranges::max(choices_, {}, &Choice::holes).holes;
}

int HoleCounts::fewest() const noexcept {
  return std::ranges::min(choices_, {}, &Choice::holes).holes;
}

std::string_view hole_mode_name(HoleMode mode) noexcept {
  switch (mode) {
    case HoleMode::kRandom:
      return "random";
    case HoleMode::kPlaced:
      return "placed";
    case HoleMode::kCentre:
      return "centre";
    case HoleMode::kOpening:
      return "opening";
  }
  return "";
}

Schema describe(GameConfig& config) {
  std::vector<std::pair<std::string, HoleMode>> modes;
  for (const HoleMode mode : kHoleModes) modes.emplace_back(hole_mode_name(mode), mode);
  Schema schema("game", "The rules of the game.");
  schema.integer("size", &config.size, kMinSize, kMaxSize, "squares", "Ranks and files of the board.")
      .required()
      .parsed(
          "holes",
          {"number, or a choice of numbers", [&config] { return config.holes.text(); },
           [&config](std::string_view text) { config.holes = HoleCounts::parse(text); }},
          "squares",
          "Holes of a game: a number (`5`), several of which each game draws one (`3,5,7`), or several "
          "with weights (`3:1,5:2`). They must leave an even number of squares unless `unequal_stones` is "
          "true. Not read when `layouts` are given.")
      .required("layouts")
      .boolean("unequal_stones", &config.unequal_stones,
               "Allow an odd number of squares: White then has the first and the last move.")
      .parsed("hole_mode", choice_of(&config.hole_mode, std::move(modes)), "",
              "`random`: drawn before each game, without replacement. `placed`: by the players, alternately, "
              "so that Black places the last one and White then starts. `centre`: one in the centre, the "
              "others placed. `opening`: White places all of them and a first stone, then Black may swap "
              "colours.")
      .text_list("layouts", &config.layouts,
                 "Fixed layouts, one of which each game draws: squares (`\"c4,d4\"`), a board from the top "
                 "(`\"7/7/7/2xx3/7/7/7\"`), or `\"@FILE\"` with one layout in each line.")
      .boolean("swap", &config.swap,
               "Pie rule: after the first stone the other player may swap colours. It is action n².")
      .parsed("result",
              choice_of<Objective>(&config.result,
                                   {{std::string(objective_name(Objective::kOutcome)), Objective::kOutcome},
                                    {std::string(objective_name(Objective::kMargin)), Objective::kMargin}}),
              "",
              "What games are played for: to win (`outcome`; rewards −1, 0, 1) or for points (`margin`; "
              "rewards are the difference in points).")
      .parsed("run_points",
              {"eight numbers", [&config] { return to_text(config.run_points); },
               [&config](std::string_view text) { config.run_points = parse_run_points(text); }},
              "points", "Points of runs of 1, 2, … 8 squares, 0 to 10000 each.");
  return schema;
}

void validate(const GameConfig& config) {
  if (config.size < kMinSize || config.size > kMaxSize) {
    throw request_error("game.size", std::to_string(config.size) + " is not the size of a board; use " +
                                         std::to_string(kMinSize) + " to " + std::to_string(kMaxSize));
  }
  if (config.layouts.empty()) {
    validate_hole_counts(config);
  } else {
    validate_layouts(config);
  }
  if (config.hole_mode == HoleMode::kCentre) {
    if (config.size % 2 == 0) {
      throw request_error("game.hole_mode", "a board of " + std::to_string(config.size) + "×" +
                                                std::to_string(config.size) +
                                                " has no square in its centre; use an odd size");
    }
    if (config.holes.fewest() < 1) {
      throw request_error("game.holes", "the hole in the centre is one; use at least 1");
    }
  }
  for (const std::uint16_t value : config.run_points.by_length) {
    if (value > kMostRunPoints) {
      throw request_error("game.run_points", std::to_string(value) + " points for a run; use at most " +
                                                 std::to_string(kMostRunPoints));
    }
  }
}

void expand_layout_files(GameConfig& config, const std::filesystem::path& folder) {
  std::vector<std::string> layouts;
  for (const std::string& entry : config.layouts) {
    if (!entry.starts_with('@')) {
      layouts.push_back(entry);
      continue;
    }
    const std::filesystem::path path = folder / entry.substr(1);
    const std::string text = read_file(path);
    const std::size_t before = layouts.size();
    for_each_part(text, '\n', [&](std::string_view line) {
      line = trimmed(line.substr(0, line.find('#')));
      if (!line.empty()) layouts.emplace_back(line);
    });
    if (layouts.size() == before) {
      throw request_error(path.string(), "holds no layout; write one in each line, such as c4,d4");
    }
    if (layouts.size() > kMostLayouts) {
      throw request_error(path.string(), "holds more than " + std::to_string(kMostLayouts) + " layouts");
    }
  }
  config.layouts = std::move(layouts);
}

Bitboard parse_layout(std::string_view text, int size) {
  const std::string subject = "layout " + in_quotes(text);
  if (text.find('/') != std::string_view::npos) {
    const auto ranks = std::ranges::count(text, '/') + 1;
    if (ranks != size) {
      throw request_error(subject,
                          "has " + std::to_string(ranks) + " ranks; the board has " + std::to_string(size));
    }
    Position position;
    try {
      position = parse_position(std::string(text) + " w");
    } catch (const Error& error) {
      // Without the position the layout was made into.
      throw request_error(subject, error.message());
    }
    if ((position.white | position.black) != 0) {
      throw request_error(subject, "has stones; a layout has holes only");
    }
    return position.holes;
  }
  Bitboard holes = 0;
  for_each_part(text, ',', [&](std::string_view square) {
    const auto no_square = [&] {
      const std::string last = to_text(Move::at(square_at(0, size - 1)), size);
      return request_error(subject, in_quotes(square) + " is not a square a1 … " + last);
    };
    Move move;
    try {
      move = parse_move(square, size);
    } catch (const Error&) {
      throw no_square();
    }
    if (move.is_swap()) throw no_square();
    if ((holes & square_bit(move.square())) != 0) {
      throw request_error(subject, "names " + std::string(square) + " twice");
    }
    holes |= square_bit(move.square());
  });
  return holes;
}

RunPoints parse_run_points(std::string_view text) {
  RunPoints result{};
  std::size_t count = 0;
  for_each_part(text, ',', [&](std::string_view part) {
    const auto value = parse_number<int>(part);
    if (!value || *value < 0 || *value > kMostRunPoints || count == result.by_length.size()) {
      throw request_error("", in_quotes(text) +
                                  " is no table of points; give eight numbers 0 … 10000, for runs of 1 to 8 "
                                  "squares: 0,0,3,10,25,56,119,246");
    }
    result.by_length[count++] = static_cast<std::uint16_t>(*value);
  });
  if (count < result.by_length.size()) {
    throw request_error("", in_quotes(text) + " has " + std::to_string(count) +
                                " numbers; give eight, for runs of 1 to 8 squares: 0,0,3,10,25,56,119,246");
  }
  return result;
}

std::string to_text(const RunPoints& run_points) {
  std::string text;
  for (const std::uint16_t value : run_points.by_length) {
    text += (text.empty() ? "" : ",") + std::to_string(value);
  }
  return text;
}

std::string to_text(const GameConfig& config) {
  const std::string size = std::to_string(config.size);
  std::string text = size + "×" + size + ", ";
  if (!config.layouts.empty()) {
    text += config.layouts.size() == 1 ? "layout " + config.layouts.front()
                                       : std::to_string(config.layouts.size()) + " fixed layouts";
  } else {
    std::string counts = config.holes.text();
    if (config.holes.choices().size() > 1) counts = "one of " + counts;
    const auto choices = config.holes.choices();
    const std::string holes = choices.size() == 1 && choices.front().holes == 1 ? " hole" : " holes";
    switch (config.hole_mode) {
      case HoleMode::kRandom:
        text += counts + " random" + holes;
        break;
      case HoleMode::kPlaced:
        text += counts + holes + " placed by the players";
        break;
      case HoleMode::kCentre:
        text += counts + holes + ", one in the centre, the others placed by the players";
        break;
      case HoleMode::kOpening:
        text += counts + holes + " and a stone placed by White, then a swap offered";
        break;
    }
  }
  if (config.swap && config.hole_mode != HoleMode::kOpening) text += ", pie rule";
  if (config.result == Objective::kMargin) text += ", played for points";
  if (config.run_points != kRunPoints) text += ", runs count " + to_text(config.run_points);
  return text;
}

}  // namespace pahtum
