// alu_float: f32 and f64 arithmetic → handlers.

#include "alu/alu_handlers.h"
#include "alu/arith_float.h"

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

}  // namespace

void define_float(AluTable& t) {
  define_ieee<float>(t, kSingle);
  define_ieee<double>(t, kDouble);
  define_min_max(t);
}

}  // namespace lockstep::LOCKSTEP_ISA
