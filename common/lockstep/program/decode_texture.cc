// decode_texture: tex, tld4, txq, suq, suld and sust → TextureUse. Textures and surfaces are named by 64-bit handles.
// Left out: the references of CUDA 11, separate samplers, formatted accesses to surfaces.
#include <map>
#include <set>
#include <utility>

#include "base/words.h"
#include "program/function_decoder.h"
#include "program/opcodes.h"
#include "ptx/lexer.h"

namespace lockstep {
namespace {

using Names = std::set<std::string>;

struct GeometryFacts {
  TextureGeometry geometry = TextureGeometry::k2D;
  bool layered = false;
  uint32_t coordinates = 0;  // without the layer
};
const std::map<std::string, GeometryFacts>& geometries() {
  static const std::map<std::string, GeometryFacts> facts = {
      {"1d", {TextureGeometry::k1D, false, 1}},           {"2d", {TextureGeometry::k2D, false, 2}},
      {"3d", {TextureGeometry::k3D, false, 3}},           {"a1d", {TextureGeometry::kLayered1D, true, 1}},
      {"a2d", {TextureGeometry::kLayered2D, true, 2}},    {"cube", {TextureGeometry::kCube, false, 3}},
      {"acube", {TextureGeometry::kLayeredCube, true, 3}}};
  return facts;
}

void accept_only(const Statement& s, const Names& accepted) {
  for (const std::string& m : s.modifiers())
    if (!accepted.contains(m) && !geometries().contains(m)) throw unsupported_modifier(m);
}

GeometryFacts geometry_of(const Statement& s, const Names& accepted) {
  for (const std::string& m : s.modifiers())
    if (const auto found = geometries().find(m); found != geometries().end() && accepted.contains(m))
      return found->second;
  throw Unsupported(words("this geometry is not supported"));
}

// The operand [handle, {coordinates}].
void set_place(FunctionDecoder& f, const Statement& s, const Operand& place, const GeometryFacts& facts,
               TextureUse& use) {
  if (place.kind != Operand::kAddress) throw PtxError(s.location.ptx_line, words("a texture or surface is expected"));
  const Operand& handle = place.elements[0];
  if (handle.kind == Operand::kSymbol)
    throw Unsupported(words("texture and surface references are not supported"),
                      words("use a texture or surface object: cudaCreateTextureObject, cudaCreateSurfaceObject."));
  use.handle = f.source(s, handle, Width::k64);
  use.geometry = facts.geometry;
  if (place.elements.size() > 2) throw Unsupported(words("separate samplers are not supported"));
  if (place.elements.size() < 2) return;  // a query
  const Operand& last = place.elements[1];
  const std::vector<Operand> single{last};
  const std::vector<Operand>& list = last.kind == Operand::kVector ? last.elements : single;
  const Type type = use.whole_coordinates ? Type::kS32 : Type::kF32;
  if (facts.layered) use.layer = f.source(s, list.at(0), Width::k32, Type::kU32);
  for (uint32_t i = 0; i < facts.coordinates; ++i)
    use.coordinates[i] = f.source(s, list.at(i + facts.layered), Width::k32, type);
}

// The registers that a fetch or load fills, or that a store reads. All have the access's width.
void set_data(FunctionDecoder& f, const Statement& s, const Operand& data, MemoryAccess& access) {
  const std::vector<Operand> scalar{data};
  const auto& list = data.kind == Operand::kVector ? data.elements : scalar;
  if (list.size() > std::size(access.registers)) throw PtxError(s.location.ptx_line, words("the vector is too long"));
  access.count = static_cast<uint8_t>(list.size());
  for (size_t i = 0; i < list.size(); ++i) {
    if (access.op == MemoryOp::kStore)
      access.registers[i] = f.source(s, list[i], access.register_width, access.type);
    else if (f.is_read(list[i].name))  // a fetch gives four channels, and most programs use one
      access.registers[i] = f.destination(s, list[i], access.register_width);
  }
}

void emit_texture(FunctionDecoder& f, const Statement& s, TextureUse use, MemoryAccess access) {
  access.space = Space::kGlobal;
  use.access = static_cast<uint32_t>(f.program().accesses.size());
  f.emit_use(s, Kind::kTexture, f.program().textures, use);
  f.add_access(access);
}

// d {|p}, [handle, {coordinates}]. type: of the results.
void decode_results(FunctionDecoder& f, const Statement& s, const GeometryFacts& facts, Type type, TextureUse use) {
  static const std::map<Type, Width> widths = {{Type::kF32, Width::k32},
                                               {Type::kS32, Width::k32},
                                               {Type::kU32, Width::k32},
                                               {Type::kF16, Width::k16},
                                               {Type::kF16x2, Width::k32}};
  if (!widths.contains(type)) throw Unsupported(words("results of this type are not supported"));
  MemoryAccess access;
  access.type = use.type = type;
  access.bytes = 4;  // of an element in memory: each texture has its own
  access.register_width = widths.at(type);
  set_place(f, s, s.operands.at(s.dual_destination ? 2 : 1), facts, use);
  set_data(f, s, s.operands.at(0), access);
  if (access.count != (type == Type::kF16x2 ? 2 : 4))
    throw PtxError(s.location.ptx_line, words("four results are expected"));
  if (s.dual_destination) use.resident = f.destination(s, 1, Width::kPred);
  emit_texture(f, s, use, access);
}

Type type_at(const Statement& s, size_t from_end) {
  return s.modifiers().size() < from_end ? Type::kNone : type_from_name(s.modifiers()[s.modifiers().size() - from_end]);
}

}  // namespace

// tex{.level | .grad}.GEOMETRY.v4.TYPE.{s32 | f32}. Textures have one level, so the level and the gradients, which are
// further operands, choose nothing.
void decode_fetch(FunctionDecoder& f, const Statement& s, const Opcode&) {
  accept_only(s, {"level", "grad", "v4", "v2", "f32", "s32", "u32", "f16", "f16x2"});
  const size_t usual = (s.dual_destination ? 3 : 2) + (s.has("level") ? 1 : 0) + (s.has("grad") ? 2 : 0);
  if (s.operands.size() > usual) throw Unsupported(words("texel offsets and depth comparisons are not supported"));
  TextureUse use;
  use.whole_coordinates = type_at(s, 1) == Type::kS32;
  if (!use.whole_coordinates && type_at(s, 1) != Type::kF32)
    throw Unsupported(words("these coordinates are not supported"));
  const GeometryFacts facts = geometry_of(s, {"1d", "2d", "3d", "a1d", "a2d", "cube", "acube"});
  decode_results(f, s, facts, type_at(s, 2), use);
}

// tld4.{r | g | b | a}.2d.v4.TYPE.f32
void decode_gather(FunctionDecoder& f, const Statement& s, const Opcode&) {
  accept_only(s, {"r", "g", "b", "a", "v4", "f32", "s32", "u32"});
  if (s.operands.size() > (s.dual_destination ? 3 : 2))
    throw Unsupported(words("texel offsets and depth comparisons are not supported"));
  TextureUse use;
  use.op = TextureOp::kGather;
  for (uint8_t channel = 0; channel < 4; ++channel)
    if (s.has(std::array{"r", "g", "b", "a"}[channel])) use.channel = channel;
  decode_results(f, s, geometry_of(s, {"2d", "a2d"}), type_at(s, 2), use);
}

// txq.QUERY.b32 d, [handle]
void decode_texture_query(FunctionDecoder& f, const Statement& s, const Opcode&) {
  static const std::map<std::string, TextureQuery> queries = {{"width", TextureQuery::kWidth},
                                                              {"height", TextureQuery::kHeight},
                                                              {"depth", TextureQuery::kDepth},
                                                              {"array_size", TextureQuery::kLayers}};
  const auto query = s.modifiers().empty() ? queries.end() : queries.find(s.modifiers()[0]);
  if (query == queries.end() || s.modifiers().size() != 2) throw Unsupported(words("this query is not supported"));
  TextureUse use;
  use.op = TextureOp::kQuery;
  use.query = query->second;
  MemoryAccess access;
  access.type = Type::kB32;
  access.bytes = 4;
  access.register_width = Width::k32;
  set_place(f, s, s.operands.at(1), {}, use);
  set_data(f, s, s.operands[0], access);
  emit_texture(f, s, use, access);
}

// suld.b.GEOMETRY{.v2 | .v4}.TYPE.OUTSIDE and sust.b: bytes, as they lie in memory.
static void decode_surface(FunctionDecoder& f, const Statement& s, TextureOp op) {
  if (!s.has("b")) throw Unsupported(words("formatted accesses to surfaces are not supported"));
  accept_only(
      s, {"b", "ca", "cg", "cs", "cv", "wb", "wt", "v2", "v4", "b8", "b16", "b32", "b64", "trap", "clamp", "zero"});
  const bool loads = op == TextureOp::kLoad;
  TextureUse use;
  use.op = op;
  use.whole_coordinates = true;
  use.outside = s.has("clamp") ? OutsideSurface::kClamp : s.has("zero") ? OutsideSurface::kZero : OutsideSurface::kTrap;
  MemoryAccess access;
  access.op = loads ? MemoryOp::kLoad : MemoryOp::kStore;
  for (const std::string& m : s.modifiers())
    if (const Type type = type_from_name(m); type != Type::kNone) access.type = type;
  if (access.type == Type::kNone) throw type_is_missing(s, s.full_name());
  access.bytes = static_cast<uint8_t>(type_bytes(access.type));
  access.register_width = access.bytes == 8 ? Width::k64 : access.bytes == 4 ? Width::k32 : Width::k16;
  set_place(f, s, s.operands.at(loads ? 1 : 0), geometry_of(s, {"1d", "2d", "3d", "a1d", "a2d"}), use);
  set_data(f, s, s.operands.at(loads ? 0 : 1), access);
  emit_texture(f, s, use, access);
}

void decode_surface_load(FunctionDecoder& f, const Statement& s, const Opcode&) {
  decode_surface(f, s, TextureOp::kLoad);
}
void decode_surface_store(FunctionDecoder& f, const Statement& s, const Opcode&) {
  decode_surface(f, s, TextureOp::kStore);
}

}  // namespace lockstep
