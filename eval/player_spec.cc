#include "eval/player_spec.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "env/base/error.h"
#include "env/bitboard.h"

namespace pahtum {
namespace {

enum class Argument { kNone, kNumber, kPath, kLimit, kEngine };

struct NumberRange {
  std::int64_t minimum = 0, maximum = 0;  // inclusive
};

enum class OptionValue { kNone, kNumber, kSeconds };

struct Option {
  std::string_view name;
  OptionValue value;
  NumberRange range;  // of OptionValue::kNumber
  void (*store)(PlayerSpec&, double);
};

struct SpecRow {
  std::string_view name;
  PlayerKind kind;
  Argument argument;
  NumberRange range;  // of Argument::kNumber
  std::span<const Option> options;
  PlayerSpecHelp help;
};

// Visit counts are 32-bit integers, and a tree of ten million visits still fits into memory.
constexpr NumberRange kSimulations = {1, 10'000'000};
constexpr NumberRange kRollouts = {1, 1'000'000'000};
constexpr NumberRange kEmptySquares = {1, kMaxSquares};
constexpr NumberRange kExactSquares = {0, 24};
constexpr NumberRange kPlies = {1, 60};

constexpr double kShortestMove = 0.001, kLongestMove = 86'400;

constexpr std::array<Option, 4> kNetworkOptions = {{
    {"sims", OptionValue::kNumber, kSimulations,
     [](PlayerSpec& spec, double value) { spec.simulations = static_cast<std::int64_t>(value); }},
    {"time", OptionValue::kSeconds, {}, [](PlayerSpec& spec, double value) { spec.seconds = value; }},
    {"exact", OptionValue::kNumber, kExactSquares,
     [](PlayerSpec& spec, double value) { spec.exact = static_cast<std::int64_t>(value); }},
    {"policy", OptionValue::kNone, {}, [](PlayerSpec& spec, double) { spec.policy = true; }},
}};

constexpr std::array<Option, 3> kEngineOptions = {{
    {"time", OptionValue::kSeconds, {}, [](PlayerSpec& spec, double value) { spec.seconds = value; }},
    {"nodes", OptionValue::kNumber, kRollouts,
     [](PlayerSpec& spec, double value) { spec.simulations = static_cast<std::int64_t>(value); }},
    {"depth", OptionValue::kNumber, kPlies,
     [](PlayerSpec& spec, double value) { spec.depth = static_cast<std::int64_t>(value); }},
}};

struct ProtocolRow {
  std::string_view name;
  EngineProtocol protocol;
};
constexpr std::array<ProtocolRow, 3> kProtocols = {{
    {"gtp", EngineProtocol::kGtp},
    {"ugi", EngineProtocol::kUgi},
    {"grid", EngineProtocol::kGrid},
}};

constexpr std::array<SpecRow, 8> kSpecs = {{
    {"random", PlayerKind::kRandom, Argument::kNone, {}, {}, {"random", "any legal move"}},
    {"greedy",
     PlayerKind::kGreedy,
     Argument::kNone,
     {},
     {},
     {"greedy", "the points a move gains less those of the opponent's best answer"}},
    {"charles",
     PlayerKind::kCharles,
     Argument::kNone,
     {},
     {},
     {"charles", "a heuristic for room and runs from a thesis of 2012"}},
    {"uct",
     PlayerKind::kUct,
     Argument::kNumber,
     kRollouts,
     {},
     {"uct:N", "tree search with N random rollouts a move"}},
    {"solver",
     PlayerKind::kSolver,
     Argument::kNumber,
     kEmptySquares,
     {},
     {"solver:N", "perfect play from N empty squares on, greedy before"}},
    {"alphabeta",
     PlayerKind::kAlphaBeta,
     Argument::kLimit,
     {},
     {},
     {"alphabeta:depth=D|time=S",
      "alpha-beta over a fitted evaluation of lines, D plies ahead or S seconds a move; exact near the end"}},
    {"net",
     PlayerKind::kNetwork,
     Argument::kPath,
     {},
     kNetworkOptions,
     {"net:PATH[,sims=N][,time=S][,exact=N][,policy]",
      "the network of a checkpoint, export or run directory: with N search simulations or S seconds a move, "
      "or its "
      "policy's first choice alone; solving positions of at most N empty squares"}},
    {"engine",
     PlayerKind::kEngine,
     Argument::kEngine,
     {},
     kEngineOptions,
     {"engine:PROTOCOL[,time=S][,nodes=N][,depth=D]:COMMAND",
      "another program, started by the shell and spoken to in gtp, ugi or grid; time holds for gtp and ugi, "
      "nodes and depth for ugi"}},
}};

constexpr auto kHelp = [] {
  std::array<PlayerSpecHelp, kSpecs.size()> help{};
  std::transform(kSpecs.begin(), kSpecs.end(), help.begin(), [](const SpecRow& row) { return row.help; });
  return help;
}();

[[noreturn]] void refuse(std::string_view spec, const std::string& why) {
  throw request_error(player_subject(spec), why);
}

std::string known_players() {
  std::string list;
  for (const PlayerSpecHelp& row : kHelp) list += (list.empty() ? "" : ", ") + std::string(row.usage);
  return list;
}

std::int64_t parse_number(std::string_view spec, const std::string& what, std::string_view text,
                          NumberRange range) {
  const std::string expected =
      "a whole number from " + std::to_string(range.minimum) + " to " + std::to_string(range.maximum);
  if (text.empty()) refuse(spec, what + " is missing; give " + expected);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = end == text.data() + text.size() && error != std::errc::invalid_argument;
  if (!whole) refuse(spec, what + " is \"" + std::string(text) + "\"; give " + expected);
  if (error == std::errc::result_out_of_range || value < range.minimum || value > range.maximum) {
    refuse(spec, what + " " + std::string(text) + " is out of range; give " + expected);
  }
  return value;
}

double parse_seconds(std::string_view spec, const std::string& what, std::string_view text) {
  constexpr std::string_view kExpected = "seconds from 0.001 to 86400, such as 0.5";
  if (text.empty()) refuse(spec, what + " is missing; give " + std::string(kExpected));
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  const bool whole = error == std::errc() && end == text.data() + text.size();
  // Compared so that no number at all is refused, too.
  if (!whole || !(value >= kShortestMove && value <= kLongestMove)) {
    refuse(spec, what + " is \"" + std::string(text) + "\"; give " + std::string(kExpected));
  }
  return value;
}

// `depth=D` or `time=S`.
void parse_limit(std::string_view spec, const SpecRow& row, std::string_view text, PlayerSpec& result) {
  const std::size_t equals = text.find('=');
  const std::string_view name = text.substr(0, equals);
  const std::string_view value = equals == std::string_view::npos ? "" : text.substr(equals + 1);
  if (name == "depth") {
    result.depth = parse_number(spec, "the D of `depth=D`", value, kPlies);
  } else if (name == "time") {
    result.seconds = parse_seconds(spec, "the S of `time=S`", value);
  } else {
    refuse(spec, "say how far it looks ahead: " + std::string(row.help.usage));
  }
}

std::string option_usage(const Option& option) {
  switch (option.value) {
    case OptionValue::kNone:
      break;
    case OptionValue::kNumber:
      return std::string(option.name) + "=N";
    case OptionValue::kSeconds:
      return std::string(option.name) + "=S";
  }
  return std::string(option.name);
}

// 0 for an option without one.
double parse_value(std::string_view spec, const Option& option, std::string_view text) {
  const std::string what = "the value of `" + option_usage(option) + "`";
  switch (option.value) {
    case OptionValue::kNone:
      break;
    case OptionValue::kNumber:
      return static_cast<double>(parse_number(spec, what, text, option.range));
    case OptionValue::kSeconds:
      return parse_seconds(spec, what, text);
  }
  return 0;
}

const Option& find_option(std::string_view spec, const SpecRow& row, std::string_view name) {
  const auto option = std::find_if(row.options.begin(), row.options.end(),
                                   [&](const Option& known) { return known.name == name; });
  if (option != row.options.end()) return *option;
  if (row.options.empty()) {
    refuse(spec, "`" + std::string(row.name) + "` takes no options; use " + std::string(row.help.usage));
  }
  std::string list;
  for (const Option& known : row.options) list += (list.empty() ? "" : ", ") + option_usage(known);
  refuse(spec, "unknown option \"" + std::string(name) + "\"; `" + std::string(row.name) + "` has " + list);
}

void parse_options(std::string_view spec, const SpecRow& row, std::string_view text, PlayerSpec& result) {
  unsigned seen = 0;
  while (true) {
    const std::size_t comma = text.find(',');
    const std::string_view part = text.substr(0, comma);
    const std::size_t equals = part.find('=');
    const Option& option = find_option(spec, row, part.substr(0, equals));
    const unsigned bit = 1u << (&option - row.options.data());
    if ((seen & bit) != 0) refuse(spec, "option \"" + std::string(option.name) + "\" is given twice");
    seen |= bit;
    const bool has_value = equals != std::string_view::npos;
    if (has_value && option.value == OptionValue::kNone) {
      refuse(spec, "option \"" + std::string(option.name) + "\" takes no value");
    }
    option.store(result, parse_value(spec, option, has_value ? part.substr(equals + 1) : ""));
    if (comma == std::string_view::npos) return;
    text.remove_prefix(comma + 1);
  }
}

// `PROTOCOL[,options]:COMMAND`.
PlayerSpec parse_engine(std::string_view spec, const SpecRow& row, std::string_view text) {
  PlayerSpec result;
  result.kind = row.kind;
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || text.find_first_not_of(' ', colon + 1) == std::string_view::npos) {
    refuse(spec, "the command is missing; use " + std::string(row.help.usage));
  }
  result.command = text.substr(colon + 1);
  const std::string_view way = text.substr(0, colon);
  const std::size_t comma = way.find(',');
  const std::string_view name = way.substr(0, comma);
  const auto known = std::ranges::find(kProtocols, name, &ProtocolRow::name);
  if (known == kProtocols.end()) {
    refuse(spec, "unknown protocol \"" + std::string(name) + "\"; use gtp, ugi or grid");
  }
  result.protocol = known->protocol;
  if (comma != std::string_view::npos) parse_options(spec, row, way.substr(comma + 1), result);
  const bool limited = result.simulations || result.depth;
  if (result.protocol != EngineProtocol::kUgi && limited) {
    refuse(spec, "`nodes` and `depth` hold for ugi alone");
  }
  if (result.protocol == EngineProtocol::kGrid && result.seconds) {
    refuse(spec, "the grid protocol has no time; give it to the command");
  }
  return result;
}

}  // namespace

std::span<const PlayerSpecHelp> player_spec_help() noexcept {
  return kHelp;
}

std::string player_subject(std::string_view spec) {
  return "player \"" + std::string(spec) + "\"";
}

PlayerSpec parse_player_spec(std::string_view spec) {
  const std::string_view name = spec.substr(0, spec.find_first_of(":,"));
  const auto row =
      std::find_if(kSpecs.begin(), kSpecs.end(), [&](const SpecRow& known) { return known.name == name; });
  if (row == kSpecs.end()) refuse(spec, "unknown player; use one of: " + known_players());

  std::string_view rest = spec.substr(name.size());
  const bool has_argument = rest.starts_with(':');
  if (has_argument) rest.remove_prefix(1);
  if (row->argument == Argument::kEngine) return parse_engine(spec, *row, rest);
  PlayerSpec result;
  result.kind = row->kind;
  const std::size_t comma = rest.find(',');
  const std::string_view argument = rest.substr(0, comma);
  switch (row->argument) {
    case Argument::kNone:
      if (has_argument) refuse(spec, "`" + std::string(name) + "` takes nothing after it");
      break;
    case Argument::kNumber:
      result.number =
          parse_number(spec, "the N of `" + std::string(row->help.usage) + "`", argument, row->range);
      break;
    case Argument::kLimit:
      parse_limit(spec, *row, argument, result);
      break;
    case Argument::kPath:
      if (argument.empty()) refuse(spec, "the path is missing; use " + std::string(row->help.usage));
      result.path = argument;
      break;
    case Argument::kEngine:
      break;
  }
  if (row->argument == Argument::kLimit && comma != std::string_view::npos) {
    refuse(spec, "`" + std::string(name) + "` takes either a depth or a time and nothing more; use " +
                     std::string(row->help.usage));
  }
  if (comma != std::string_view::npos) parse_options(spec, *row, rest.substr(comma + 1), result);
  if (result.policy && (result.simulations || result.seconds)) {
    refuse(spec,
           "`policy` plays without search, so `sims` and `time` have no meaning beside it; drop it or them");
  }
  if (result.simulations && result.seconds) {
    refuse(spec, "a move is limited by `sims` or by `time`; drop one of them");
  }
  return result;
}

}  // namespace pahtum
