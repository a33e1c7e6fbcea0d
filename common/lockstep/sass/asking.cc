#include "sass/asking.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <vector>

namespace lockstep {
namespace {

namespace fs = std::filesystem;

// FNV-1a. Not a proof that two texts are the same: the text that was asked about lies beside the answer.
std::string hash_of(std::string_view text) {
  uint64_t hash = 0xcbf2'9ce4'8422'2325;
  for (const char c : text) hash = (hash ^ static_cast<uint8_t>(c)) * 0x100'0000'01b3;
  constexpr char kDigits[] = "0123456789abcdef";
  std::string name;
  for (int shift = 60; shift >= 0; shift -= 4) name += kDigits[hash >> shift & 0xf];
  return name;
}

std::optional<std::string> read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

// Nobody reads half a file.
bool write_file(const std::string& path, std::string_view text) {
  const std::string temporary = path + ".tmp" + std::to_string(getpid());
  std::ofstream(temporary, std::ios::binary) << text;
  std::error_code error;
  const bool whole = fs::file_size(temporary, error) == text.size();
  if (whole) fs::rename(temporary, path, error);
  const bool written = whole && !error;
  if (!written) fs::remove(temporary, error);
  return written;
}

// The card is of compute capability 9.0. Code that only this card runs says so in its PTX.
const char* architecture(std::string_view ptx) {
  return ptx.find(".target sm_90a") != ptx.npos ? "-arch=sm_90a" : "-arch=sm_90";
}

// $1 ptxas, $2 nvdisasm, $3 path of the files, $4 the architecture, $5 the kernel, or nothing. A signal to the
// program's group comes to the shell, too.
constexpr char kScript[] =
    "t=$3.$$; trap 'rm -f \"$t.cubin\" \"$t.sass\"' EXIT; trap 'exit 1' HUP INT TERM; "
    "\"$1\" \"$4\" -v -lineinfo ${5:+-e \"$5\"} \"$3.ptx\" -o \"$t.cubin\" 2> \"$t.sass\" && "
    "\"$2\" -c -gp \"$t.cubin\" >> \"$t.sass\" && mv \"$t.sass\" \"$3.sass\"";

}  // namespace

Question::Question(const Tools& tools, std::string_view ptx, std::string_view kernel) {
  if (tools.folder.empty()) return;
  path_ = tools.folder + "/" + hash_of(ptx) + (kernel.empty() ? "" : "-" + hash_of(kernel));
  if (is_kept(ptx)) return;
  std::error_code error;
  fs::create_directories(tools.folder, error);
  fs::remove(path_ + ".sass", error);  // the answer for another text
  const bool can_ask = !tools.ptxas.empty() && !tools.nvdisasm.empty() && !error;
  if (can_ask && write_file(path_ + ".ptx", ptx))
    start(tools, ptx, kernel);
  else
    path_.clear();  // what may lie there is not the answer
}

Question::~Question() { wait(); }

// Whether the folder has the answer for this very text.
bool Question::is_kept(std::string_view ptx) const {
  std::error_code error;
  return fs::exists(path_ + ".sass", error) && read_file(path_ + ".ptx") == ptx;
}

void Question::start(const Tools& tools, std::string_view ptx, std::string_view kernel) {
  const std::string architecture = lockstep::architecture(ptx), name(kernel);
  const std::vector<const char*> arguments = {"sh",
                                              "-c",
                                              kScript,
                                              "sh",
                                              tools.ptxas.c_str(),
                                              tools.nvdisasm.c_str(),
                                              path_.c_str(),
                                              architecture.c_str(),
                                              name.c_str(),
                                              nullptr};
  // The program's own environment may name libraries and settings that are not meant for the tools.
  const char* const search = std::getenv("PATH");
  std::string path = std::string("PATH=") + (search ? search : "/usr/bin:/bin");
  char* const environment[] = {path.data(), nullptr};
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  for (const int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&files, descriptor, "/dev/null", O_RDWR, 0);
  if (posix_spawn(&process_, "/bin/sh", &files, nullptr, const_cast<char* const*>(arguments.data()), environment) != 0)
    process_ = -1;
  posix_spawn_file_actions_destroy(&files);
}

void Question::wait() {
  if (process_ < 0) return;
  // The program may have waited for all its children; then this one has ended, too.
  while (waitpid(process_, nullptr, 0) < 0 && errno == EINTR) {}
  process_ = -1;
}

const Question::Answer* Question::answer() {
  wait();
  if (!answer_ && !path_.empty())
    if (const std::optional<std::string> listing = read_file(path_ + ".sass")) answer_ = read_listing(*listing);
  return answer_ ? &*answer_ : nullptr;
}

}  // namespace lockstep
