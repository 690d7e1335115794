#include "tests/app/program.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <stdexcept>

#include "env/base/files.h"

namespace pahtum {

namespace fs = std::filesystem;

TemporaryFolder::TemporaryFolder() {
  std::string name = (fs::temp_directory_path() / "pahtum-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder: " + name);
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

Program::Program(const std::vector<std::string>& arguments, const fs::path& folder,
                 const std::string& input) {
  write_file_atomically(files_ / "in", input);
  write_file_atomically(files_ / "out", "");
  write_file_atomically(files_ / "err", "");  // there to be read before the process has opened it
  const std::string in = files_ / "in";
  const std::string out = files_ / "out";
  const std::string err = files_ / "err";
  std::vector<std::string> words = {PAHTUM_BINARY};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  process_ = ::fork();
  if (process_ < 0) throw std::runtime_error("cannot fork");
  if (process_ > 0) return;
  // Only async-signal-safe calls between fork and exec.
  const int in_file = ::open(in.c_str(), O_RDONLY);
  const int out_file = ::open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  const int err_file = ::open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  if (::chdir(folder.c_str()) != 0 || ::dup2(in_file, 0) < 0 || ::dup2(out_file, 1) < 0 ||
      ::dup2(err_file, 2) < 0) {
    ::_exit(126);
  }
  ::execv(argv[0], argv.data());
  ::_exit(127);
}

Program::~Program() {
  if (process_ <= 0) return;
  ::kill(process_, SIGKILL);
  ::waitpid(process_, nullptr, 0);
}

void Program::send(int signal) const {
  ::kill(process_, signal);
}

std::string Program::errors() const {
  return read_file(files_ / "err");
}

std::string Program::output() const {
  return read_file(files_ / "out");
}

Finished Program::wait() {
  int status = 0;
  ::waitpid(process_, &status, 0);
  process_ = -1;
  Finished finished;
  finished.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  finished.out = read_file(files_ / "out");
  finished.err = read_file(files_ / "err");
  return finished;
}

Finished run_program(const std::vector<std::string>& arguments, const fs::path& folder,
                     const std::string& input) {
  return Program(arguments, folder, input).wait();
}

std::string second_long_config(int iterations) {
  return "game: {size: 3, holes: 1}\n"
         "network: {channels: 4, blocks: 1, pooling_every: 1, head_channels: 2}\n"
         "search: {simulations: 4, exact_leaf: 3, exact_root: 4}\n"
         "selfplay: {slots: 4, games_per_iteration: 4, random_opening_mean: 0}\n"
         "replay: {window_games: 16, reuse: 1, minimum_games: 4}\n"
         "learner: {batch_size: 8}\n"
         "run: {device: cpu, workers: 1, iterations: " +
         std::to_string(iterations) +
         "}\n"
         "evaluation: {against: [random], pairs: 2}\n";
}

}  // namespace pahtum
