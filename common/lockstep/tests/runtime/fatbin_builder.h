// fatbin_builder: makes fat binaries in nvcc's layout for tests, valid and invalid ones.
#pragma once

#include <lz4.h>
#include <zstd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep {

constexpr uint64_t kPlainFlags = 0x11, kZstdFlags = 0x8011, kLz4Flags = 0x2011, kArchSpecificFlags = 0x100011;
constexpr uint16_t kPtxEntry = 1, kElfEntry = 2, kLtoEntry = 8;

inline void put(std::vector<std::byte>& bytes, size_t at, const void* value, size_t size) {
  if (bytes.size() < at + size) bytes.resize(at + size);
  std::memcpy(bytes.data() + at, value, size);
}
template <typename T>
void put(std::vector<std::byte>& bytes, size_t at, T value) {
  put(bytes, at, &value, sizeof value);
}

inline std::vector<std::byte> fatbin_entry(uint16_t kind, uint32_t arch, uint64_t flags, std::string_view payload,
                                           uint32_t header_bytes = 64) {
  std::vector<std::byte> bytes(header_bytes);
  put(bytes, 0, kind);
  put(bytes, 4, header_bytes);
  const uint64_t padded = (payload.size() + 8) / 8 * 8;  // ends with at least one zero byte
  put(bytes, 8, padded);
  if (flags != kPlainFlags && flags != kArchSpecificFlags) put(bytes, 16, static_cast<uint32_t>(payload.size()));
  put(bytes, 28, arch);
  put(bytes, 40, flags);
  bytes.resize(header_bytes + padded);
  put(bytes, header_bytes, payload.data(), payload.size());
  return bytes;
}

// A compressed entry, as nvcc writes it by default (zstd) and with --compress-mode=speed (LZ4).
inline std::vector<std::byte> packed_entry(uint16_t kind, uint32_t arch, uint64_t flags, std::string_view text) {
  const auto size = static_cast<int>(text.size());
  std::string packed(std::max<size_t>(ZSTD_compressBound(text.size()), LZ4_compressBound(size)), '\0');
  const auto bytes = flags == kZstdFlags ? ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3)
                                         : static_cast<size_t>(LZ4_compress_default(text.data(), packed.data(), size,
                                                                                    static_cast<int>(packed.size())));
  packed.resize(bytes);
  auto entry = fatbin_entry(kind, arch, flags, packed);
  put(entry, 56, uint64_t{text.size()});
  return entry;
}

inline std::vector<std::byte> fatbin_container(const std::vector<std::vector<std::byte>>& entries) {
  std::vector<std::byte> bytes(16);
  for (const auto& entry : entries) bytes.insert(bytes.end(), entry.begin(), entry.end());
  put(bytes, 0, uint32_t{0xBA55ED50});
  put(bytes, 4, uint16_t{1});
  put(bytes, 6, uint16_t{16});
  put(bytes, 8, uint64_t{bytes.size() - 16});
  return bytes;
}

// The argument of __cudaRegisterFatBinary.
struct FatbinWrapper {
  uint32_t magic = 0x466243B1, version = 1;
  const void* data = nullptr;
  const void* list = nullptr;
};

}  // namespace lockstep
