// textures: CUDA arrays and texture objects that free themselves, for the programs about textures and surfaces.
#pragma once

#include <utility>
#include <vector>

#include "expect.h"

// Elements in the order of memory: x fastest, then y, then the slice.
template <class T>
class HostVolume {
 public:
  HostVolume(int width, int height, int slices) : width(width), height(height), slices(slices) {
    all.resize(size_t(width) * height * slices);
  }
  T& at(int x, int y, int z) { return all[(size_t(z) * height + y) * width + x]; }
  const T& at(int x, int y, int z) const { return all[(size_t(z) * height + y) * width + x]; }

  int width, height, slices;
  std::vector<T> all;
};

// An array with this extent (0: no such dimension), and copies of all of it.
template <class T>
class CudaArray {
 public:
  explicit CudaArray(cudaExtent extent, unsigned flags = 0, cudaChannelFormatDesc desc = cudaCreateChannelDesc<T>())
      : extent_(extent) {
    CUDA_CHECK(cudaMalloc3DArray(&array_, &desc, extent, flags));
  }
  CudaArray(const CudaArray&) = delete;
  ~CudaArray() { CUDA_CHECK(cudaFreeArray(array_)); }
  operator cudaArray_t() const { return array_; }

  void fill(const std::vector<T>& from) {
    cudaMemcpy3DParms p = whole(const_cast<T*>(from.data()));
    p.dstArray = array_, p.kind = cudaMemcpyHostToDevice;
    std::swap(p.srcPtr, p.dstPtr);
    CUDA_CHECK(cudaMemcpy3D(&p));
  }
  std::vector<T> host() const {
    std::vector<T> to(extent_.width * std::max<size_t>(extent_.height, 1) * std::max<size_t>(extent_.depth, 1));
    cudaMemcpy3DParms p = whole(to.data());
    p.srcArray = array_, p.kind = cudaMemcpyDeviceToHost;
    CUDA_CHECK(cudaMemcpy3D(&p));
    return to;
  }

 private:
  cudaMemcpy3DParms whole(T* host) const {
    const size_t rows = std::max<size_t>(extent_.height, 1), slices = std::max<size_t>(extent_.depth, 1);
    cudaMemcpy3DParms p{};
    p.dstPtr = make_cudaPitchedPtr(host, extent_.width * sizeof(T), extent_.width, rows);
    p.extent = make_cudaExtent(extent_.width, rows, slices);
    return p;
  }

  cudaExtent extent_;
  cudaArray_t array_ = nullptr;
};

inline cudaResourceDesc resource_of(cudaArray_t array) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  return resource;
}

struct Reading {
  cudaTextureAddressMode mode = cudaAddressModeClamp;
  cudaTextureFilterMode filter = cudaFilterModePoint;
  bool normalized = false;
  cudaTextureReadMode read = cudaReadModeElementType;
  float border = 0;
};

class TextureObject {
 public:
  TextureObject(const cudaResourceDesc& resource, const Reading& reading) {
    cudaTextureDesc desc{};
    for (auto& mode : desc.addressMode) mode = reading.mode;
    for (float& border : desc.borderColor) border = reading.border;
    desc.filterMode = reading.filter;
    desc.readMode = reading.read;
    desc.normalizedCoords = reading.normalized;
    CUDA_CHECK(cudaCreateTextureObject(&handle_, &resource, &desc, nullptr));
  }
  TextureObject(const TextureObject&) = delete;
  ~TextureObject() { CUDA_CHECK(cudaDestroyTextureObject(handle_)); }
  operator cudaTextureObject_t() const { return handle_; }

 private:
  cudaTextureObject_t handle_ = 0;
};

class SurfaceObject {
 public:
  explicit SurfaceObject(cudaArray_t array) {
    const cudaResourceDesc resource = resource_of(array);
    CUDA_CHECK(cudaCreateSurfaceObject(&handle_, &resource));
  }
  SurfaceObject(const SurfaceObject&) = delete;
  ~SurfaceObject() { CUDA_CHECK(cudaDestroySurfaceObject(handle_)); }
  operator cudaSurfaceObject_t() const { return handle_; }

 private:
  cudaSurfaceObject_t handle_ = 0;
};

template <class T>
class DeviceArray {
 public:
  explicit DeviceArray(size_t n) : n_(n) { CUDA_CHECK(cudaMalloc(&data_, n * sizeof(T))); }
  explicit DeviceArray(const std::vector<T>& values) : DeviceArray(values.size()) {
    CUDA_CHECK(cudaMemcpy(data_, values.data(), n_ * sizeof(T), cudaMemcpyHostToDevice));
  }
  DeviceArray(const DeviceArray&) = delete;
  ~DeviceArray() { CUDA_CHECK(cudaFree(data_)); }
  operator T*() const { return data_; }
  std::vector<T> host() const {
    std::vector<T> values(n_);
    CUDA_CHECK(cudaMemcpy(values.data(), data_, n_ * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }

 private:
  size_t n_;
  T* data_ = nullptr;
};
