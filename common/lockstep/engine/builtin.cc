#include "engine/builtin.h"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstring>
#include <optional>
#include <vector>

#include "base/align.h"
#include "base/words.h"
#include "count/printing.h"
#include "engine/block.h"
#include "engine/call_values.h"
#include "engine/device_runtime.h"
#include "engine/fault.h"

namespace lockstep {
namespace {

// One lane's view of memory through generic addresses, for reading what device code points to.
class LaneReader {
 public:
  LaneReader(const Warp& warp, uint32_t lane) : warp_(warp), lane_(lane) {}

  // Null if [address, address + bytes) is not readable.
  const std::byte* at(uint64_t address, uint64_t bytes) const {
    const auto readable = [&](Space space, uint64_t at) { return range_at(warp_, space, at).contains(at, bytes); };
    if (const uint64_t at = address - kLocalWindow; at < kWindowBytes)
      return readable(Space::kLocal, at) ? warp_.local_memory(lane_) + at : nullptr;
    if (const uint64_t at = address - kSharedWindow; at < kWindowBytes)
      return readable(Space::kShared, at) ? warp_.block().shared() + (at - kSharedBase) : nullptr;
    return readable(Space::kGlobal, address) ? reinterpret_cast<const std::byte*>(address) : nullptr;
  }

  std::string string(uint64_t address) const {
    std::string text;
    for (; const std::byte* c = at(address, 1); ++address) {
      if (*c == std::byte{0}) return text;
      text += static_cast<char>(*c);
    }
    return "(bad string)";
  }
  // As "%s" prints it.
  std::string text(uint64_t address) const { return address == 0 ? "(null)" : string(address); }

 private:
  const Warp& warp_;
  uint32_t lane_;
};

// printf's conversions, each value aligned in the argument block as a C struct would hold it.
class Formatter {
 public:
  Formatter(const LaneReader& reader, uint64_t arguments) : reader_(reader), next_(arguments) {}

  std::string format(const std::string& pattern) {
    std::string out;
    for (size_t i = 0; i < pattern.size();) {
      if (pattern[i] != '%') {
        out += pattern[i++];
        continue;
      }
      size_t end = i + 1;
      while (end < pattern.size() && !std::isalpha(static_cast<unsigned char>(pattern[end])) && pattern[end] != '%')
        ++end;
      while (end < pattern.size() && std::strchr("hlLzjt", pattern[end])) ++end;
      if (end >= pattern.size()) return out + pattern.substr(i);
      out += convert(pattern.substr(i, end + 1 - i));
      i = end + 1;
    }
    return out;
  }

  int32_t converted() const { return converted_; }  // arguments printed: vprintf's result

 private:
  template <class T>
  T take() {
    next_ = (next_ + sizeof(T) - 1) / sizeof(T) * sizeof(T);
    T value{};
    if (const std::byte* bytes = reader_.at(next_, sizeof(T))) std::memcpy(&value, bytes, sizeof value);
    next_ += sizeof(T);
    return value;
  }

  std::string convert(std::string conversion) {
    const char kind = conversion.back();
    if (kind == '%') return "%";
    if (conversion.find('$') != std::string::npos) return conversion;  // it would read arguments that do not exist
    ++converted_;
    for (size_t star = conversion.find('*'); star != std::string::npos; star = conversion.find('*'))
      conversion.replace(star, 1, std::to_string(take<int32_t>()));
    if (std::strchr("diuxXo", kind)) {
      if (conversion.find_first_of("lLzjt") != std::string::npos)
        return print(with_length(conversion, "ll"), take<int64_t>());
      const bool is_signed = kind == 'd' || kind == 'i';
      return is_signed ? print(conversion, take<int32_t>()) : print(conversion, take<uint32_t>());
    }
    // Other lengths mean types that device code does not have: long double, wchar_t.
    const std::string plain = with_length(conversion, "");
    if (std::strchr("fFeEgGaA", kind)) return print(plain, take<double>());
    if (kind == 'c') return print(plain, take<int32_t>());
    if (kind == 'p') return print(plain, reinterpret_cast<void*>(take<uint64_t>()));
    if (kind == 's') return print(plain, reader_.text(take<uint64_t>()).c_str());
    return conversion;  // unknown: printed as it stands, as CUDA does
  }

  static std::string with_length(std::string conversion, const char* length) {
    const char kind = conversion.back();
    while (std::strchr("hlLzjt", conversion[conversion.size() - 2])) conversion.erase(conversion.size() - 2, 1);
    conversion.pop_back();
    return conversion + length + kind;
  }

  template <class T>
  static std::string print(const std::string& conversion, T value) {
    const int length = std::snprintf(nullptr, 0, conversion.c_str(), value);
    if (length < 0) return conversion;  // longer than any string
    std::string text(static_cast<size_t>(length), '\0');
    std::snprintf(text.data(), text.size() + 1, conversion.c_str(), value);
    return text;
  }

