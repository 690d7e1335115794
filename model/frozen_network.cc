#include "model/frozen_network.h"

#include <algorithm>

#include "env/base/error.h"
#include "model/frozen_heads.h"
#include "model/frozen_tower.h"

namespace pahtum {

#ifdef PAHTUM_WITH_ONEDNN

class FrozenNetwork::Implementation {
 public:
  Implementation(const FrozenWeights& weights, Precision precision)
      : squares_(static_cast<std::size_t>(weights.squares())),
        actions_(static_cast<std::size_t>(weights.actions())),
        tower_(weights, precision),
        heads_(weights) {}

  const FrozenOutput& forward(std::span<const Position> positions, bool with_ownership) {
    const std::size_t count = positions.size();
    make_room(count, with_ownership);
    for (std::size_t begin = 0; begin < count;) {
      const int pass = FrozenTower::pass_of(
          static_cast<int>(std::min(count - begin, static_cast<std::size_t>(FrozenTower::kLargestPass))));
      tower_.encode(positions.subspan(begin, static_cast<std::size_t>(pass)));
      run(begin, pass, with_ownership);
      begin += static_cast<std::size_t>(pass);
    }
    return output_;
  }

  void repeat(int count) {
    make_room(static_cast<std::size_t>(count), false);
    for (int begin = 0; begin < count;) {
      const int pass = FrozenTower::pass_of(count - begin);
      run(static_cast<std::size_t>(begin), pass, false);
      begin += pass;
    }
  }

 private:
  void make_room(std::size_t count, bool with_ownership) {
    output_.policy.resize(count * actions_);
    output_.wdl.resize(count * 3);
    output_.margin.resize(count);
    output_.ownership.resize(with_ownership ? count * squares_ : 0);
  }

  // One pass, its outputs into the rows from `begin` on.
  void run(std::size_t begin, int pass, bool with_ownership) {
    const FrozenTower::Output features = tower_.run(pass);
    for (int sample = 0; sample < pass; ++sample) {
      const std::size_t row = begin + static_cast<std::size_t>(sample);
      heads_.run(features.heads, sample, &output_.policy[row * actions_], &output_.wdl[row * 3],
                 &output_.margin[row]);
      if (with_ownership) heads_.run_ownership(features.tower, sample, &output_.ownership[row * squares_]);
    }
  }

  std::size_t squares_, actions_;
  FrozenTower tower_;
  FrozenHeads heads_;
  FrozenOutput output_;
};

#else

class FrozenNetwork::Implementation {
 public:
  Implementation(const FrozenWeights& /*weights*/, Precision /*precision*/) {
    throw request_error("network", "this build has no oneDNN of its own to run a frozen network on");
  }
  const FrozenOutput& forward(std::span<const Position> /*positions*/, bool /*with_ownership*/) {
    return output_;
  }
  void repeat(int /*count*/) {}

 private:
  FrozenOutput output_;
};

#endif

FrozenNetwork::FrozenNetwork(const FrozenWeights& weights, Precision precision)
    : implementation_(std::make_unique<Implementation>(weights, precision)) {}

FrozenNetwork::~FrozenNetwork() = default;

const FrozenOutput& FrozenNetwork::forward(std::span<const Position> positions, bool with_ownership) {
  return implementation_->forward(positions, with_ownership);
}

void FrozenNetwork::repeat(int count) {
  implementation_->repeat(count);
}

}  // namespace pahtum
