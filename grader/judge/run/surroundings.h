// surroundings: a SubmissionSpec → the processes to start: the program behind its walls, and lockstep's device.
#pragma once

#include <filesystem>
#include <memory>

#include "grader/judge/run/device_process.h"
#include "grader/judge/run/submission_spec.h"
#include "grader/judge/sandbox/child.h"

namespace warpladder {

inline constexpr int kDeviceFd = 7;  // of the program: on it its runtime finds lockstep

bool has_device_process(const SubmissionSpec& spec);  // else its device is a card, or PoCL in the program itself

std::unique_ptr<DeviceProcess> start_device(const SubmissionSpec& spec);

// Its descriptors are still missing, and so are the walls. folder: a temporary one, for its files.
ChildSpec program_of(const SubmissionSpec& spec, const std::filesystem::path& folder);

// Call it last, once the descriptors are there.
void put_behind_walls(ChildSpec& program, const SubmissionSpec& spec, const std::filesystem::path& folder);

}  // namespace warpladder
