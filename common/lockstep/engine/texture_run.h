// texture_run: an instruction of textures or surfaces → the texels that its lanes read or write. Which texels, and with
// which weights, is alu/sampling's.
#pragma once

#include "engine/warp.h"

namespace lockstep {

// May fail the launch, at the instruction's line.
void run_texture(Warp& warp, const TextureUse& use, Mask mask);

}  // namespace lockstep
