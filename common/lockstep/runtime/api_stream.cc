// api_stream: streams, events and host functions. Every call is complete when it returns, unless its stream is captured
// (capture.h). So all streams are in order, every event has happened, and a wait only surfaces a fault. The order of
// the calls matters to the check of races alone (watch.h). An event's time is the host's clock: it says how long
// lockstep took, and nothing about a GPU.
#include <algorithm>
#include <chrono>

#include "base/words.h"
#include "runtime/capturing.h"

using namespace lockstep;
using namespace lockstep::runtime;

namespace {

constexpr unsigned kEventFlags = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;

Stream stream_of(const Runtime& runtime, cudaStream_t handle) {
  if (const Stream* stream = runtime.streams.all.find(handle)) return *stream;
  return {cudaStreamDefault, 0, handle == cudaStreamPerThread ? 2ull : 1ull};
}

cudaError_t create_stream(cudaStream_t* handle, unsigned flags, int priority, const char* name = __builtin_FUNCTION()) {
  return call(Needs::kDevice, name, [&](Runtime& runtime) {
    if (!handle || flags > cudaStreamNonBlocking) return cudaErrorInvalidValue;
    const Stream stream{flags, possible_priority(priority), runtime.streams.next_id++};
    *handle = reinterpret_cast<cudaStream_t>(runtime.streams.all.create(stream));
    runtime.watch.order.add_stream(static_cast<uint32_t>(stream.id), flags != cudaStreamNonBlocking);
    return cudaSuccess;
  });
}

cudaError_t look_at(Needs needs, cudaEvent_t event, const char* name = __builtin_FUNCTION()) {
  return call(needs, name, [&](Runtime& runtime) {
    const Event* const found = runtime.events.all.find(event);
    if (!found) return cudaErrorInvalidResourceHandle;
    cudaError_t error = refuse_captured(runtime, *found);
    if (error == cudaSuccess) error = refuse_unsafe(runtime.captures);
    if (error == cudaSuccess) host_waits_for(runtime, found->known);
    return error;
  });
}

// A wait, or a question whose answer is that all work has ended.
cudaError_t look_at_stream(Needs needs, cudaStream_t stream, const char* name = __builtin_FUNCTION()) {
  const auto body = [&](Runtime& runtime) {
    cudaError_t error = refuse_captured(runtime, stream);
    if (error == cudaSuccess) error = refuse_unsafe(runtime.captures);
    if (error == cudaSuccess) host_waits_for(runtime, stream);
    return error;
  };
  return with_stream(needs, stream, body, name);
}

cudaError_t create_event(cudaEvent_t* handle, unsigned flags, const char* name = __builtin_FUNCTION()) {
  return call(Needs::kDevice, name, [&](Runtime& runtime) {
    if (!handle || flags > kEventFlags) return cudaErrorInvalidValue;
    *handle = reinterpret_cast<cudaEvent_t>(runtime.events.all.create({.flags = flags}));
    return cudaSuccess;
  });
}

// Outside of a capture. An event of a capture that has ended is refused first, as on an H200.
cudaError_t refuse_external_wait(Runtime& runtime, const Event& event) {
  const cudaError_t error = refuse_captured(runtime, event);
  return error == cudaSuccess ? cudaErrorIllegalState : error;
}

cudaError_t record_event(Runtime& runtime, cudaEvent_t handle, cudaStream_t stream, unsigned flags) {
  Event* event = runtime.events.all.find(handle);
  if (!event) return cudaErrorInvalidResourceHandle;
  if (flags > cudaEventRecordExternal) return cudaErrorInvalidValue;
  if (const auto error = capture_record(runtime, *event, stream, flags)) return *error;
  if (flags & cudaEventRecordExternal) return cudaErrorIllegalState;  // it has no meaning outside of a capture
  event->record(runtime, stream);
  return cudaSuccess;
}

}  // namespace

void Event::record(Runtime& runtime, cudaStream_t stream) {
  captured.reset();
  known = runtime.watch.order.record(stream_number(runtime, stream));
  number = ++runtime.events.records;
  nanoseconds =
      std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

LOCKSTEP_API cudaError_t cudaStreamCreate(cudaStream_t* stream) { return create_stream(stream, cudaStreamDefault, 0); }
LOCKSTEP_API cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return create_stream(stream, flags, 0);
}
LOCKSTEP_API cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return create_stream(stream, flags, priority);
}

