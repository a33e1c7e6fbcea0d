#include "grader/judge/sandbox/sandbox.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include <unistd.h>

namespace warpladder {
namespace {

namespace fs = std::filesystem;

constexpr int kFilterFd = 60;                      // on this descriptor bwrap reads the filter
constexpr const char* kMemoryFolder = "67108864";  // bytes, for /tmp and for /dev/shm each
constexpr const char* kPath = "/usr/local/bin:/usr/bin:/bin";
constexpr const char* kProcesses = "512";  // threads count, too, where the kernel counts them
constexpr const char* kTrue = "/usr/bin/true";

// In the order in which the judge gives them up: containers and distributions refuse the first ones most often.
constexpr const char* kOptionalFeatures[] = {later("no user namespaces inside"), later("its own /proc"),
                                             later("its own network")};

// Shows the machine's own folders. On most systems some of them are links into /usr.
void show_system(std::vector<std::string>& words) {
  const auto add = [&](std::initializer_list<std::string> more) { words.insert(words.end(), more); };
  add({"--ro-bind", "/usr", "/usr"});
  for (const char* name : {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"}) {
    std::error_code none;
    if (fs::is_symlink(name, none)) {
      add({"--symlink", fs::read_symlink(name), name});
    } else if (fs::is_directory(name, none)) {
      add({"--ro-bind", name, name});
    }
  }
  for (const char* name : {"/etc/alternatives", "/etc/ld.so.cache"}) add({"--ro-bind-try", name, name});
}

// The device nodes of the machine's cards, and that of WSL.
std::vector<std::string> cards() {
  std::vector<std::string> found = {"/dev/dxg"};
  for (const fs::directory_entry& entry : fs::directory_iterator("/dev")) {
    if (entry.path().filename().string().starts_with("nvidia")) found.push_back(entry.path());
  }
  return found;
}

bool is_wanted(std::string_view name, const std::vector<std::string>& wanted) {
  return std::ranges::any_of(
      wanted, [&](const std::string& one) { return one.ends_with('_') ? name.starts_with(one) : name == one; });
}

// The few of our variables that it may see come first, so that the judge's settings override them.
std::vector<std::pair<std::string, std::string>> environment(const ChildSpec& spec, const Walls& walls) {
  std::vector<std::pair<std::string, std::string>> variables = {{"PATH", kPath}, {"CCACHE_DISABLE", "1"}};
  for (char** one = environ; *one != nullptr; ++one) {
    const std::string_view text = *one;
    const size_t end = text.find('=');
    if (end != text.npos && is_wanted(text.substr(0, end), walls.variables))
      variables.emplace_back(text.substr(0, end), text.substr(end + 1));
  }
  variables.insert(variables.end(), spec.environment.begin(), spec.environment.end());
  return variables;
}

}  // namespace

const Sandbox& Sandbox::here() {
  static const Sandbox sandbox;
  return sandbox;
}

Sandbox::Sandbox() {
  const char* text = std::getenv("WARPLADDER_SANDBOX");
  const std::string_view wish = text != nullptr ? text : "";
  seccomp_ = wish != "limits" && !filter_for({}).empty();
  if (wish == "limits" || wish == "filter") {
    reason_ = later("switched off by WARPLADDER_SANDBOX");
  } else {
    find_bubblewrap();
  }
}

void Sandbox::find_bubblewrap() {
  for (const char* name : {"/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap"}) {
    if (access(name, X_OK) == 0 && program_.empty()) program_ = name;
  }
  reason_ = later("not installed");
  if (program_.empty()) return;
  reason_ = later("refused by this machine");
  bubblewrap_ = true;
  if (stands({})) return;
  // Features are given up one after the other until it works. Then each feature that was not the reason is switched on
  // again.
  for (const char* feature : kOptionalFeatures) {
    refused_.push_back(feature);
    if (!stands({})) continue;
    for (size_t i = refused_.size() - 1; i-- > 0;) {
      const std::string kept = refused_[i];
      refused_.erase(refused_.begin() + static_cast<std::ptrdiff_t>(i));
      if (!stands({})) refused_.insert(refused_.begin() + static_cast<std::ptrdiff_t>(i), kept);
    }
    return;
  }
  bubblewrap_ = false;
}

bool Sandbox::stands(const Walls& walls) const {
  ChildSpec spec;
  spec.command = {kTrue};
  enclose(spec, walls);
  Child child(spec);
  return child.wait(10) == Child::Event::kEnded && child.ended_well();
}

bool Sandbox::has(const char* feature) const { return std::ranges::find(refused_, feature) == refused_.end(); }

std::vector<std::string> Sandbox::bubblewrap(const ChildSpec& spec, const Walls& walls) const {
  std::vector<std::string> words = {
      program_,        "--unshare-user",    "--unshare-ipc",        "--unshare-pid", "--unshare-uts",
      "--new-session", "--die-with-parent", "--unshare-cgroup-try", "--cap-drop",    "ALL"};
  const auto add = [&](std::initializer_list<std::string> more) { words.insert(words.end(), more); };
  if (has("its own network")) add({"--unshare-net"});
  if (has("no user namespaces inside")) add({"--disable-userns"});
  show_system(words);
  if (has("its own /proc")) {
    add({"--proc", "/proc"});
  } else {
    add({"--ro-bind", "/proc", "/proc"});
  }
  if (walls.devices) {
    add({"--dev", "/dev", "--size", kMemoryFolder, "--tmpfs", "/dev/shm"});
  } else {
    add({"--tmpfs", "/dev", "--dev-bind", "/dev/null", "/dev/null"});
  }
  add({"--size", kMemoryFolder, "--tmpfs", "/tmp"});
  if (walls.card) {
    for (const std::string& device : cards()) add({"--dev-bind-try", device, device});
  }
  if (walls.system) add({"--ro-bind-try", "/sys", "/sys", "--ro-bind-try", "/etc/OpenCL", "/etc/OpenCL"});
  for (const fs::path& path : walls.readable) {
    if (!path.empty() && !path.string().starts_with("/usr/")) add({"--ro-bind-try", path, path});
  }
  for (const fs::path& path : walls.writable) add({"--bind-try", path, path});
  // /dev and / are memory as well, without a limit of size: they become read-only.
  add({"--remount-ro", "/dev", "--remount-ro", "/", "--chdir", spec.folder.empty() ? "/" : spec.folder.string()});
  if (!spec.filter.empty()) add({"--seccomp", std::to_string(kFilterFd)});
  add({"--"});
  // The limit is set inside: outside, the kernel would count all processes of this user. It does not count root's.
  if (geteuid() != 0) add({"/usr/bin/prlimit", "--nproc=" + std::string(kProcesses), "--"});
  words.insert(words.end(), spec.command.begin(), spec.command.end());
  return words;
}

void Sandbox::enclose(ChildSpec& spec, const Walls& walls) const {
  spec.environment = environment(spec, walls);
  spec.only_this_environment = true;
  Permissions permissions = walls.permissions;
  permissions.signals = bubblewrap_ || permissions.processes;  // a compiler's processes signal each other
  if (seccomp_) spec.filter = filter_for(permissions);
  if (!bubblewrap_) return;
  spec.command = bubblewrap(spec, walls);
  spec.folder.clear();
  spec.filter_fd = spec.filter.empty() ? -1 : kFilterFd;
  spec.codes_are_signals = true;
}

Message Sandbox::text() const {
  const Message rest = seccomp_ ? message("seccomp, limits") : message("limits");
  if (!bubblewrap_) return message("{walls} (bubblewrap is {reason})", {{"walls", rest}, {"reason", message(reason_)}});
  std::vector<Message> parts = {std::string("bubblewrap")};
  for (const std::string& feature : refused_)
    parts.push_back(message("without {feature}", {{"feature", message(feature)}}));
  return together({together(parts, " "), rest}, ", ");
}

}  // namespace warpladder
