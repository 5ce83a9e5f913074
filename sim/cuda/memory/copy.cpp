// Copies and fills. Every copy runs on a stream. The host waits for the copies listed in the
// section "API synchronization behavior" of CUDA's reference.
#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "sim/cuda/devices/api.h"
#include "sim/cuda/devices/device.h"
#include "sim/cuda/graphs/capture.h"
#include "sim/cuda/memory/allocations.h"
#include "sim/cuda/memory/mappings.h"
#include "sim/cuda/memory/registered.h"

namespace {

using sim::api;
using sim::Mark;
using sim::Stream;

// A pageable source of at most this size is copied aside at once. A larger one is staged when the
// stream reaches the copy, and the host waits for that.
constexpr std::size_t kStagedBytes = std::size_t{64} << 10;

enum class Place : std::uint8_t { kDevice, kPinned, kPageable };

// `height` rows of `width` bytes.
struct Shape {
  std::byte* to;
  std::size_t to_pitch;
  const std::byte* from;
  std::size_t from_pitch;
  std::size_t width;
  std::size_t height;

  std::size_t bytes() const { return width * height; }
};

Place place_of(const void* pointer) {
  sim::Mapping mapping;
  if (sim::in_device_memory(pointer)) return Place::kDevice;
  if (sim::find_mapping(pointer, mapping)) {
    return mapping.device >= 0 ? Place::kDevice : Place::kPinned;
  }
  if (sim::in_pinned_memory(pointer) || sim::find_registered(pointer)) return Place::kPinned;
  return Place::kPageable;
}

// False if `pointer` lies in CUDA's memory, but not all `bytes` from there are allocated.
bool allocated(const void* pointer, std::size_t bytes) {
  sim::Mapping mapping;
  if (sim::find_mapping(pointer, mapping)) return sim::is_mapped(pointer, bytes);
  if (!sim::in_device_memory(pointer) && !sim::in_pinned_memory(pointer)) return true;
  sim::Allocation found;
  if (!sim::find_allocation(pointer, found)) return false;
  const auto offset = static_cast<std::size_t>(static_cast<const std::byte*>(pointer) -
                                               static_cast<const std::byte*>(found.base));
  return bytes <= found.bytes - offset;
}

std::size_t span(std::size_t pitch, const Shape& shape) {
  return pitch * (shape.height - 1) + shape.width;
}

void copy_rows(const Shape& shape) {
  if (shape.height == 1 || (shape.to_pitch == shape.width && shape.from_pitch == shape.width)) {
    std::memmove(shape.to, shape.from, shape.bytes());
    return;
  }
  for (std::size_t row = 0; row < shape.height; ++row) {
    std::memmove(shape.to + row * shape.to_pitch, shape.from + row * shape.from_pitch, shape.width);
  }
}

struct Copy final : sim::Work {
  explicit Copy(const Shape& what) : shape(what) {}
  void run() override { copy_rows(shape); }
  cudaGraphNodeType node_type() const override { return cudaGraphNodeTypeMemcpy; }
  Shape shape;
};

struct StagedCopy final : sim::Work {
  explicit StagedCopy(const Shape& what) : shape(what), staged(what.bytes()) {
    copy_rows({staged.data(), what.width, what.from, what.from_pitch, what.width, what.height});
    shape.from = staged.data();
    shape.from_pitch = what.width;
  }
  void run() override { copy_rows(shape); }
  Shape shape;
  std::vector<std::byte> staged;
};

struct Fill final : sim::Work {
  Fill(void* where, int with, std::size_t bytes) : to(where), value(with), count(bytes) {}
  void run() override { std::memset(to, value, count); }
  cudaGraphNodeType node_type() const override { return cudaGraphNodeTypeMemset; }
  void* to;
  int value;
  std::size_t count;
};

bool allows(cudaMemcpyKind kind, Place to, Place from) {
  switch (kind) {
    case cudaMemcpyHostToHost:
      return to != Place::kDevice && from != Place::kDevice;
    case cudaMemcpyHostToDevice:
      return to != Place::kPageable && from != Place::kDevice;
    case cudaMemcpyDeviceToHost:
      return to != Place::kDevice && from != Place::kPageable;
    case cudaMemcpyDeviceToDevice:
      return to != Place::kPageable && from != Place::kPageable;
    case cudaMemcpyDefault:
      return true;
  }
  return false;
}

enum class Call : std::uint8_t { kSynchronous, kAsynchronous };

cudaError_t copy(const Shape& shape, cudaMemcpyKind kind, cudaStream_t handle, Call call) {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) {
    return cudaErrorInvalidMemcpyDirection;
  }
  Stream* stream = sim::find_stream(handle);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (call == Call::kSynchronous && sim::any_capture()) {
    if (const cudaError_t error = sim::refuse_unsafe(); error != cudaSuccess) return error;
  }
  if (shape.width == 0 || shape.height == 0) return cudaSuccess;
  if (shape.height > 1 && (shape.width > shape.to_pitch || shape.width > shape.from_pitch)) {
    return cudaErrorInvalidPitchValue;
  }
  if (shape.to == nullptr || shape.from == nullptr) return cudaErrorInvalidValue;
  const Place to = place_of(shape.to);
  const Place from = place_of(shape.from);
  if (!allows(kind, to, from) || !allocated(shape.to, span(shape.to_pitch, shape)) ||
      !allocated(shape.from, span(shape.from_pitch, shape))) {
    return cudaErrorInvalidValue;
  }

