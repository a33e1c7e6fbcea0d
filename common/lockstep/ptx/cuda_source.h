// cuda_source: the text of a CUDA source → the names of its functions' parameters, and the shapes of its arrays. For
// messages only: PTX keeps neither, and nvcc's debug information describes kernels only if it does not optimise them.
// It is not a parser of C++. What it is not sure of, it leaves out (macros in a signature, code that an #else may
// replace, parameter packs). Then a message keeps the form that needs no source.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/cuda_tokens.h"

namespace lockstep {

// `__shared__ float s_tile[kTile][kTile + 1];` — or __device__, __constant__, __managed__ outside of functions.
struct DeclaredArray {
  std::string name;
  uint32_t element_bytes = 0;         // 0: its type is not one of CUDA's or C++'s own
  std::vector<SourceTokens> extents;  // empty: not an array. An extent without tokens: extern s_data[]
};

struct DeclaredFunction {
  std::string name;
  bool is_kernel = false;
  uint32_t first_line = 0, last_line = 0;                    // of its definition
  std::vector<std::string> template_parameters, parameters;  // "": without a name, or not sure
  std::vector<DeclaredArray> shared;
};

struct CudaSource {
  std::string text;  // the tokens point into it
  std::vector<DeclaredFunction> functions;
  std::vector<DeclaredArray> variables;           // outside of functions
  std::map<std::string, SourceTokens> constants;  // no tokens: defined twice
};

std::unique_ptr<const CudaSource> read_cuda_source(std::string text);
// The source in this file, which is read once. A file that is missing or too long, or is not a plain file: no
// functions.
const CudaSource& cuda_source_of(const std::string& file);

// "void ns::reduce<256u, float>(float*, int)" → "reduce" and {"256u", "float"}.
struct FunctionName {
  std::string base;
  std::vector<std::string> arguments;
};
FunctionName function_name(std::string_view demangled);

// The types of its parameters: "float*" and "int"; empty for a name that was not mangled.
std::vector<std::string> parameter_types(std::string_view demangled);
// Bytes of what such a type points to; 0: not a type of CUDA's or C++'s own.
uint32_t element_bytes(std::string type);

// How an array is indexed: bytes of an element, and every extent but the first. inner is empty for a plain array.
struct ArrayShape {
  uint64_t element_bytes = 0;
  bool is_array = true;
  std::vector<uint64_t> inner;
  bool operator==(const ArrayShape&) const = default;
  // "[3][1]": the element that holds the byte at this offset.
  std::string index(int64_t offset) const;
};
// The shape of a declared array that takes so many bytes (0: the launch decides). Nothing if the declaration cannot be
// computed, or disagrees. `function`: the function that holds it, and its template arguments; or null.
std::optional<ArrayShape> shape_of(const CudaSource& source, const DeclaredArray& array, uint64_t bytes,
                                   const DeclaredFunction* function, const std::vector<std::string>& arguments);

}  // namespace lockstep
