// other_input: for a function whose arrays are the host's memory, and whose work is the kernels'. The judge gives the
// program one input, and the device another. Wherever the program hands a part of its input to the device, the kernels
// see the same part of the other. So the answer is right for the other input if kernels have computed it, and for the
// program's if the host has.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace lockstep {

class OtherInput {
 public:
  // Word i of the given input has the bits kFirst + (i · kFactor mod 2^25): no two words are equal, so a word tells its
  // place. As floats they lie between 1/4 and 4. Both inputs have the same size, and must outlive this object.
  OtherInput(std::span<const std::byte> given, std::span<const std::byte> other) : given_(given), other_(other) {}

  // Replaces the parts of `data` that are parts of the given input: two words or more, or one word that continues an
  // earlier part. They begin at multiples of 4 bytes.
  void replace(std::span<std::byte> data);

 private:
  size_t place_of(std::span<const std::byte> data, size_t at) const;
  bool continues(size_t place) const;

  std::span<const std::byte> given_, other_;
  std::array<size_t, 8> ends_{};  // where the last parts ended in the input; bytes
  size_t parts_ = 0;
};

}  // namespace lockstep
