#include <spdlog/fmt/fmt.h>

#include <iostream>
#include <memory>

#include "app/board_drawing.h"
#include "app/common.h"

namespace pahtum {
namespace {

struct ShowOptions {
  std::vector<std::string> words;
  bool json = false;
};

void print_for_programs(const Position& position) {
  nlohmann::ordered_json legal = nlohmann::ordered_json::array();
  for_each_legal(position, [&](Move move) { legal.push_back(to_text(move, position.size)); });
  nlohmann::ordered_json board = nlohmann::ordered_json::array();
  const auto rows = board_rows(position);
  for (std::size_t row = 0; row < position.size; ++row) board.push_back(rows[row]);
  print_json({{"position", to_text(position)},
              {"size", position.size},
              {"white", position.points_of(position.white)},
              {"black", position.points_of(position.black)},
              {"mover", color_name(position.mover)},
              {"phase", phase_name(position.phase)},
              {"holes_left", position.holes_left},
              {"empty", position.empty_count()},
              {"over", position.over()},
              {"legal", legal},
              {"board", board}});
}

void print_for_people(const Position& position) {
  std::cout << board_text(position) << "\npoints   White " << position.points_of(position.white) << ", Black "
            << position.points_of(position.black) << "\n";
  if (position.over()) {
    const int margin = position.white_margin();
    std::cout << "over     "
              << (margin == 0  ? "a draw"
                  : margin > 0 ? "White wins by " + std::to_string(margin)
                               : "Black wins by " + std::to_string(-margin))
              << "\n";
    return;
  }
  std::cout << "mover    " << color_name(position.mover) << "\nphase    " << phase_name(position.phase);
  if (position.holes_left > 0) std::cout << " (" << int{position.holes_left} << " holes left)";
  std::cout << "\nempty    " << position.empty_count() << "\nlegal    " << legal_count(position) << "\n";
}

int show(const ShowOptions& options) {
  const Position position = parse_position(fmt::format("{}", fmt::join(options.words, " ")));
  if (options.json) {
    print_for_programs(position);
  } else {
    print_for_people(position);
  }
  return 0;
}

}  // namespace

void add_show(CLI::App& app, Command& command) {
  CLI::App& sub = *app.add_subcommand("show", "Shows a position: board, points, mover, legal moves");
  const auto options = std::make_shared<ShowOptions>();
  sub.add_option(
         "POSITION", options->words,
         "Ranks from the top with digits for empties, x hole, w, b; then the mover; optionally place=K, "
         "open=K or swap")
      ->required();
  sub.add_flag("--json", options->json, "Print one JSON document");
  sub.footer("Example: pahtum show wwww1bb/6x/3xbbb/7/2xx3/www4/x3bb1 w");
  sub.callback([options, &command] { command = [options] { return show(*options); }; });
}

}  // namespace pahtum
