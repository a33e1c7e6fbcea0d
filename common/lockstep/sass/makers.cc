#include "sass/makers.h"

#include "program/register_use.h"

namespace lockstep {

std::vector<uint32_t> functions_of(const Program& program) {
  std::vector<uint32_t> function(program.code.size(), 0);
  for (uint32_t f = 0; f < program.functions.size(); ++f)
    for (uint32_t pc = program.functions[f].entry; pc < function.size(); ++pc) function[pc] = f;
  return function;
}

Places makers_of(const Program& program) {
  Places makers;
  const std::vector<uint32_t> function = functions_of(program);
  for (uint32_t pc = 0; pc < program.code.size(); ++pc)
    for_each_destination(program, program.code[pc], [&](uint32_t offset) {
      makers[{function[pc], offset}].push_back(pc);
    });
  return makers;
}

}  // namespace lockstep