  const LaneReader& reader_;
  uint64_t next_;
  int32_t converted_ = 0;
};

// Bytes of text that a launch keeps. Beyond them the oldest lines are dropped, as on a card, whose buffer is smaller.
constexpr size_t kMostOutput = 64 << 20;

void print(Warp& warp, const CallSite& site, uint32_t lane) {
  const LaneReader reader(warp, lane);
  const std::string pattern = reader.string(argument<uint64_t>(warp, site, 0, lane));
  Formatter formatter(reader, argument<uint64_t>(warp, site, 1, lane));
  std::string& output = warp.state().output;
  output += formatter.format(pattern);
  if (output.size() > kMostOutput) output.erase(0, output.find('\n', kMostOutput / 2) + 1);
  give_result<int32_t>(warp, site, lane, formatter.converted());
}

// Where the format and the texts of one lane's arguments lie. Nothing: one of them is not in global memory.
std::optional<std::vector<uint64_t>> texts_of(const LaneReader& reader, const PrintFormat& format, uint64_t pattern,
                                              uint64_t arguments) {
  std::vector<uint64_t> found{pattern};
  for (const PrintFormat::Argument kind : format.arguments) {
    const uint64_t bytes = kind == PrintFormat::kWord ? 4 : 8;
    const uint64_t at = align_up(arguments, bytes);
    arguments = at + bytes;
    if (kind != PrintFormat::kString) continue;
    const std::byte* const value = reader.at(at, bytes);
    if (!value) return std::nullopt;
    std::memcpy(&found.emplace_back(), value, bytes);
  }
  const auto in_global = [&](uint64_t address) {
    return address - kLocalWindow >= kWindowBytes && address - kSharedWindow >= kWindowBytes && reader.at(address, 1);
  };
  if (!std::ranges::all_of(found, in_global)) return std::nullopt;
  return found;
}

// What the lanes access in this call on a card. Nothing: there is no rule. One reason is that their texts differ in
// length.
std::optional<PrintCounters> print_accesses(const Warp& warp, const CallSite& site, Mask mask) {
  std::string pattern;
  std::optional<PrintFormat> format;
  std::vector<PrintText> texts;  // the format and the arguments'
  for (const uint32_t lane : each_lane(mask)) {
    const LaneReader reader(warp, lane);
    const auto of_format = argument<uint64_t>(warp, site, 0, lane);
    if (lane == first_lane(mask)) format = print_format(pattern = reader.string(of_format));
    if (!format || reader.string(of_format) != pattern) return std::nullopt;
    const auto addresses = texts_of(reader, *format, of_format, argument<uint64_t>(warp, site, 1, lane));
    if (!addresses) return std::nullopt;
    for (size_t i = 0; i < addresses->size(); ++i) {
      const auto length = static_cast<uint32_t>(reader.string((*addresses)[i]).size());
      if (texts.size() == i) texts.push_back({{}, length});
      if (texts[i].length != length) return std::nullopt;
      texts[i].addresses[lane] = (*addresses)[i];
    }
  }
  return print_counters(*format, texts, mask);
}

void count_print(Warp& warp, const CallSite& site, Mask mask, uint32_t pc) {
  LaunchCounters& counters = warp.state().counters;
  PrintCounters& calls = counters.prints[pc];
  if (const auto accesses = print_accesses(warp, site, mask))
    calls.add(*accesses);
  else
    calls.known = false;
  constexpr uint64_t kMostWarps = 32;  // of a block
  counters.printing.add(warp.block().linear() * kMostWarps + warp.index());
}

void allocate(Warp& warp, const CallSite& site, uint32_t lane) {
  give_result(warp, site, lane, allocate_heap(warp, argument<uint64_t>(warp, site, 0, lane)));
}

void free(Warp& warp, const CallSite& site, uint32_t lane, uint32_t pc) {
  const auto address = argument<uint64_t>(warp, site, 0, lane);
  if (address == 0 || free_heap(warp, address)) return;
  fail(warp,
       {Status::kIllegalAddress, "invalid_free", lane, pc, words("free() of an address that malloc() did not give"),
        "Next: " + words("give free() only what a kernel's malloc() returned, and only once. The host frees what "
                         "it allocated.")});
}

void assertion_failed(Warp& warp, const CallSite& site, uint32_t lane, uint32_t pc) {
  const LaneReader reader(warp, lane);
  const auto text = [&](size_t i) { return reader.string(argument<uint64_t>(warp, site, i, lane)); };
  fail(warp, {Status::kAssert, "assertion", lane, pc,
              text(1) + ":" + std::to_string(argument<uint32_t>(warp, site, 2, lane)) + ": " + text(3) +
                  words(": assertion `{condition}' failed", {{"condition", text(0)}}),
              ""});
}

}  // namespace

void call_builtin(Warp& warp, const CallSite& site, Mask mask, uint32_t pc) {
  if (site.builtin == Builtin::kPrintf) count_print(warp, site, mask, pc);
  for (const uint32_t lane : each_lane(mask)) {
    if (warp.state().faulted) return;
    switch (site.builtin) {
      case Builtin::kPrintf: print(warp, site, lane); break;
      case Builtin::kAssertFail: assertion_failed(warp, site, lane, pc); break;
      case Builtin::kMalloc: allocate(warp, site, lane); break;
      case Builtin::kFree: free(warp, site, lane, pc); break;
      case Builtin::kSetConditional:
        warp.state().conditions[argument<uint64_t>(warp, site, 0, lane)] = argument<uint32_t>(warp, site, 1, lane);
        break;
      case Builtin::kNone: break;
      default: call_device_runtime(warp, site, lane, pc); break;
    }
  }
}

}  // namespace lockstep