LOCKSTEP_API cudaError_t cudaStreamDestroy(cudaStream_t handle) {
  return call(Needs::kDevice, [&](Runtime& runtime) {
    if (runtime.streams.all.find(handle)) leave_capture(runtime.captures, stream_number(runtime, handle));
    if (const Stream* const stream = runtime.streams.all.find(handle))
      runtime.watch.order.end_stream(static_cast<uint32_t>(stream->id));
    return runtime.streams.all.destroy(handle) ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

LOCKSTEP_API cudaError_t cudaStreamSynchronize(cudaStream_t stream) { return look_at_stream(Needs::kSync, stream); }
LOCKSTEP_PER_THREAD(cudaStreamSynchronize, _ptsz);

LOCKSTEP_API cudaError_t cudaStreamQuery(cudaStream_t stream) { return look_at_stream(Needs::kOutcome, stream); }
LOCKSTEP_PER_THREAD(cudaStreamQuery, _ptsz);

LOCKSTEP_API cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return with_stream(Needs::kDevice, stream, [&](Runtime& runtime) {
    Event* const found = runtime.events.all.find(event);
    if (!found) return cudaErrorInvalidResourceHandle;
    if (flags > cudaEventWaitExternal) return cudaErrorInvalidValue;
    if (const auto error = capture_wait(runtime, stream, *found, flags)) return *error;
    if (flags & cudaEventWaitExternal) return refuse_external_wait(runtime, *found);
    runtime.watch.order.stream_waits(stream_number(runtime, stream), found->known);
    return cudaSuccess;
  });
}
LOCKSTEP_PER_THREAD(cudaStreamWaitEvent, _ptsz);

LOCKSTEP_API cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  return with_stream(Needs::kDevice, stream,
                     [&](Runtime& runtime) { return give(flags, stream_of(runtime, stream).flags); });
}
LOCKSTEP_PER_THREAD(cudaStreamGetFlags, _ptsz);

LOCKSTEP_API cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return with_stream(Needs::kDevice, stream,
                     [&](Runtime& runtime) { return give(priority, stream_of(runtime, stream).priority); });
}
LOCKSTEP_PER_THREAD(cudaStreamGetPriority, _ptsz);

LOCKSTEP_API cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  return with_stream(Needs::kDevice, stream, [&](Runtime& runtime) { return give(id, stream_of(runtime, stream).id); });
}
LOCKSTEP_PER_THREAD(cudaStreamGetId, _ptsz);

LOCKSTEP_API cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  return with_stream(Needs::kDevice, stream, [&](Runtime&) { return give(device, 0); });
}
LOCKSTEP_PER_THREAD(cudaStreamGetDevice, _ptsz);

// All attributes except the priority are hints for caches and schedulers, which lockstep does not have.
LOCKSTEP_API cudaError_t cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                                cudaStreamAttrValue* value) {
  return with_stream(Needs::kDevice, stream, [&](Runtime& runtime) {
    if (!value) return cudaErrorInvalidValue;
    *value = {};
    if (attribute == cudaStreamAttributePriority) value->priority = stream_of(runtime, stream).priority;
    return cudaSuccess;
  });
}
LOCKSTEP_PER_THREAD(cudaStreamGetAttribute, _ptsz);

LOCKSTEP_API cudaError_t cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                                const cudaStreamAttrValue* value) {
  return with_stream(Needs::kDevice, stream, [&](Runtime& runtime) {
    if (!value) return cudaErrorInvalidValue;
    Stream* const created = runtime.streams.all.find(stream);
    if (attribute == cudaStreamAttributePriority && created) created->priority = possible_priority(value->priority);
    return cudaSuccess;
  });
}
LOCKSTEP_PER_THREAD(cudaStreamSetAttribute, _ptsz);

