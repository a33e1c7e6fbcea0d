#include "count/printing.h"

#include <algorithm>
#include <bit>
#include <cctype>
#include <numeric>

namespace lockstep {
namespace {

constexpr uint32_t kMostArguments = 32;
constexpr uint32_t kFirstPiece = 216, kPiece = 248;  // bytes that a record of one piece holds, and that another adds

// Where the conversion that begins at a % ends, and its argument, or the two of "%*d".
struct Conversion {
  size_t end = 0;
  std::vector<PrintFormat::Argument> arguments{};
};

std::optional<Conversion> conversion_at(std::string_view format, size_t at) {
  const auto next = [&] { return at < format.size() ? format[at] : '\0'; };
  const auto pass = [&](const auto& is_one) {
    while (is_one(next())) ++at;
  };
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  const auto is_one_of = [](std::string_view set, char c) { return c != '\0' && set.find(c) != set.npos; };
  Conversion conversion;
  ++at;
  if (next() == '%') return Conversion{at + 1};
  pass([&](char c) { return is_one_of("-+ #0", c); });
  if (next() == '*') {
    conversion.arguments.push_back(PrintFormat::kWord);
    ++at;
  } else {
    pass(is_digit);
  }
  if (next() == '.') {
    ++at;
    pass(is_digit);
  }
  const size_t size = at;
  pass([](char c) { return c == 'l'; });
  const bool wide = at > size;
  const bool is_short = !wide && next() == 'h';
  if (is_short) ++at;
  if (at - size > 2) return std::nullopt;
  const char kind = next();
  if (is_one_of("diouxX", kind))
    conversion.arguments.push_back(wide ? PrintFormat::kWide : PrintFormat::kWord);
  else if (is_short)
    return std::nullopt;
  else if (is_one_of("eEfFgGaA", kind))
    conversion.arguments.push_back(PrintFormat::kWide);
  else if (wide)
    return std::nullopt;
  else if (kind == 'c')
    conversion.arguments.push_back(PrintFormat::kWord);
  else if (kind == 'p')
    conversion.arguments.push_back(PrintFormat::kWide);
  else if (kind == 's')
    conversion.arguments.push_back(PrintFormat::kString);
  else
    return std::nullopt;
  conversion.end = at + 1;
  return conversion;
}

// Loads of the bytes of a text and of the 0 behind it, three times.
void add_text(InstructionCounters::Global& loads, const PrintText& text, Mask mask) {
  constexpr uint32_t kTimes = 3;
  uint64_t addresses[kWarpSize];
  std::ranges::copy(text.addresses, addresses);
  for (uint32_t byte = 0; byte <= text.length; ++byte) {
    loads.requests += kTimes;
    loads.sectors += uint64_t{kTimes} * global_sectors(addresses, mask, 1);
    for (uint64_t& address : addresses) ++address;
  }
}

// Each lane accesses a word of its own; the first active lane alone makes `alone` of the accesses.
InstructionCounters::Local local_words(uint32_t requests, uint32_t alone, Mask mask) {
  const uint64_t zeros[kWarpSize] = {};
  return {requests, uint64_t{requests - alone} * local_sectors(zeros, mask, 4) + alone};
}

}  // namespace

std::optional<PrintFormat> print_format(std::string_view format) {
  PrintFormat found{{}, static_cast<uint32_t>(format.size())};
  for (size_t at = 0; at < format.size();) {
    if (format[at] != '%') {
      ++at;
      continue;
    }
    const std::optional<Conversion> conversion = conversion_at(format, at);
    if (!conversion) return std::nullopt;
    found.arguments.insert(found.arguments.end(), conversion->arguments.begin(), conversion->arguments.end());
    at = conversion->end;
  }
  if (found.arguments.size() > kMostArguments) return std::nullopt;
  return found;
}

PrintCounters print_counters(const PrintFormat& format, const std::vector<PrintText>& texts, Mask mask) {
  PrintCounters counters;
  if (format.length == 0) {  // it returns at once, but saves registers first
    counters.loads = {1, global_sectors(texts[0].addresses, mask, 1)};
    counters.local_loads = local_words(35, 0, mask);
    counters.local_stores = local_words(37, 0, mask);
    return counters;
  }
  counters.loads = {2, 2};
  for (const PrintText& text : texts) add_text(counters.loads, text, mask);
  const auto count = static_cast<uint32_t>(format.arguments.size());
  const auto wide = static_cast<uint32_t>(std::ranges::count(format.arguments, PrintFormat::kWide));
  const auto strings = static_cast<uint32_t>(texts.size() - 1);
  // The record holds 8 bytes for each argument, and the texts, each with its 0.
  const uint32_t characters = std::accumulate(texts.begin(), texts.end(), 0u,
                                              [](uint32_t sum, const PrintText& text) { return sum + text.length; });
  const auto further_pieces = [](uint32_t bytes) {
    return bytes <= kFirstPiece ? 0 : 1 + (bytes - kFirstPiece - 1) / kPiece;
  };
  // A text of an argument takes a byte more than its 0. Whether each of several does was not measured.
  const uint32_t bytes = 8 * count + characters + 1 + strings;
  const uint32_t pieces = further_pieces(bytes + strings);
  counters.known = strings < 2 || pieces == further_pieces(bytes + 1);
  // A piece is stored byte by byte, but for its head and the arguments.
  const uint32_t stores = 222 - 7 * count + 249 * pieces;
  const uint64_t lanes = static_cast<uint64_t>(std::popcount(mask));
  counters.stores = {stores, stores * lanes};  // the record of each lane has sectors of its own
  counters.atomics = {5, 5};
  const uint32_t any = count > 0 ? 1 : 0;
  counters.local_loads =
      local_words(483 + 2 * kPiece * pieces + 4 * any - 5 * count + 3 * wide + 7 * strings - 2 * characters, 2, mask);
  const uint32_t second = 8 * count > kFirstPiece ? 1 : 0;  // the arguments reach the second piece
  counters.local_stores = local_words(60 + 6 * any + 6 * count + 2 * wide + 6 * strings + second, 2, mask);
  return counters;
}

}  // namespace lockstep
