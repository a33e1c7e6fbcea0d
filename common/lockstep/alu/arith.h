// arith: the semantics of PTX arithmetic, all of it, as pure functions of one lane. Left out: registers, instructions,
// text. The source of every rule is PTX ISA 9.0; where it leaves a result open, the rule is what an H200 does.
#pragma once

#include "alu/arith_compare.h"
#include "alu/arith_convert.h"
#include "alu/arith_float.h"
#include "alu/arith_int.h"
