// decode_contraction: an addition that ptxas joins with a product → a fused multiply-add. The product is still
// computed, and the addition keeps its name: both are counted as they stand in the PTX.
#include <array>
#include <string>

#include "program/function_decoder.h"
#include "program/opcodes.h"

namespace lockstep {
namespace {

AluChoice choose(const Statement& s, std::string name, Width width) {
  Statement other;
  other.set_name(std::move(name));
  other.operands.resize(s.operands.size() + 1);
  return *select_alu(other, {width, width, width, width});
}

const std::string& type_name(const Statement& s) { return s.modifiers().back(); }

}  // namespace

// Copies the factors, whose registers get other values before the addition.
void FunctionDecoder::keep_factors(uint32_t product) {
  const Statement& s = function_.body[product];
  const Type type = type_from_name(type_name(s));
  const Width width = width_of(type);
  const AluHandler copy = choose(s, "mov.b" + std::to_string(8 * type_bytes(type)), width).handler;
  std::array<uint32_t, 2>& kept = kept_factors_[product];
  for (const size_t i : {0, 1}) {
    const uint32_t from = source(s, s.operands[1 + i], width, type);
    kept[i] = registers_.allocate(width);
    emit_alu(s, copy, {.d = kept[i], .a = from}).uncounted = true;
  }
}

void FunctionDecoder::decode_contracted(const Statement& s, const Contraction& contraction) {
  const Statement& product = function_.body[contraction.product];
  const Type type = type_from_name(type_name(s));
  const Width width = width_of(type);
  std::string name = "fma.rn";
  for (const std::string& modifier : s.modifiers()) name += "." + modifier;
  const AluChoice fma = choose(s, name, width);
  const auto negated = [&](uint32_t from) {
    const uint32_t to = registers_.allocate(width);
    emit_alu(s, choose(s, "neg." + type_name(s), width).handler, {.d = to, .a = from}).uncounted = true;
    return to;
  };
  const auto kept = kept_factors_.find(contraction.product);
  const auto factor = [&](size_t i) {
    return kept != kept_factors_.end() ? kept->second[i] : source(product, product.operands[1 + i], width, type);
  };
  uint32_t a = factor(0), c = source(s, s.operands[contraction.operand == 1 ? 2 : 1], width, type);
  const uint32_t b = factor(1);
  if (contraction.negates_product) a = negated(a);
  if (contraction.negates_other) c = negated(c);
  uint32_t d = destination(s, 0, width);
  if (d == 0) d = registers_.allocate(width);  // "_": the result is discarded
  emit_alu(s, fma.handler, {.d = d, .a = a, .b = b, .c = c, .modes = fma.modes});
}

}  // namespace lockstep