LOCKSTEP_API cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  return with_stream(Needs::kDevice, to, [&](Runtime& runtime) {
    return is_stream(runtime, from) ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}
LOCKSTEP_PER_THREAD(cudaStreamCopyAttributes, _ptsz);

// A host function runs at once, without our lock. It may take a lock of the program's, which another thread may hold
// while it waits for ours.
LOCKSTEP_API cudaError_t cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  bool run = false;
  const cudaError_t error = with_stream(Needs::kDevice, stream, [&](Runtime& runtime) {
    if (!function) return cudaErrorInvalidValue;
    const auto make = [&](NodeWork* work) { return *work = HostWork{function, data}, cudaSuccess; };
    if (const auto taken = captured(runtime, stream, make)) return *taken;
    run = runtime.fault.ok();  // else queued behind a kernel that failed: never called
    // It runs behind the stream's work, and may tell the program's threads so.
    host_waits_for(runtime, stream);
    return cudaSuccess;
  });
  if (error == cudaSuccess && run) function(data);
  return error;
}
LOCKSTEP_PER_THREAD(cudaLaunchHostFunc, _ptsz);

// A callback, unlike a host function, is called also after a fault, and gets the fault's code.
LOCKSTEP_API cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data,
                                               unsigned flags) {
  cudaError_t status = cudaSuccess;
  const cudaError_t error = with_stream(Needs::kDevice, stream, [&](Runtime& runtime) {
    if (const cudaError_t refused = refuse_captured(runtime, stream); refused != cudaSuccess) return refused;
    status = static_cast<cudaError_t>(runtime.fault.status);
    if (callback) host_waits_for(runtime, stream);  // as a host function
    return callback && flags == 0 ? cudaSuccess : cudaErrorInvalidValue;
  });
  if (error == cudaSuccess) callback(stream, status, data);
  return error;
}
LOCKSTEP_PER_THREAD(cudaStreamAddCallback, _ptsz);

LOCKSTEP_API cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return create_event(event, flags);
}
LOCKSTEP_API cudaError_t cudaEventCreate(cudaEvent_t* event) { return create_event(event, cudaEventDefault); }

LOCKSTEP_API cudaError_t cudaEventDestroy(cudaEvent_t handle) {
  return call(Needs::kDevice, [&](Runtime& runtime) {
    return runtime.events.all.destroy(handle) ? cudaSuccess : cudaErrorInvalidResourceHandle;
  });
}

LOCKSTEP_API cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  return with_stream(Needs::kDevice, stream,
                     [&](Runtime& runtime) { return record_event(runtime, event, stream, flags); });
}
LOCKSTEP_PER_THREAD(cudaEventRecordWithFlags, _ptsz);
LOCKSTEP_API cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return with_stream(Needs::kDevice, stream,
                     [&](Runtime& runtime) { return record_event(runtime, event, stream, cudaEventRecordDefault); });
}
LOCKSTEP_PER_THREAD(cudaEventRecord, _ptsz);

LOCKSTEP_API cudaError_t cudaEventQuery(cudaEvent_t event) { return look_at(Needs::kOutcome, event); }
LOCKSTEP_API cudaError_t cudaEventSynchronize(cudaEvent_t event) { return look_at(Needs::kSync, event); }

// Here the work is complete at once. On a card it is not, so a program that does not wait gets no time here either.
LOCKSTEP_API cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return call(Needs::kDevice, [&](Runtime& runtime) {
    if (!milliseconds) return cudaErrorInvalidValue;
    const Event* from = runtime.events.all.find(start);
    const Event* to = runtime.events.all.find(end);
    for (const Event* event : {from, to})
      if (event && event->captured) return look_at_captured(runtime, *event);
    for (const Event* event : {from, to})
      if (!event || event->number == 0 || (event->flags & cudaEventDisableTiming))
        return cudaErrorInvalidResourceHandle;
    if (std::max(from->number, to->number) > runtime.events.waited) {
      runtime.events.waited = runtime.events.records;  // a program that polls gets its time in the end, as on a card
      runtime.advice = with_next(words("the program has not waited for the event."),
                                 words("call cudaEventSynchronize() for the second event first."));
      return cudaErrorNotReady;
    }
    *milliseconds = static_cast<float>(static_cast<double>(to->nanoseconds - from->nanoseconds) * 1e-6);
    return cudaSuccess;
  });
}

LOCKSTEP_API cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return call(Needs::kDevice, [&](Runtime&) {
    if (least) *least = 0;
    if (greatest) *greatest = kGreatestPriority;
    return cudaSuccess;
  });
}
