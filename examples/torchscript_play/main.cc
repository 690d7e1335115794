// Chooses a move with an exported network, without this project: torchscript_play AGENT.pt POSITION
//
// Needs LibTorch alone, 1.13 or 2.x. POSITION is written as for `pahtum show`: ranks from the top with digits
// for empty squares, x hole, w, b; then the mover; optionally place=K, open=K or swap.

#include <torch/script.h>

#include <cctype>
#include <cmath>
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

struct Position {
  std::vector<std::string> rows;  // row 0 the top rank; '.' empty
  char mover = 'w';
  bool may_swap = false, opening = false;
  int holes_left = 0;

  int size() const { return static_cast<int>(rows.size()); }
};

Position parse(const std::string& text) {
  Position position;
  std::istringstream words(text);
  std::string board, word, rank;
  words >> board >> position.mover;
  for (std::istringstream ranks(board); std::getline(ranks, rank, '/');) {
    std::string row;
    for (const char c : rank) row += std::isdigit(c) ? std::string(c - '0', '.') : std::string(1, c);
    position.rows.push_back(row);
  }
  for (const std::string& row : position.rows) {
    if (row.size() != position.rows.size()) throw std::runtime_error("the board is not square");
  }
  while (words >> word) {
    if (word == "swap" && position.holes_left == 0) position.may_swap = true;  // later, in "place=2 swap"
    if (word.rfind("open=", 0) == 0) position.opening = true;
    const auto equals = word.find('=');
    if (equals != std::string::npos) position.holes_left = std::stoi(word.substr(equals + 1));
  }
  return position;
}

// float32 [1, channels, n, n], from the side of the mover: env/observation.h.
torch::Tensor planes_of(const Position& position, int64_t channels) {
  const int size = position.size();
  torch::Tensor planes = torch::zeros({1, 12, size, size});
  auto numbers = planes.accessor<float, 4>();
  const std::string contents = position.mover == 'w' ? "wb.x" : "bw.x";
  for (int row = 0; row < size; ++row) {
    for (int column = 0; column < size; ++column) {
      const auto channel = contents.find(position.rows[row][column]);
      if (channel == std::string::npos) throw std::runtime_error("the board holds an unknown letter");
      numbers[0][channel][row][column] = 1;
    }
  }
  planes[0][4].fill_(position.may_swap ? 1 : 0);
  planes[0][5].fill_(position.opening ? 1 : 0);
  for (int bit = 0; bit < 6; ++bit) planes[0][6 + bit].fill_(position.holes_left >> bit & 1);
  return planes.narrow(1, 0, channels);
}

// Of an action: row · n + column, or n² for the swap.
std::string name_of(int action, int size) {
  if (action == size * size) return "swap";
  return std::string(1, static_cast<char>('a' + action % size)) + std::to_string(size - action / size);
}

int choose(const std::string& path, const Position& position) {
  const torch::NoGradGuard no_gradients;
  torch::jit::Module module = torch::jit::load(path, torch::kCPU);
  const int size = position.size();
  const int64_t channels = module.attr("stem_weight").toTensor().size(1);
  const auto outputs = module.forward({planes_of(position, channels)}).toTuple()->elements();
  const torch::Tensor policy = outputs[0].toTensor()[0];
  const torch::Tensor wdl = torch::softmax(outputs[1].toTensor()[0], 0);
  if (policy.size(0) < size * size || policy.size(0) > size * size + 1) {
    throw std::runtime_error("the network plays on boards of another size");
  }

  // The policy is not masked: everything but the legal actions is set to −∞ before the softmax.
  torch::Tensor mask = torch::full_like(policy, -INFINITY);
  for (int action = 0; action < size * size; ++action) {
    if (position.rows[action / size][action % size] == '.') mask[action] = 0;
  }
  if (position.may_swap && policy.size(0) > size * size) mask[size * size] = 0;
  if (torch::isinf(mask).all().item<bool>()) throw std::runtime_error("the game is over");
  const torch::Tensor priors = torch::softmax(policy + mask, 0);
  const int best = static_cast<int>(priors.argmax().item<int64_t>());

  std::cout << name_of(best, size) << "\nprior " << priors[best].item<float>() << "; win "
            << wdl[0].item<float>() << ", draw " << wdl[1].item<float>() << ", loss " << wdl[2].item<float>()
            << "; margin " << outputs[2].toTensor()[0].item<float>() << "\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: torchscript_play AGENT.pt POSITION\n";
    return 2;
  }
  std::string text;
  for (int k = 2; k < argc; ++k) text += std::string(argv[k]) + " ";
  try {
    return choose(argv[1], parse(text));
  } catch (const std::exception& error) {
    std::cerr << "torchscript_play: " << error.what() << "\n";
    return 1;
  }
}
