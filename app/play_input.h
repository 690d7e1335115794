#pragma once

#include <iosfwd>
#include <string>

namespace pahtum {

// What a person, or a script in their place, says next.
struct PlayLine {
  enum class Kind {
    kLine,         // `text`, without its end of line
    kEnd,          // there is no more
    kInterrupted,  // a signal came while waiting (interrupted() is set)
  };
  Kind kind = Kind::kEnd;
  std::string text;
};

// Where the lines of a game come from.
class PlayInput {
 public:
  PlayInput() = default;
  PlayInput(const PlayInput&) = delete;
  PlayInput& operator=(const PlayInput&) = delete;
  virtual ~PlayInput() = default;
  [[nodiscard]] virtual PlayLine next() = 0;
};

// Standard input, line by line. Nothing else may read it. Of a line only the first 4096 bytes are kept.
// stop_on_interrupt() must have been called.
class StandardInput final : public PlayInput {
 public:
  [[nodiscard]] PlayLine next() override;

 private:
  // Waits for more and puts it behind `buffer_`; what happened instead where there is none.
  [[nodiscard]] PlayLine::Kind read_more();

  std::string buffer_;
  bool ended_ = false;
};

// Lines of any stream, for scripts within the program and tests.
class StreamInput final : public PlayInput {
 public:
  // `stream` must outlive it.
  explicit StreamInput(std::istream& stream) : stream_(stream) {}
  [[nodiscard]] PlayLine next() override;

 private:
  std::istream& stream_;
};

}  // namespace pahtum