  const bool host_to_host = to != Place::kDevice && from != Place::kDevice;
  bool waits = false;
  if (call == Call::kSynchronous) {
    waits = to != Place::kDevice || from != Place::kDevice;
  } else if (from == Place::kPageable && to == Place::kDevice) {
    // A graph reads the source when it is launched, so nothing is copied aside now.
    if (stream->captured()) return stream->push(std::make_unique<Copy>(shape));
    if (shape.bytes() <= kStagedBytes) return stream->push(std::make_unique<StagedCopy>(shape));
    waits = true;
  } else {
    waits = host_to_host || to == Place::kPageable;
  }
  Mark done;
  const cudaError_t error = stream->push(std::make_unique<Copy>(shape), &done);
  if (error == cudaSuccess && waits) done.wait();
  return error;
}

Shape flat(void* to, const void* from, std::size_t bytes) {
  return {static_cast<std::byte*>(to), bytes, static_cast<const std::byte*>(from), bytes, bytes, 1};
}

Shape rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
           std::size_t width, std::size_t height) {
  return {static_cast<std::byte*>(to),
          to_pitch,
          static_cast<const std::byte*>(from),
          from_pitch,
          width,
          height};
}

cudaError_t fill(void* to, int value, std::size_t bytes, cudaStream_t handle, Call call) {
  Stream* stream = sim::find_stream(handle);
  if (stream == nullptr) return cudaErrorInvalidResourceHandle;
  if (call == Call::kSynchronous && sim::any_capture()) {
    if (const cudaError_t error = sim::refuse_unsafe(); error != cudaSuccess) return error;
  }
  if (bytes == 0) return cudaSuccess;
  const Place place = place_of(to);
  if (place == Place::kPageable || !allocated(to, bytes)) return cudaErrorInvalidValue;
  Mark done;
  const cudaError_t error = stream->push(std::make_unique<Fill>(to, value, bytes), &done);
  if (error == cudaSuccess && place == Place::kPinned && call == Call::kSynchronous) done.wait();
  return error;
}

}  // namespace

cudaError_t cudaMemcpy(void* dst, const void* src, size_t count, cudaMemcpyKind kind) {
  return api(
      [&] { return copy(flat(dst, src, count), kind, cudaStreamLegacy, Call::kSynchronous); });
}

cudaError_t cudaMemcpyAsync(void* dst, const void* src, size_t count, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return api([&] { return copy(flat(dst, src, count), kind, stream, Call::kAsynchronous); });
}

