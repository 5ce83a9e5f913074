// Runs a unit on its stream's thread.
#include "sim/nccl/collectives/unit.h"

#include <sched.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "sim/cuda/interface/arena.h"
#include "sim/nccl/api/log.h"

namespace sim::nccl {
namespace {

std::size_t read_buffer_bytes() {
  constexpr std::size_t kDefault = std::size_t{4} << 20;
  const char* text = std::getenv("GRIDLOCK_SIM_BUFFER");
  if (text == nullptr || *text == '\0') return kDefault;
  char* end = nullptr;
  const unsigned long long number = std::strtoull(text, &end, 10);
  const std::string unit = end;
  const int shift = unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : unit.empty() ? 0 : -1;
  if (end == text || shift < 0) {
    warn("GRIDLOCK_SIM_BUFFER=%s is not a size: give bytes, or a number with K, M or G", text);
    return kDefault;
  }
  return static_cast<std::size_t>(number) << shift;
}

struct Buffers {
  std::size_t sent = 0;
  std::size_t received = 0;
};

// How many bytes this rank's part of a call reads and writes.
Buffers buffers_of(const Call& call, const Communicator& c) {
  if (call.message) return call.sends ? Buffers{call.bytes, 0} : Buffers{0, call.bytes};
  const std::size_t all = call.bytes * static_cast<std::size_t>(c.ranks());
  const bool is_root = call.root == c.rank();
  switch (call.kind) {
    case Kind::kAllReduce:
      return {call.bytes, call.bytes};
    case Kind::kReduce:
      return {call.bytes, is_root ? call.bytes : 0};
    case Kind::kBroadcast:
      return {is_root ? call.bytes : 0, call.bytes};
    case Kind::kAllGather:
      return {call.bytes, all};
    case Kind::kReduceScatter:
      return {all, call.bytes};
    case Kind::kAllToAll:
      return {all, all};
    case Kind::kGather:
      return {call.bytes, is_root ? all : 0};
    case Kind::kScatter:
      return {is_root ? all : 0, call.bytes};
  }
  return {};
}

}  // namespace

std::size_t buffer_bytes() {
  static const std::size_t bytes = read_buffer_bytes();
  return bytes;
}

}  // namespace sim::nccl

// The recorder calls this, so that it need not read the environment itself.
extern "C" __attribute__((visibility("default"))) std::size_t simBufferBytes();
std::size_t simBufferBytes() { return sim::nccl::buffer_bytes(); }

namespace sim::nccl {

Staging make_staging(std::size_t bytes) {
  void* memory = arena_allocate(bytes);
  return memory == nullptr ? Staging() : Staging(memory, arena_free);
}

Exposed::Exposed(const void* data, std::size_t bytes, bool copy) {
  if (data == nullptr || bytes == 0) return;
  if (!in_arena(data)) {
    staging_ = make_staging(bytes);
    if (staging_ == nullptr) {
      fail(ncclSystemError, "no room to stage %zu bytes of memory that is not the device's", bytes);
      throw std::bad_alloc();
    }
    if (copy) std::memcpy(staging_.get(), data, bytes);
    data = staging_.get();
  }
  offset_ = static_cast<std::uint64_t>(static_cast<const std::byte*>(data) - arena().base);
}

std::byte* Exposed::data() const { return arena().base + offset_; }

Unit::~Unit() {
  if (ended_) return;
  launches_.skip(place_);
  communicator_->end(ticket_);
}

void Unit::run_calls() {
  try {
    start_messages();
    for (const Call& call : calls_) {
      if (!call.message) run_collective(*this, call);
    }
    for (const Call& call : calls_) {
      if (call.message) awaited_.push_back(call.root);
    }
    wait_until(0, [&] { return messages_done_; });
  } catch (const Stopped&) {
    // Aborted, or the device is broken. The stream goes on, and the operation's result is
    // undefined, as on a GPU.
  } catch (const std::exception& error) {
    fail(ncclSystemError, "an operation of rank %d failed: %s", communicator_->rank(),
         error.what());
    communicator_->set_state(ncclSystemError);
  }
}

bool Unit::has_access() const {
  return std::ranges::all_of(calls_, [this](const Call& call) {
    const Buffers size = buffers_of(call, *communicator_);
    const void* bad = !is_visible(call.send, size.sent) ? call.send : call.receive;
    if (is_visible(call.send, size.sent) && is_visible(call.receive, size.received)) return true;
    fail_at_address(communicator_->device(), "an operation of NCCL", bad);
    return false;
  });
}

void Unit::run() {
  if (!communicator_->begin(ticket_)) {
    launches_.skip(place_);
  } else if (launches_.begin(place_, *communicator_)) {
    if (kernel_begins(communicator_->device()) && has_access()) run_calls();
    launches_.end();
  }
  ended_ = true;
  communicator_->end(ticket_);
}

void Unit::wait_for_ever() {
  wait_until(0, [] { return false; });
  std::abort();  // not reached: only an exception ends the wait
}

bool Unit::pause(std::uint32_t seen) {
  PaddedBell& bell = communicator_->segment().bell(communicator_->rank());
  const std::stop_callback wake(until_broken(communicator_->device()), [&bell] { ring(bell); });
  sleep_on(bell.rings, seen, communicator_->patience());
  bell.waiting.store(0);
  return bell.rings.load() == seen;
}

}  // namespace sim::nccl
