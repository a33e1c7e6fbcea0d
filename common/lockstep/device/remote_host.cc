#include "device/remote_host.h"

#include <tuple>

#include "device/requests.h"

namespace lockstep {

std::string Ending::text() const {
  return kind == kOrderly ? "orderly" : kind == kGone ? "gone" : "protocol violation: " + reason;
}

Site RemoteHost::call_line(uint64_t call) const {
  Site site;
  ask(Message::kAskLine, call, [&](Reader& in) {
    std::tie(site.file, site.line) = in.all<std::string, uint32_t>();
    if (site.file.size() > kMostPlace) throw WireError("a path of " + std::to_string(site.file.size()) + " bytes");
  });
  return site;
}

bool RemoteHost::ask(Message question, uint64_t value) const {
  bool answer = false;
  ask(question, value, [&](Reader& in) { answer = std::get<bool>(in.all<bool>()); });
  return answer;
}

template <typename Read>
void RemoteHost::ask(Message question, uint64_t value, Read&& read) const {
  const std::lock_guard lock(mutex_);
  if (ending_) return;
  try {
    if (connection_.send(question, Writer().put(value).body())) {
      if (const std::optional<Received> received = connection_.receive()) {
        if (received->kind != Message::kAnswer) throw WireError("a request while a launch runs");
        Reader in(received->body);
        return read(in);
      }
    }
    ending_ = Ending{Ending::kGone};
  } catch (const WireError& error) { ending_ = Ending{Ending::kViolation, error.what()}; }
}

}  // namespace lockstep
