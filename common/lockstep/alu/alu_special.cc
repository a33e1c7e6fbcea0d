// alu_special: the functions that PTX approximates → handlers. The card's unit (arith_special.h) interpolates for most
// arguments; for vectors of such arguments the handlers use vector instructions. Lanes with other arguments are
// computed one by one. Both give the same results.

#include "alu/alu_handlers.h"
#include "alu/arith_special.h"

namespace lockstep::LOCKSTEP_ISA {
namespace {

inline Floats vector_at(const uint32_t* values) {
  Floats x;
  __builtin_memcpy(&x, values, sizeof x);
  return x;
}
inline void put(Floats x, uint32_t* values) { __builtin_memcpy(values, &x, sizeof x); }

// d = the unit's results for all lanes. If it does not interpolate for some lane, this returns false and writes
// nothing. a and d are the same or do not overlap. The loops are unrolled so that constants are read once. The
// positions come first: each is a chain of many steps, and a processor works on the chains of several vectors at once.
template <class F>
[[gnu::always_inline]] inline bool interpolate(const uint32_t* a, uint32_t* d) {
  constexpr int kVectors = kWarpSize / kVectorLanes;
  Integers keys = F::key(vector_at(a));
#pragma GCC unroll 8
  for (int v = 1; v < kVectors; ++v) keys = greatest(keys, F::key(vector_at(a + v * kVectorLanes)));
  if (!interpolates<F>(keys)) return false;
  Words positions[kVectors];
#pragma GCC unroll 8
  for (int v = 0; v < kVectors; ++v) positions[v] = F::position(vector_at(a + v * kVectorLanes));
#pragma GCC unroll 8
  for (int v = 0; v < kVectors; ++v)
    put(interpolated<F>(vector_at(a + v * kVectorLanes), positions[v]), d + v * kVectorLanes);
  return true;
}
// The same for one vector after the other. Where the unit interpolates for a whole vector, all its lanes are written.
// Elsewhere alone(x) is the result of each lane in the mask. So d must not be the destination.
template <class F>
[[gnu::always_inline]] inline void interpolate(const uint32_t* a, uint32_t* d, Mask mask, float (*alone)(float)) {
  for (int first = 0; first < kWarpSize; first += kVectorLanes) {
    const Floats x = vector_at(a + first);
    if (interpolates<F>(F::key(x)))
      put(interpolated<F>(x, F::position(x)), d + first);
    else
      for (int l = first; l < first + kVectorLanes; ++l)
        if (mask >> l & 1) d[l] = bits_of(alone(float_of(a[l])));
  }
}

// The usual case needs no stack because this is a separate function.
template <class F, bool ftz>
[[gnu::noinline]] void special_of_some_lanes(std::byte* r, const AluOperands& i, Mask mask) {
  uint32_t results[kWarpSize] = {};
  interpolate<F>(lanes<uint32_t>(r, i.a), results, mask, [](float x) { return special<F>(x, FloatMode{.ftz = ftz}); });
  run<float>(
      r, i.d, mask, [](float x) { return x; }, Source<float>(reinterpret_cast<std::byte*>(results), 0));
}
template <class F, bool ftz>
[[gnu::flatten]] void handle_special(std::byte* r, const AluOperands& i, Mask mask) {
  if (mask != kFullMask || !interpolate<F>(lanes<uint32_t>(r, i.a), lanes<uint32_t>(r, i.d)))
    special_of_some_lanes<F, ftz>(r, i, mask);
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

template <bool full, bool ftz>
[[gnu::flatten]] void handle_quotient(std::byte* r, const AluOperands& i, Mask mask) {
  const Source<float> a(r, i.a), b(r, i.b);
  uint32_t divisors[kWarpSize], inverses[kWarpSize];
  // Lanes outside the mask divide by 1, so that they do not send the others to the slow loop.
  if (mask != kFullMask)
    for (int l = 0; l < kWarpSize; ++l) divisors[l] = mask & kLaneBits<Mask>.bit[l] ? b.values[l] : kOne;
  if (!interpolate<Rcp>(mask == kFullMask ? b.values : divisors, inverses))
    return run_by_lane<float>(
        r, i.d, mask, [](float x, float y) { return quotient<full>(x, y, FloatMode{.ftz = ftz}); }, a, b);
  run<float>(
      r, i.d, mask, [](float x, float inverse) __attribute__((always_inline)) {
        constexpr FloatMode mode{.ftz = ftz};
        return product(input(x, mode), inverse, mode);
      },
      a, Source<float>(reinterpret_cast<std::byte*>(inverses), 0));
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

// P: one half, or the two of a register.
template <class F, class T, class P>
[[gnu::flatten]] void handle_halves(std::byte* r, const AluOperands& i, Mask mask) {
  const Bits<P>* a = lanes<Bits<P>>(r, i.a);
  Bits<P> results[kWarpSize] = {};
  for (size_t shift = 0; shift < 8 * sizeof(P); shift += 16) {
    uint32_t x[kWarpSize], size[kWarpSize] = {};
    for (int l = 0; l < kWarpSize; ++l) x[l] = bits_of(to_float(T{static_cast<uint16_t>(a[l] >> shift)}));
    interpolate<F>(x, size, mask, unit<F>);
    for (int l = 0; l < kWarpSize; ++l)
      if (mask >> l & 1) results[l] = static_cast<Bits<P>>(results[l] | half_of<T>(float_of(size[l])).bits << shift);
  }
  Bits<P>* d = lanes<Bits<P>>(r, i.d);
  for (int l = 0; l < kWarpSize; ++l)
    if (mask >> l & 1) d[l] = results[l];
}
template <class F, class T, class P, auto f>
void halves(AluTable& t, const char* opcode, uint32_t allowed) {
  t.add(opcode, suffix<P>(), "",
        {.plain = handle_halves<F, T, P>,
         .ftz = allowed & kFtz ? handle_halves<F, T, P> : nullptr,
         .general = handle_general<f>,
         .allowed = allowed,
         .signature = TypesOf<f>::signature});
}
template <class T>
void define_halves_of(AluTable& t) {
  halves<Ex2, T, T, ex2_half<T>>(t, "ex2.approx", kFtz);
  halves<Ex2, T, Pair<T>, both<T, ex2_half<T>>>(t, "ex2.approx", kFtz);
  halves<Tanh, T, T, tanh_half<T>>(t, "tanh.approx", kNoModes);
  halves<Tanh, T, Pair<T>, both<T, tanh_half<T>>>(t, "tanh.approx", kNoModes);
}

}  // namespace

void define_special(AluTable& t) {
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
  define_halves_of<Half>(t);
  define_halves_of<Bfloat>(t);
  op<rsqrt_f64>(t, "rsqrt.approx", ".f64");
  op<rcp_approx_f64>(t, "rcp.approx.ftz", ".f64");
  op<rsqrt_approx_f64>(t, "rsqrt.approx.ftz", ".f64");
}

}  // namespace lockstep::LOCKSTEP_ISA
