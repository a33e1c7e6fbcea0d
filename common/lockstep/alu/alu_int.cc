// alu_int: integer, logic, bit-field and selection instructions → handlers.

#include "alu/alu_handlers.h"
#include "alu/arith_int.h"

namespace lockstep::LOCKSTEP_ISA {
namespace {

// --- carries: a predicate at kCarry -------------------------------------------------------------------------------

// Whether an instruction writes the carry, reads it, or both.
enum class Carry { kOut, kIn, kInOut };

// f(a, b[, c], carry in) → value and carry out.
template <class T>
Carried<T> mad_lo_carry(T a, T b, T c, bool carry) {
  return add_carry(mul_lo(a, b), c, carry);
}
template <class T>
Carried<Unsigned<T>> mad_hi_carry(T a, T b, T c, bool carry) {
  return add_carry(static_cast<Unsigned<T>>(mul_hi(a, b)), static_cast<Unsigned<T>>(c), carry);
}

template <auto f, Carry use, class D, class... T>
void run_carry(std::byte* r, const AluOperands& i, Mask mask, Types<D, T...>) {
  const uint32_t offsets[] = {i.a, i.b, i.c};
  const Mask carry_in = use != Carry::kOut ? *lanes<Mask>(r, kCarry) : 0;
  Mask carry_out = 0;
  for (Mask rest = mask; rest != 0; rest &= rest - 1) {
    const int l = __builtin_ctz(rest);
    const auto result = [&]<size_t... n>(std::index_sequence<n...>) {
      return f(lanes<T>(r, offsets[n])[l]..., (carry_in >> l & 1) != 0);
    }
    (std::index_sequence_for<T...>{});
    lanes<D>(r, i.d)[l] = result.value;
    carry_out |= Mask{result.carry} << l;
  }
  if (use != Carry::kIn) write_predicate(r, kCarry, carry_out, mask);
}
template <class D, class A>
Types<D, A, A> carry_types(Carried<D> (*)(A, A, bool));
template <class D, class A>
Types<D, A, A, A> carry_types(Carried<D> (*)(A, A, A, bool));

template <auto f, Carry use>
void handle_carry(std::byte* r, const AluOperands& i, Mask mask) {
  run_carry<f, use>(r, i, mask, decltype(carry_types(f)){});
}
template <auto f, Carry use>
void carry_op(AluTable& t, const char* opcode, const char* cc, const char* type) {
  t.add(opcode, cc, type, {.plain = handle_carry<f, use>, .signature = decltype(carry_types(f))::signature});
}

// The first instruction of a chain, and those that follow it.
template <auto first, auto next>
void carry_ops(AluTable& t, const char* first_opcode, const char* next_opcode, const char* type) {
  carry_op<first, Carry::kOut>(t, first_opcode, ".cc", type);
  carry_op<next, Carry::kIn>(t, next_opcode, "", type);
  carry_op<next, Carry::kInOut>(t, next_opcode, ".cc", type);
}

// T is .u32 .s32 .u64 .s64. The sign matters only for the high half of a product.
template <class T>
void define_carries(AluTable& t) {
  using U = Unsigned<T>;
  const char* type = suffix<T>();
  carry_ops<add_carry<U>, add_carry<U>>(t, "add", "addc", type);
  carry_ops<sub_first<U>, sub_carry<U>>(t, "sub", "subc", type);
  carry_ops<mad_lo_carry<U>, mad_lo_carry<U>>(t, "mad.lo", "madc.lo", type);
  carry_ops<mad_hi_carry<T>, mad_hi_carry<T>>(t, "mad.hi", "madc.hi", type);
}

// --- instructions of one kind of types each -----------------------------------------------------------------------

// Values are moved and selected as their bits.
template <class T>
void define_moves(AluTable& t, const char* type) {
  op<move<T>>(t, "mov", type);
  op<selp<T>>(t, "selp", type);
  op<slct<T, int32_t>>(t, "slct", type, ".s32");
  op<slct<T, float>>(t, "slct", type, ".f32");
  op<slct_ftz<T>>(t, "slct.ftz", type, ".f32");
}

// All widths and signs. If the sign does not matter, the unsigned function is used for both.
template <class T>
void define_arithmetic(AluTable& t) {
  using U = Unsigned<T>;
  const char* type = suffix<T>();
  op<add<U>>(t, "add", type);
  op<sub<U>>(t, "sub", type);
  op<mul_lo<U>>(t, "mul.lo", type);
  op<mul_hi<T>>(t, "mul.hi", type);
  op<mad_lo<U>>(t, "mad.lo", type);
  op<mad_hi<T>>(t, "mad.hi", type);
  op<div<T>, Loop::kByLane>(t, "div", type);
  op<rem<T>, Loop::kByLane>(t, "rem", type);
  op<min<T>>(t, "min", type);
  op<max<T>>(t, "max", type);
  op<sad<T>>(t, "sad", type);
  op<shr<T>>(t, "shr", type);
  define_moves<U>(t, type);
}

template <class T>
void define_signed(AluTable& t) {
  op<neg<T>>(t, "neg", suffix<T>());
  op<abs<T>>(t, "abs", suffix<T>());
}

// 16 and 32 bits have a product of twice the width.
template <class T>
void define_wide(AluTable& t) {
  op<mul_wide<T>>(t, "mul.wide", suffix<T>());
  op<mad_wide<T>>(t, "mad.wide", suffix<T>());
}

template <class T>
void define_24bit(AluTable& t) {
  op<mul24_lo<T>>(t, "mul24.lo", suffix<T>());
  op<mul24_hi<T>>(t, "mul24.hi", suffix<T>());
  op<mad24_lo<T>>(t, "mad24.lo", suffix<T>());
  op<mad24_hi<T>>(t, "mad24.hi", suffix<T>());
}

// .b16 .b32 .b64
template <class T>
void define_bits(AluTable& t, const char* type) {
  op<bit_and<T>>(t, "and", type);
  op<bit_or<T>>(t, "or", type);
  op<bit_xor<T>>(t, "xor", type);
  op<bit_not<T>>(t, "not", type);
  op<cnot<T>>(t, "cnot", type);
  op<shl<T>>(t, "shl", type);
  op<shr<T>>(t, "shr", type);
  define_moves<T>(t, type);
}

// .b32 .b64
template <class T>
void define_counts(AluTable& t, const char* type) {
  op<popc<T>>(t, "popc", type);
  op<clz<T>>(t, "clz", type);
  op<brev<T>>(t, "brev", type);
  op<bfi<T>>(t, "bfi", type);
}

// .u32 .s32 .u64 .s64
template <class T>
void define_fields(AluTable& t) {
  op<bfe<T>>(t, "bfe", suffix<T>());
  op<bfind<T>>(t, "bfind", suffix<T>());
  op<bfind_shiftamt<T>>(t, "bfind.shiftamt", suffix<T>());
}

template <class T>
void define_32bit(AluTable& t) {
  op<szext_clamp<T>>(t, "szext.clamp", suffix<T>());
  op<szext_wrap<T>>(t, "szext.wrap", suffix<T>());
  op<dp4a<T, uint32_t>>(t, "dp4a", suffix<T>(), ".u32");
  op<dp4a<T, int32_t>>(t, "dp4a", suffix<T>(), ".s32");
  op<dp2a_lo<T, uint32_t>>(t, "dp2a.lo", suffix<T>(), ".u32");
  op<dp2a_lo<T, int32_t>>(t, "dp2a.lo", suffix<T>(), ".s32");
  op<dp2a_hi<T, uint32_t>>(t, "dp2a.hi", suffix<T>(), ".u32");
  op<dp2a_hi<T, int32_t>>(t, "dp2a.hi", suffix<T>(), ".s32");
}

void define_saturating(AluTable& t) {
  op<add_sat>(t, "add.sat", ".s32");
  op<sub_sat>(t, "sub.sat", ".s32");
  op<mad_hi_sat>(t, "mad.hi.sat", ".s32");
  op<mad24_hi_sat>(t, "mad24.hi.sat", ".s32");
}

// Two 16-bit numbers in a register; relu also on one s32.
void define_pairs(AluTable& t) {
  op<pairwise<uint16_t, add<uint16_t>>>(t, "add", ".u16x2");
  op<pairwise<uint16_t, add<uint16_t>>>(t, "add", ".s16x2");
  op<pairwise<uint16_t, min<uint16_t>>>(t, "min", ".u16x2");
  op<pairwise<uint16_t, max<uint16_t>>>(t, "max", ".u16x2");
  op<pairwise<int16_t, min<int16_t>>>(t, "min", ".s16x2");
  op<pairwise<int16_t, max<int16_t>>>(t, "max", ".s16x2");
  op<pairwise<int16_t, min_relu<int16_t>>>(t, "min.relu", ".s16x2");
  op<pairwise<int16_t, max_relu<int16_t>>>(t, "max.relu", ".s16x2");
  op<min_relu<int32_t>>(t, "min.relu", ".s32");
  op<max_relu<int32_t>>(t, "max.relu", ".s32");
  // CUDA's headers write the type first.
  op<pairwise<int16_t, min_relu<int16_t>>>(t, "min", ".s16x2", ".relu");
  op<pairwise<int16_t, max_relu<int16_t>>>(t, "max", ".s16x2", ".relu");
  op<min_relu<int32_t>>(t, "min", ".s32", ".relu");
  op<max_relu<int32_t>>(t, "max", ".s32", ".relu");
}

// The video instructions that the compiler still uses.
void define_video(AluTable& t) {
  op<vabsdiff<uint16_t>>(t, "vabsdiff2", ".u32.u32.u32");
  op<vabsdiff<uint8_t>>(t, "vabsdiff4", ".u32.u32.u32");
  op<vabsdiff_add<uint16_t>>(t, "vabsdiff2", ".u32.u32.u32", ".add");
  op<vabsdiff_add<uint8_t>>(t, "vabsdiff4", ".u32.u32.u32", ".add");
}

void define_shuffles(AluTable& t) {  // of bits within a lane
  op<shf_l_wrap>(t, "shf.l.wrap", ".b32");
  op<shf_r_wrap>(t, "shf.r.wrap", ".b32");
  op<shf_l_clamp>(t, "shf.l.clamp", ".b32");
  op<shf_r_clamp>(t, "shf.r.clamp", ".b32");
  op<bmsk_clamp>(t, "bmsk.clamp", ".b32");
  op<bmsk_wrap>(t, "bmsk.wrap", ".b32");
  op<fns, Loop::kByLane>(t, "fns", ".b32");
  op<prmt<Prmt::kGeneric>>(t, "prmt", ".b32");
  op<prmt<Prmt::kForward4>>(t, "prmt", ".b32", ".f4e");
  op<prmt<Prmt::kBackward4>>(t, "prmt", ".b32", ".b4e");
  op<prmt<Prmt::kReplicate8>>(t, "prmt", ".b32", ".rc8");
  op<prmt<Prmt::kEdgeLeft>>(t, "prmt", ".b32", ".ecl");
  op<prmt<Prmt::kEdgeRight>>(t, "prmt", ".b32", ".ecr");
  op<prmt<Prmt::kReplicate16>>(t, "prmt", ".b32", ".rc16");
}

// --- lop3: modes holds the table, for all lanes ------------------------------------------------------------------

void handle_lop3(std::byte* r, const AluOperands& i, Mask mask) {
  const uint32_t table = i.modes;
  apply<Loop::kVector>(
      r, i, mask, [table](uint32_t a, uint32_t b, uint32_t c) { return lop3(a, b, c, table); },
      Types<uint32_t, uint32_t, uint32_t, uint32_t>{});
}

// lop3.and/or d|p, a, b, c, table, q: p = (d != 0) and/or q. Combination above the table's 8 bits.
void handle_lop3_predicate(std::byte* r, const AluOperands& i, Mask mask) {
  const auto* a = lanes<uint32_t>(r, i.a);
  const auto* b = lanes<uint32_t>(r, i.b);
  const auto* c = lanes<uint32_t>(r, i.c);
  Mask not_zero = 0;
  for (Mask rest = mask; rest != 0; rest &= rest - 1) {
    const int l = __builtin_ctz(rest);
    const uint32_t value = lop3(a[l], b[l], c[l], i.modes & 0xff);
    not_zero |= Mask{value != 0} << l;
    if (i.d != 0) lanes<uint32_t>(r, i.d)[l] = value;
  }
  const Mask q = *lanes<Mask>(r, i.e);
  write_predicate(r, i.d2, i.modes >> 8 != 0 ? not_zero | q : not_zero & q, mask);
}

// --- predicates: all lanes in one word ----------------------------------------------------------------------------

template <uint32_t (*f)(uint32_t, uint32_t)>
void handle_predicates(std::byte* r, const AluOperands& i, Mask mask) {
  write_predicate(r, i.d, f(*lanes<Mask>(r, i.a), *lanes<Mask>(r, i.b)), mask);
}
template <uint32_t (*f)(uint32_t)>
void handle_predicate(std::byte* r, const AluOperands& i, Mask mask) {
  write_predicate(r, i.d, f(*lanes<Mask>(r, i.a)), mask);
}

void define_predicates(AluTable& t) {
  constexpr Signature kOne{Type::kPred, {Type::kPred}}, kTwo{Type::kPred, {Type::kPred, Type::kPred}};
  t.add("and", ".pred", "", {.plain = handle_predicates<bit_and<uint32_t>>, .signature = kTwo});
  t.add("or", ".pred", "", {.plain = handle_predicates<bit_or<uint32_t>>, .signature = kTwo});
  t.add("xor", ".pred", "", {.plain = handle_predicates<bit_xor<uint32_t>>, .signature = kTwo});
  t.add("not", ".pred", "", {.plain = handle_predicate<bit_not<uint32_t>>, .signature = kOne});
  t.add("mov", ".pred", "", {.plain = handle_predicate<move<uint32_t>>, .signature = kOne});
}

void define_lop3(AluTable& t) {
  constexpr Type k32 = Type::kB32;
  t.add("lop3", ".b32", "", {.plain = handle_lop3, .signature = {k32, {k32, k32, k32}}});
  constexpr Signature kPredicated{k32, {k32, k32, k32, Type::kPred}};
  t.add("lop3.and", ".b32", "", {.plain = handle_lop3_predicate, .signature = kPredicated});
  t.add("lop3.or", ".b32", "", {.plain = handle_lop3_predicate, .signature = kPredicated});
}

}  // namespace

void define_integer(AluTable& t) {
  define_arithmetic<uint16_t>(t), define_arithmetic<int16_t>(t);
  define_arithmetic<uint32_t>(t), define_arithmetic<int32_t>(t);
  define_arithmetic<uint64_t>(t), define_arithmetic<int64_t>(t);
  define_signed<int16_t>(t), define_signed<int32_t>(t), define_signed<int64_t>(t);
  define_wide<uint16_t>(t), define_wide<int16_t>(t), define_wide<uint32_t>(t), define_wide<int32_t>(t);
  define_24bit<uint32_t>(t), define_24bit<int32_t>(t);
  define_bits<uint16_t>(t, ".b16"), define_bits<uint32_t>(t, ".b32"), define_bits<uint64_t>(t, ".b64");
  define_moves<float>(t, ".f32"), define_moves<double>(t, ".f64");
  define_counts<uint32_t>(t, ".b32"), define_counts<uint64_t>(t, ".b64");
  define_fields<uint32_t>(t), define_fields<int32_t>(t), define_fields<uint64_t>(t), define_fields<int64_t>(t);
  define_32bit<uint32_t>(t), define_32bit<int32_t>(t);
  define_carries<uint32_t>(t), define_carries<int32_t>(t), define_carries<uint64_t>(t), define_carries<int64_t>(t);
  define_saturating(t);
  define_pairs(t);
  define_video(t);
  define_shuffles(t);
  define_lop3(t);
  define_predicates(t);
}

}  // namespace lockstep::LOCKSTEP_ISA
