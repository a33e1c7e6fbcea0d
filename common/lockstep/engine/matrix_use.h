// matrix_use: what a warp does with matrices: wmma, mma, ldmatrix, stmatrix.
#pragma once

#include "engine/warp.h"

namespace lockstep {

// All lanes take part. Accesses go on without the lanes whose addresses are wrong, or the launch has failed.
void run_matrix_use(Warp& warp, const MatrixUse& use);

}  // namespace lockstep
