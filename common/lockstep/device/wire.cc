#include "device/wire.h"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <utility>

namespace lockstep {
namespace {

struct Header {
  uint32_t bytes;  // the length of the body
  Message kind;
};

constexpr size_t kPiece = 64 << 10;  // bytes that are received at once

void append(std::string& to, Message kind, std::string_view body) {
  const Header header{static_cast<uint32_t>(body.size()), kind};
  to.append(reinterpret_cast<const char*>(&header), sizeof header);
  to += body;
}

}  // namespace

Connection::~Connection() {
  if (passed_ >= 0) close(passed_);
  close(fd_);
}

bool Connection::queue(Message kind, std::string_view body) {
  append(outgoing_, kind, body);
  return outgoing_.size() < kPiece || flush(-1);
}

bool Connection::send(Message kind, std::string_view body, int pass) {
  append(outgoing_, kind, body);
  return flush(pass);
}

bool Connection::flush(int pass) {
  const std::string text = std::exchange(outgoing_, {});
  for (size_t sent = 0; sent < text.size();) {
    iovec piece{const_cast<char*>(text.data()) + sent, text.size() - sent};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
    if (pass >= 0) {
      message.msg_control = control.data();
      message.msg_controllen = control.size();
      cmsghdr* head = CMSG_FIRSTHDR(&message);
      head->cmsg_level = SOL_SOCKET;
      head->cmsg_type = SCM_RIGHTS;
      head->cmsg_len = CMSG_LEN(sizeof pass);
      std::memcpy(CMSG_DATA(head), &pass, sizeof pass);
    }
    const ssize_t count = sendmsg(fd_, &message, MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    sent += static_cast<size_t>(count);
    pass = -1;
  }
  return true;
}

// Receives more bytes. False: the other side is gone.
bool Connection::fill() {
  if (read_ == incoming_.size()) incoming_.clear(), read_ = 0;
  const size_t before = incoming_.size();
  incoming_.resize(before + kPiece);
  ssize_t count = 0;
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int))> control{};
  msghdr message{};
  do {
    iovec piece{incoming_.data() + before, kPiece};
    message = {};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    if (accepts_passed_) message.msg_control = control.data(), message.msg_controllen = control.size();
    count = recvmsg(fd_, &message, MSG_CMSG_CLOEXEC);
  } while (count < 0 && errno == EINTR);
  incoming_.resize(before + static_cast<size_t>(count > 0 ? count : 0));
  const cmsghdr* head = count > 0 && accepts_passed_ ? CMSG_FIRSTHDR(&message) : nullptr;
  if (head && head->cmsg_level == SOL_SOCKET && head->cmsg_type == SCM_RIGHTS) {
    if (passed_ >= 0) close(passed_);
    std::memcpy(&passed_, CMSG_DATA(head), sizeof passed_);
  }
  return count > 0;
}

std::optional<Received> Connection::receive() {
  Header header{};
  while (incoming_.size() - read_ < sizeof header)
    if (!fill()) return std::nullopt;
  std::memcpy(&header, incoming_.data() + read_, sizeof header);
  if (header.bytes > most_) throw WireError("a message of " + std::to_string(header.bytes) + " bytes");
  while (incoming_.size() - read_ < sizeof header + header.bytes)
    if (!fill()) return std::nullopt;
  Received received{header.kind, incoming_.substr(read_ + sizeof header, header.bytes)};
  read_ += sizeof header + header.bytes;
  return received;
}

int Connection::take_passed() { return std::exchange(passed_, -1); }

}  // namespace lockstep
