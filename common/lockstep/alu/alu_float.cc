// alu_float: f32 and f64 arithmetic → handlers.

#include "alu/alu_handlers.h"
#include "alu/arith_special.h"
#include "alu/interpolation.h"

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

// A vector loop if the function covers the argument of every lane, else lane by lane. Both give the same results.
template <class F, bool ftz>
[[gnu::flatten]] void handle_special(std::byte* r, const AluOperands& i, Mask mask) {
  constexpr FloatMode mode{.ftz = ftz};
  const Source<float> a(r, i.a);
  uint32_t rare = 0;
  for (int l = 0; l < kWarpSize; ++l) rare |= F::covers(a[l]) ? 0u : 1u;
  if (rare == 0) {
    run<float>(
        r, i.d, mask, [](float x) __attribute__((always_inline)) { return F::covered(x); }, a);
  } else {
    run_by_lane<float>(
        r, i.d, mask, [](float x) { return special<F>(x, mode); }, a);
  }
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

void define_approximate(AluTable& t) {
  modal<div_approx>(t, "div.approx", ".f32", kFtz);
  modal<div<float>>(t, "div.full", ".f32", kFtz);
  modal<rcp<float>>(t, "rcp.approx", ".f32", kFtz);
  modal<sqrt<float>>(t, "sqrt.approx", ".f32", kFtz);
  modal<rsqrt>(t, "rsqrt.approx", ".f64", kNoModes);
  op<rcp_approx_f64>(t, "rcp.approx.ftz", ".f64");
  op<rsqrt_approx_f64>(t, "rsqrt.approx.ftz", ".f64");
  special_function<Rsqrt>(t, "rsqrt.approx", kFtz);
  special_function<Sin>(t, "sin.approx", kFtz);
  special_function<Cos>(t, "cos.approx", kFtz);
  special_function<Lg2>(t, "lg2.approx", kFtz);
  special_function<Ex2>(t, "ex2.approx", kFtz);
  special_function<Tanh>(t, "tanh.approx", kNoModes);
}

}  // namespace

void define_float(AluTable& t) {
  define_ieee<float>(t, kSingle);
  define_ieee<double>(t, kDouble);
  define_min_max(t);
  define_approximate(t);
}

}  // namespace lockstep::LOCKSTEP_ISA
