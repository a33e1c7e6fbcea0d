// to_host: copies a thrust::device_vector to the host, so that the CPU can compare.
#pragma once

#include <thrust/copy.h>
#include <thrust/device_vector.h>

#include <vector>

template <class T>
std::vector<T> to_host(const thrust::device_vector<T>& device) {
  std::vector<T> host(device.size());
  thrust::copy(device.begin(), device.end(), host.begin());
  return host;
}
