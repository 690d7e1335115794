#pragma once

#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace pahtum {

// What kind of fault an Error reports. The command line maps it to the exit status.
enum class Fault {
  kRequest,  // the request itself is wrong: usage, configuration, position, file (exit status 2)
  kFailure,  // a sound request failed while it ran: disk full, non-finite loss (exit status 1)
};

// The one exception type of the project. `subject` is the path, key or value at fault; the text says what is
// wrong with it and what would be right.
class Error : public std::runtime_error {
 public:
  Error(Fault fault, std::string subject, const std::string& message)
      : std::runtime_error(subject.empty() ? message : subject + ": " + message),
        fault_(fault),
        subject_(std::move(subject)),
        message_(message) {}

  [[nodiscard]] Fault fault() const noexcept { return fault_; }
  [[nodiscard]] const std::string& subject() const noexcept { return subject_; }
  // what() without the subject; whole even where a text it quotes holds a zero byte.
  [[nodiscard]] const std::string& message() const noexcept { return message_; }

 private:
  Fault fault_;
  std::string subject_;
  std::string message_;
};

[[nodiscard]] inline Error request_error(std::string subject, const std::string& message) {
  return Error(Fault::kRequest, std::move(subject), message);
}

[[nodiscard]] inline Error failure(std::string subject, const std::string& message) {
  return Error(Fault::kFailure, std::move(subject), message);
}

// What an errno says, for people.
[[nodiscard]] inline std::string system_reason(int code) {
  return std::generic_category().message(code);
}

}  // namespace pahtum