cudaError_t cudaMemcpy2D(void* dst, size_t dpitch, const void* src, size_t spitch, size_t width,
                         size_t height, cudaMemcpyKind kind) {
  return api([&] {
    return copy(rows(dst, dpitch, src, spitch, width, height), kind, cudaStreamLegacy,
                Call::kSynchronous);
  });
}

cudaError_t cudaMemcpy2DAsync(void* dst, size_t dpitch, const void* src, size_t spitch,
                              size_t width, size_t height, cudaMemcpyKind kind,
                              cudaStream_t stream) {
  return api([&] {
    return copy(rows(dst, dpitch, src, spitch, width, height), kind, stream, Call::kAsynchronous);
  });
}

cudaError_t cudaMemcpyPeerAsync(void* dst, int dstDevice, const void* src, int srcDevice,
                                size_t count, cudaStream_t stream) {
  return api([&] {
    if (!sim::device_exists(dstDevice) || !sim::device_exists(srcDevice)) {
      return cudaErrorInvalidDevice;
    }
    return copy(flat(dst, src, count), cudaMemcpyDeviceToDevice, stream, Call::kAsynchronous);
  });
}

// Runs after all earlier work on both devices and before all later work.
cudaError_t cudaMemcpyPeer(void* dst, int dstDevice, const void* src, int srcDevice, size_t count) {
  return api([&] {
    if (!sim::device_exists(dstDevice) || !sim::device_exists(srcDevice)) {
      return cudaErrorInvalidDevice;
    }
    Stream& stream = *sim::find_stream(cudaStreamLegacy);
    for (const int number : {dstDevice, srcDevice}) {
      for (const Mark& mark : sim::device(number).marks()) {
        static_cast<void>(sim::wait_in_stream(stream, mark));
      }
    }
    const cudaError_t error =
        copy(flat(dst, src, count), cudaMemcpyDeviceToDevice, cudaStreamLegacy, Call::kSynchronous);
    const Mark done = stream.last();
    for (const int number : {dstDevice, srcDevice}) {
      static_cast<void>(sim::wait_in_stream(*sim::device(number).legacy, done));
    }
    return error;
  });
}

cudaError_t cudaMemset(void* devPtr, int value, size_t count) {
  return api([&] { return fill(devPtr, value, count, cudaStreamLegacy, Call::kSynchronous); });
}

cudaError_t cudaMemsetAsync(void* devPtr, int value, size_t count, cudaStream_t stream) {
  return api([&] { return fill(devPtr, value, count, stream, Call::kAsynchronous); });
}

// Runs the copies one after the other. CUDA promises no order among them, so any order is correct.
cudaError_t cudaMemcpyBatchAsync(void* const* dsts, const void* const* srcs, const size_t* sizes,
                                 size_t count, cudaMemcpyAttributes* attrs, size_t* attrsIdxs,
                                 size_t numAttrs, cudaStream_t stream) {
  return api([&] {
    if (dsts == nullptr || srcs == nullptr || sizes == nullptr || attrs == nullptr ||
        attrsIdxs == nullptr || count == 0 || numAttrs == 0 || numAttrs > count ||
        attrsIdxs[0] != 0) {
      return cudaErrorInvalidValue;
    }
    const Stream* target = sim::find_stream(stream);
    if (target == nullptr) return cudaErrorInvalidResourceHandle;
    if (target->kind() == Stream::Kind::kLegacy) return cudaErrorInvalidValue;
    for (std::size_t i = 0; i < numAttrs; ++i) {
      const bool ascends = i == 0 || (attrsIdxs[i] > attrsIdxs[i - 1] && attrsIdxs[i] < count);
      if (!ascends || attrs[i].srcAccessOrder < cudaMemcpySrcAccessOrderStream ||
          attrs[i].srcAccessOrder > cudaMemcpySrcAccessOrderAny) {
        return cudaErrorInvalidValue;
      }
    }
    for (std::size_t i = 0; i < count; ++i) {
      const cudaError_t error =
          copy(flat(dsts[i], srcs[i], sizes[i]), cudaMemcpyDefault, stream, Call::kAsynchronous);
      if (error != cudaSuccess) return error;
    }
    return cudaSuccess;
  });
}
