// alu_half: f16, bf16 and packed arithmetic → handlers.

#include "alu/alu_handlers.h"
#include "alu/arith_float.h"

namespace lockstep::LOCKSTEP_ISA {
namespace {

constexpr uint32_t kHalfModes = kNearest | kFtz | kSat | kRelu, kBfloatModes = kNearest | kRelu;
constexpr uint32_t kHalfMinMax = kNaN | kXorsignAbs;

// The instruction on one number, and on both halves of a register.
template <class T, auto f>
void half(AluTable& t, const char* opcode, uint32_t allowed) {
  modal<f>(t, opcode, suffix<T>(), allowed);
  modal<both<T, f>>(t, opcode, suffix<Pair<T>>(), allowed);
}

template <class T>
void define_halves(AluTable& t, uint32_t allowed) {
  half<T, add_half<T>>(t, "add", allowed & ~uint32_t{kRelu});
  half<T, sub_half<T>>(t, "sub", allowed & ~uint32_t{kRelu});
  half<T, mul_half<T>>(t, "mul", allowed & ~uint32_t{kRelu});
  half<T, fma_half<T>>(t, "fma", allowed);
  half<T, neg_half<T>>(t, "neg", allowed & kFtz);
  half<T, abs_half<T>>(t, "abs", allowed & kFtz);
  half<T, min_half<T>>(t, "min", kHalfMinMax | (allowed & kFtz));
  half<T, max_half<T>>(t, "max", kHalfMinMax | (allowed & kFtz));
}

}  // namespace

void define_half(AluTable& t) {
  define_halves<Half>(t, kHalfModes);
  define_halves<Bfloat>(t, kBfloatModes);
}

}  // namespace lockstep::LOCKSTEP_ISA
