// device_server: an EmulatedDevice that serves a program in another process. Requests come in over a socket, replies go
// out. The server trusts no message: it checks each one to its last byte before it acts, and the first message that
// makes no sense ends the conversation, with the reason.
#pragma once

#include <string>

#include "device/emulated_device.h"
#include "device/remote_host.h"
#include "device/shared_file.h"
#include "device/wire.h"

namespace lockstep {

// Serves the program until it ends or is gone. The device must have been made with these options.
Ending serve(const DeviceOptions& options, Connection& connection, const RemoteHost& host, EmulatedDevice& device,
             const SharedFile& shared);

// Tells the program why there is no device.
void refuse_device(Connection& connection, const std::string& reason);

}  // namespace lockstep
