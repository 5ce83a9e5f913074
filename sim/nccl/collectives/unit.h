// The operations of one group (or a single call) on one communicator: one entry of a stream.
#pragma once

#include <nccl.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "sim/cuda/interface/kernel.h"
#include "sim/cuda/interface/stream.h"
#include "sim/nccl/collectives/launch.h"
#include "sim/nccl/members/communicator.h"

namespace sim::nccl {

// One call, as the program made it.
struct Call {
  bool message = false;  // a send or a receive
  bool sends = false;    // which of them
  Kind kind = Kind::kAllReduce;
  const void* send = nullptr;
  void* receive = nullptr;
  std::size_t bytes = 0;  // of `count` elements
  ncclDataType_t type = ncclFloat32;
  ncclRedOp_t op = ncclSum;
  bool scaled = false;
  Factor factor = {};
  int root = 0;  // or the peer
};

// Why a rank sleeps. A thread that changes one of these things rings that rank's bell.
enum Reason : std::uint32_t {
  kArrival = 1,  // others reach a slot
  kHalfWay = 2,  // others are past the first half
  kFinish = 4,   // others are past a slot
  kMessage = 8,  // a message was sent or taken
};

class Unit final : public Work {
 public:
  // REQUIRES: the issue mutex is held.
  Unit(std::shared_ptr<Communicator> communicator, std::vector<Call> calls)
      : communicator_(std::move(communicator)),
        ticket_(communicator_->take_ticket()),
        launches_(launches_of(communicator_->device())),
        place_(launches_.issue()),
        calls_(std::move(calls)) {}
  ~Unit() override;

  // Blocks as the operations do; ends at once when the communicator is stopped, or the device
  // breaks.
  void run() override;

  Communicator& communicator() { return *communicator_; }

  // Blocks until `ready()`, moving the unit's messages on meanwhile. Throws Stopped.
  template <typename Ready>
  void wait_until(std::uint32_t reasons, Ready ready);

  // For a call that can never match the others' calls. Ends only by throwing Stopped.
  [[noreturn]] void wait_for_ever();

 private:
  // A send or a receive under way.
  struct Transfer {
    const Call* call;
    std::uint64_t number;  // of this message on its channel
    Staging staging;       // of memory that others cannot map
    bool published = false;
    bool done = false;
  };

  // Whether the device may access all buffers of the calls. If not, it is broken afterwards.
  bool has_access() const;
  void run_calls();
  void start_messages();
  bool advance_messages();  // true when all are done
  void advance_send(Transfer& transfer);
  void advance_receive(Transfer& transfer);
  bool pause(std::uint32_t seen);

  std::shared_ptr<Communicator> communicator_;
  std::uint64_t ticket_;
  Launches& launches_;
  std::uint64_t place_;
  std::vector<Call> calls_;
  std::vector<Transfer> transfers_;
  std::vector<int> awaited_;  // the peers of its messages; empty: its collectives need all members
  bool messages_done_ = true;
  bool ended_ = false;
};

// A unit in a graph. Each launch of the graph makes a separate unit from it, which takes the
// communicator's next ticket and next slots, as NCCL's kernel does. As in NCCL, closing the
// communicator waits until no graph has the unit.
class CapturedUnit final : public Work {
 public:
  CapturedUnit(std::shared_ptr<Communicator> communicator, std::vector<Call> calls)
      : communicator_(std::move(communicator)), calls_(std::move(calls)) {
    communicator_->enter_graph();
  }
  ~CapturedUnit() override { communicator_->leave_graph(); }

  void run() override {}  // the launches' own units run instead
  std::unique_ptr<Work> again() override {
    const std::lock_guard lock(communicator_->issue_mutex());
    return std::make_unique<Unit>(communicator_, calls_);
  }

 private:
  std::shared_ptr<Communicator> communicator_;
  std::vector<Call> calls_;
};

// Runs a collective on the stream's thread until this rank is past it.
void run_collective(Unit& unit, const Call& call);

// Memory of this process as other ranks see it: an offset in the arena. Memory outside the arena is
// copied there first.
class Exposed {
 public:
  Exposed() = default;
  Exposed(const void* data, std::size_t bytes, bool copy);
  std::uint64_t offset() const { return offset_; }
  std::byte* data() const;
  bool copied() const { return staging_ != nullptr; }
  const Staging& staging() const { return staging_; }

 private:
  std::uint64_t offset_ = 0;
  Staging staging_;
};

// Arena memory that frees itself; null if the arena is full.
Staging make_staging(std::size_t bytes);

// Bytes that complete early, per pair of ranks and per communicator: GRIDLOCK_SIM_BUFFER.
std::size_t buffer_bytes();

template <typename Ready>
void Unit::wait_until(std::uint32_t reasons, Ready ready) {
  constexpr int kYields = 16;  // with more ranks than cores, the others need the core to get ready
  PaddedBell& bell = communicator_->segment().bell(communicator_->rank());
  for (int attempt = 0;; ++attempt) {
    const std::uint32_t seen = bell.rings.load();
    // Announced before the last look, so that a rank that gets ready later rings.
    if (attempt >= kYields) {
      bell.waiting.store(reasons | (messages_done_ ? 0U : static_cast<std::uint32_t>(kMessage)));
    }
    advance_messages();
    const bool is_ready = ready();
    if (is_ready || communicator_->stopped() || !device_works(communicator_->device())) {
      if (attempt >= kYields) bell.waiting.store(0);
      if (is_ready) return;
      throw Stopped{};
    }
    if (attempt < kYields) {
      sched_yield();
    } else if (pause(seen) && !ready()) {
      communicator_->look_for_dead_members(awaited_);
    }
  }
}

}  // namespace sim::nccl
