// verdict: compile error · compile
// lab: 02
// Sixty thousand nested parentheses: the stack of a recursive compiler is too small for them.
#include "common/contracts/reduction.h"

#define A(x) ((((((((((x))))))))))
#define B(x) A(A(A(A(A(A(x))))))
#define C(x) B(B(B(B(B(B(B(B(B(B(x))))))))))
#define D(x) C(C(C(C(C(C(C(C(C(C(x))))))))))
#define E(x) D(D(D(D(D(D(D(D(D(D(x))))))))))

int reduce_sum(int*, int n) { return E(n) + ; }
