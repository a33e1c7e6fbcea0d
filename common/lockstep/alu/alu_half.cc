// alu_half: f16, bf16 and packed arithmetic → handlers.

#include "alu/alu_handlers.h"
#include "alu/arith_float.h"

namespace lockstep::LOCKSTEP_ISA {
namespace {

constexpr uint32_t kHalfModes = kNearest | kFtz | kSat | kRelu, kBfloatModes = kNearest | kRelu;
constexpr uint32_t kMinMax = kNaN | kXorsignAbs;

template <class T>
void define_scalar(AluTable& t, uint32_t allowed) {
  const char* type = kSuffix<T>;
  modal<add_half<T>>(t, "add", type, allowed & ~uint32_t{kRelu});
  modal<sub_half<T>>(t, "sub", type, allowed & ~uint32_t{kRelu});
  modal<mul_half<T>>(t, "mul", type, allowed & ~uint32_t{kRelu});
  modal<fma_half<T>>(t, "fma", type, allowed);
  modal<neg_half<T>>(t, "neg", type, allowed & kFtz);
  modal<abs_half<T>>(t, "abs", type, allowed & kFtz);
  modal<min_half<T>>(t, "min", type, kMinMax | (allowed & kFtz));
  modal<max_half<T>>(t, "max", type, kMinMax | (allowed & kFtz));
  modal_by_lane<ex2_half<T>>(t, "ex2.approx", type, kFtz);
  modal_by_lane<tanh_half<T>>(t, "tanh.approx", type, kNoModes);
}

template <class T>
void define_packed(AluTable& t, uint32_t allowed) {
  const char* type = kSuffix<Pair<T>>;
  modal<both<T, add_half<T>>>(t, "add", type, allowed & ~uint32_t{kRelu});
  modal<both<T, sub_half<T>>>(t, "sub", type, allowed & ~uint32_t{kRelu});
  modal<both<T, mul_half<T>>>(t, "mul", type, allowed & ~uint32_t{kRelu});
  modal<both<T, fma_half<T>>>(t, "fma", type, allowed);
  modal<both<T, neg_half<T>>>(t, "neg", type, allowed & kFtz);
  modal<both<T, abs_half<T>>>(t, "abs", type, allowed & kFtz);
  modal<both<T, min_half<T>>>(t, "min", type, kMinMax | (allowed & kFtz));
  modal<both<T, max_half<T>>>(t, "max", type, kMinMax | (allowed & kFtz));
  modal_by_lane<both<T, ex2_half<T>>>(t, "ex2.approx", type, kFtz);
  modal_by_lane<both<T, tanh_half<T>>>(t, "tanh.approx", type, kNoModes);
}

}  // namespace

void define_half(AluTable& t) {
  define_scalar<Half>(t, kHalfModes);
  define_scalar<Bfloat>(t, kBfloatModes);
  define_packed<Half>(t, kHalfModes);
  define_packed<Bfloat>(t, kBfloatModes);
}

}  // namespace lockstep::LOCKSTEP_ISA
