#include "app/measuring_process.h"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <exception>
#include <iostream>
#include <string>

#include "env/base/error.h"

namespace pahtum {
namespace {

constexpr const char* kName = "measuring process";

struct Request {
  int what = 0;
  double seconds = 0;
};

template <class Message>
bool send_message(int socket, const Message& message) {
  return ::send(socket, &message, sizeof(message), MSG_NOSIGNAL) == static_cast<ssize_t>(sizeof(message));
}

template <class Message>
bool receive_message(int socket, Message& message) {
  ssize_t length = 0;
  do {
    length = ::recv(socket, &message, sizeof(message), 0);
  } while (length < 0 && errno == EINTR);
  return length == static_cast<ssize_t>(sizeof(message));
}

// Answers until the other side closes.
void serve(int socket, const MeasuringProcess::Measure& measure) {
  Request request;
  while (receive_message(socket, request)) {
    if (!send_message(socket, measure(request.what, request.seconds))) return;
  }
}

}  // namespace

MeasuringProcess::MeasuringProcess(const Measure& measure) {
  std::array<int, 2> sockets{};
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets.data()) != 0) {
    throw failure(kName, system_reason(errno));
  }
  child_ = ::fork();
  if (child_ < 0) {
    const std::string reason = system_reason(errno);
    for (const int socket : sockets) ::close(socket);
    throw failure(kName, reason);
  }
  if (child_ == 0) {
    ::close(sockets[0]);
    // _exit: the streams and whatever else ends with the program are the parent's.
    try {
      serve(sockets[1], measure);
    } catch (const std::exception& error) {
      std::cerr << "pahtum: " << error.what() << std::endl;
      ::_exit(1);
    }
    ::_exit(0);
  }
  ::close(sockets[1]);
  socket_ = sockets[0];
}

MeasuringProcess::~MeasuringProcess() {
  ::close(socket_);
  while (::waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

double MeasuringProcess::measure(int what, double seconds) {
  double rate = 0;
  if (!send_message(socket_, Request{what, seconds}) || !receive_message(socket_, rate)) {
    throw failure(kName, "has ended");
  }
  return rate;
}

}  // namespace pahtum
