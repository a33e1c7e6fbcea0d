// alu_float: f32 and f64 arithmetic → handlers.

#include "alu/alu_handlers.h"
#include "alu/arith_special.h"

namespace lockstep::LOCKSTEP_ISA {
namespace {

constexpr uint32_t kSingle = kRoundings | kFtz | kSat, kDouble = kRoundings;
constexpr uint32_t kMinMax = kFtz | kNaN | kXorsignAbs;

template <class T>
void define_ieee(AluTable& t, uint32_t allowed) {
  const char* type = suffix<T>();
  modal<add<T>>(t, "add", type, allowed);
  modal<sub<T>>(t, "sub", type, allowed);
  modal<mul<T>>(t, "mul", type, allowed);
  modal<fma<T>>(t, "fma", type, allowed);
  modal<fma<T>>(t, "mad", type, allowed);
  modal<div<T>>(t, "div", type, allowed & ~uint32_t{kSat});
  modal<rcp<T>>(t, "rcp", type, allowed & ~uint32_t{kSat});
  modal<sqrt<T>>(t, "sqrt", type, allowed & ~uint32_t{kSat});
  modal<neg<T>>(t, "neg", type, allowed & kFtz);
  modal<abs<T>>(t, "abs", type, allowed & kFtz);
  op<copysign<T>>(t, "copysign", type);
  op<testp<FloatClass::kFinite, T>>(t, "testp.finite", type);
  op<testp<FloatClass::kInfinite, T>>(t, "testp.infinite", type);
  op<testp<FloatClass::kNumber, T>>(t, "testp.number", type);
  op<testp<FloatClass::kNotANumber, T>>(t, "testp.notanumber", type);
  op<testp<FloatClass::kNormal, T>>(t, "testp.normal", type);
  op<testp<FloatClass::kSubnormal, T>>(t, "testp.subnormal", type);
}

void define_min_max(AluTable& t) {
  modal<min<float>>(t, "min", ".f32", kMinMax);
  modal<max<float>>(t, "max", ".f32", kMinMax);
  modal<min3<float>>(t, "min3", ".f32", kFtz | kNaN | kAbs);  // min with three sources
  modal<max3<float>>(t, "max3", ".f32", kFtz | kNaN | kAbs);
  modal<min<double>>(t, "min", ".f64", kNoModes);
  modal<max<double>>(t, "max", ".f64", kNoModes);
}

// Where the unit looks, and what it adds up there, for every lane. False if it does not interpolate for some lane.
template <class F>
[[gnu::always_inline]] inline bool interpolate(Source<float> x, uint32_t (&positions)[kWarpSize],
                                               double (&sums)[kWarpSize]) {
  uint32_t others = 0;
  for (int l = 0; l < kWarpSize; ++l) others |= static_cast<uint32_t>(!F::covers(x[l]));
  if (others != 0) return false;
  for (int l = 0; l < kWarpSize; ++l) positions[l] = F::position(x[l]);
  interpolate(F::kRows, positions, sums);
  return true;
}

// By vectors where the unit interpolates for every lane, else lane by lane. Both give the same results.
template <class F, bool ftz>
[[gnu::flatten]] void handle_special(std::byte* r, const AluOperands& i, Mask mask) {
  const Source<float> a(r, i.a);
  uint32_t positions[kWarpSize];
  double sums[kWarpSize];
  if (!interpolate<F>(a, positions, sums))
    return run_by_lane<float>(
        r, i.d, mask, [](float x) { return special<F>(x, FloatMode{.ftz = ftz}); }, a);
  const uint32_t* p = positions;
  const double* s = sums;
  run<float>(
      r, i.d, mask,
      [](float x, uint32_t position, double sum) __attribute__((always_inline)) { return F::result(x, position, sum); },
      a, p, s);
}
template <bool full, bool ftz>
[[gnu::flatten]] void handle_quotient(std::byte* r, const AluOperands& i, Mask mask) {
  const Source<float> a(r, i.a), b(r, i.b);
  uint32_t positions[kWarpSize], inverses[kWarpSize];
  double sums[kWarpSize];
  if (!interpolate<Rcp>(b, positions, sums))
    return run_by_lane<float>(
        r, i.d, mask, [](float x, float y) { return quotient<full>(x, y, FloatMode{.ftz = ftz}); }, a, b);
  for (int l = 0; l < kWarpSize; ++l) inverses[l] = bits_of(Rcp::result(b[l], positions[l], sums[l]));
  run<float>(
      r, i.d, mask, [](float x, float inverse) __attribute__((always_inline)) {
        constexpr FloatMode mode{.ftz = ftz};
        return product(input(x, mode), inverse, mode);
      },
      a, Source<float>(reinterpret_cast<std::byte*>(inverses), 0));
}

template <class F>
void special_function(AluTable& t, const char* opcode, uint32_t allowed) {
  t.add(opcode, ".f32", "",
        {.plain = handle_special<F, false>,
         .ftz = allowed & kFtz ? handle_special<F, true> : nullptr,
         .general = handle_general<special<F>>,
         .allowed = allowed,
         .signature = TypesOf<special<F>>::signature});
}
template <bool full>
void division(AluTable& t, const char* opcode) {
  t.add(opcode, ".f32", "",
        {.plain = handle_quotient<full, false>,
         .ftz = handle_quotient<full, true>,
         .general = handle_general<quotient<full>>,
         .allowed = kFtz,
         .signature = TypesOf<quotient<full>>::signature});
}

void define_approximate(AluTable& t) {
  division<false>(t, "div.approx");
  division<true>(t, "div.full");
  special_function<Rcp>(t, "rcp.approx", kFtz);
  special_function<Sqrt>(t, "sqrt.approx", kFtz);
  special_function<Rsqrt>(t, "rsqrt.approx", kFtz);
  special_function<Sin>(t, "sin.approx", kFtz);
  special_function<Cos>(t, "cos.approx", kFtz);
  special_function<Lg2>(t, "lg2.approx", kFtz);
  special_function<Ex2>(t, "ex2.approx", kFtz);
  special_function<Tanh>(t, "tanh.approx", kNoModes);
  op<rsqrt_f64>(t, "rsqrt.approx", ".f64");
  op<rcp_approx_f64>(t, "rcp.approx.ftz", ".f64");
  op<rsqrt_approx_f64>(t, "rsqrt.approx.ftz", ".f64");
}

}  // namespace

void define_float(AluTable& t) {
  define_ieee<float>(t, kSingle);
  define_ieee<double>(t, kDouble);
  define_min_max(t);
  define_approximate(t);
}

}  // namespace lockstep::LOCKSTEP_ISA
