#pragma once

#include <sys/types.h>

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace pahtum {

// What a finished process left behind.
struct Finished {
  int status = -1;  // exit status, or 128 + the signal that ended it
  std::string out, err;
};

// A folder of its own for one test, removed with everything in it.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  [[nodiscard]] std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

// The built program, running with `arguments` in `folder`, with `input` as its standard input.
class Program {
 public:
  Program(const std::vector<std::string>& arguments, const std::filesystem::path& folder,
          const std::string& input = "");
  ~Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  void send(int signal) const;
  // What it has written to standard error so far.
  [[nodiscard]] std::string errors() const;
  // The same of standard output.
  [[nodiscard]] std::string output() const;
  [[nodiscard]] Finished wait();

 private:
  pid_t process_ = -1;
  TemporaryFolder files_;  // its standard streams
};

[[nodiscard]] Finished run_program(const std::vector<std::string>& arguments,
                                   const std::filesystem::path& folder, const std::string& input = "");

// A configuration that trains in a second or two, for `iterations` iterations.
[[nodiscard]] std::string second_long_config(int iterations);

}  // namespace pahtum
