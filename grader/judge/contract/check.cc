// check: the input and the answer of one call → the first element that is wrong, or nothing.
#include "grader/judge/contract/contract.h"

#include <bit>
#include <cmath>
#include <vector>

#include "grader/judge/base/text.h"
#include "grader/judge/contract/oracle.h"

namespace warpladder {
namespace {

constexpr int kFloatDigits = 9;  // enough to tell any two floats apart
constexpr uint32_t kPoisonWord = 0xFFFFFFFFu;

std::string shown(float got) {
  return std::bit_cast<uint32_t>(got) == kPoisonWord ? "nothing (never written)" : number(got, kFloatDigits);
}
std::string shown(uint32_t got) { return got == kPoisonWord ? "nothing (never written)" : std::to_string(got); }

// describe(i) is asked for the first element for which is_right(i) is false. The others are only counted.
template <class IsRight, class Describe>
std::optional<Mismatch> first_wrong(size_t n, IsRight is_right, Describe describe) {
  std::optional<Mismatch> first;
  for (size_t i = 0; i < n; ++i) {
    if (is_right(i)) continue;
    if (first) {
      ++first->wrong;
    } else {
      first = describe(i);
      first->of = n;
    }
  }
  return first;
}

bool is_float(double value) { return static_cast<double>(static_cast<float>(value)) == value; }

// The milliseconds decide nothing. But a kernel takes some time, and the time must be a number.
std::optional<Mismatch> check_time(float ms, bool launched) {
  if (std::isfinite(ms) && (launched ? ms > 0 : ms == 0)) return std::nullopt;
  return Mismatch{"the returned milliseconds", number(ms, kFloatDigits), launched ? "a number above 0" : "0", ""};
}

}  // namespace

std::optional<Mismatch> check_saxpy(std::string_view, View in_bytes, const Answer& answer) {
  const auto in = as<float>(in_bytes);
  const std::vector<double> want = saxpy_oracle(in, kSaxpyA);
  double magnitude = 0;  // the magnitude of element i; `exact` is about element i, too
  bool exact = false;
  const auto is_right = [&](size_t i) {
    const double product = static_cast<double>(kSaxpyA) * static_cast<double>(in[i]);
    magnitude = std::fabs(product) + std::fabs(static_cast<double>(in[want.size() + i]));
    exact = is_float(product) && is_float(want[i]);
    return within(element<float>(answer.out, i), want[i], exact ? 0 : rounding_bound(2, magnitude));
  };
  const auto describe = [&](size_t i) {
    return Mismatch{
        "out[" + std::to_string(i) + "]", shown(element<float>(answer.out, i)), number(want[i], kFloatDigits),
        exact ? "0: on this input both operations are exact"
              : number(rounding_bound(2, magnitude), kFloatDigits) +
                    ": a product and a sum, each rounded to 2^-24 of at most " + number(magnitude, kFloatDigits)};
  };
  auto wrong = first_wrong(want.size(), is_right, describe);
  return wrong ? wrong : check_time(std::bit_cast<float>(static_cast<int32_t>(answer.value)), !want.empty());
}

std::optional<Mismatch> check_scan(std::string_view entry, View in_bytes, const Answer& answer) {
  const auto in = as<float>(in_bytes);
  const std::vector<double> want = scan_oracle(in, is_inclusive(entry));
  const bool exact = sums_exactly(in);
  double magnitude = 0;  // of all elements up to i
  const auto is_right = [&](size_t i) {
    magnitude += std::fabs(static_cast<double>(in[i]));
    return within(element<float>(answer.out, i), want[i], exact ? 0 : rounding_bound(i, magnitude));
  };
  const auto describe = [&](size_t i) {
    return Mismatch{"out[" + std::to_string(i) + "]", shown(element<float>(answer.out, i)),
                    number(want[i], kFloatDigits),
                    exact ? "0: on this input float addition is exact in every order"
                          : number(rounding_bound(i, magnitude), kFloatDigits) + ": at most " + std::to_string(i) +
                                " additions, each rounded to 2^-24 of " + number(magnitude, kFloatDigits)};
  };
  return first_wrong(want.size(), is_right, describe);
}

std::optional<Mismatch> check_reduction(std::string_view, View in, const Answer& answer) {
  const int32_t want = sum_oracle(as<int32_t>(in));
  if (answer.value == want) return std::nullopt;
  return Mismatch{"the returned sum", std::to_string(answer.value), std::to_string(want), ""};
}

std::optional<Mismatch> check_histogram(std::string_view, View in, const Answer& answer) {
  const Counts want = histogram_oracle(in);
  const auto got = [&](size_t bin) { return element<uint32_t>(answer.out, bin); };
  return first_wrong(
      kBins, [&](size_t bin) { return got(bin) == want[bin]; },
      [&](size_t bin) {
        return Mismatch{"bins[" + std::to_string(bin) + "]", shown(got(bin)), std::to_string(want[bin]), ""};
      });
}

}  // namespace warpladder
