// arith: the semantics of PTX arithmetic, the only place where they stand: pure functions of one lane, no registers, no
// instructions, no text. Source of every rule: PTX ISA 9.0; where that leaves a result open, what an H200 does.
#pragma once

#include "alu/arith_compare.h"
#include "alu/arith_convert.h"
#include "alu/arith_float.h"
#include "alu/arith_int.h"
