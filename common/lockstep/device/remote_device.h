// remote_device: a Device that sends its requests to a device_server in another process, for a program that must not
// change what the device counts and finds. This process reserves the addresses of device memory, so that the host puts
// nothing there; only the memory that CUDA maps for the host lies behind them.
#pragma once

#include <memory>
#include <string>

#include "device/device.h"

namespace lockstep {

// socket: "fd:N", the number of a descriptor. The device closes it. Throws std::runtime_error that says what is wrong.
std::unique_ptr<Device> connect_device(const std::string& socket);

}  // namespace lockstep
