// remote_device: a Device whose requests go to a device_server in another process, for a program that must not reach
// what the device counts and finds. In this process are only the addresses of device memory, taken so that nothing of
// the host's lies there, and behind them what CUDA maps for the host.
#pragma once

#include <memory>
#include <string>

#include "device/device.h"

namespace lockstep {

// place: "fd:N", a socket's descriptor, from now on the device's. Throws std::runtime_error that says what is wrong.
std::unique_ptr<Device> connect_device(const std::string& place);

}  // namespace lockstep
