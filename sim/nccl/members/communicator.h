// One rank's side of a communicator.
#pragma once

#include <nccl.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "sim/nccl/collectives/reduce.h"
#include "sim/nccl/members/segment.h"

namespace sim::nccl {

// What the config and the init call determine about a rank of a communicator.
struct Identity {
  int rank = 0;
  int ranks = 0;
  int device = 0;
  bool blocking = true;
  std::string name = {};
};

// An operator made by ncclRedOpCreatePreMulSum.
struct Factor {
  ncclRedOp_t handle = ncclSum;
  ncclDataType_t type = ncclFloat32;
  bool alive = false;
  const void* where = nullptr;  // in device memory, read when the collective runs; or null
  std::uint64_t bits = 0;       // else the factor itself
};

// Thrown, on a stream's thread only, to leave a unit of a communicator that was stopped.
struct Stopped {};

class Communicator : public std::enable_shared_from_this<Communicator> {
 public:
  explicit Communicator(Identity identity) : identity_(std::move(identity)) {}
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  const Identity& identity() const { return identity_; }
  int rank() const { return identity_.rank; }
  int ranks() const { return identity_.ranks; }
  int device() const { return identity_.device; }
  bool blocking() const { return identity_.blocking; }
  const std::string& name() const { return identity_.name; }

  // Sets this rank's place in a communicator that is being made from another.
  void place(int rank, int ranks) {
    identity_.rank = rank;
    identity_.ranks = ranks;
  }

  // The init sets each of these once: the segment first, the memory when all members are there.
  void attach(std::shared_ptr<Segment> segment);
  void set_memory(std::vector<const std::byte*> memory) {
    memory_ = std::move(memory);
    ready_.store(true);
  }
  Segment& segment() const { return *segment_; }
  bool attached() const { return attached_.load(); }
  // Takes the device memory of the buffers, until this object ends. False if there is too little.
  bool take_buffers();
  // All members have come, so it can be used.
  bool ready() const { return ready_.load(); }
  std::atomic<bool> finalized = false;
  Member& self() const { return segment_->member(rank()); }
  // Where the arena of `rank`'s process lies in this process.
  const std::byte* memory_of(int rank) const { return memory_[static_cast<std::size_t>(rank)]; }

  // The state that ncclCommGetAsyncError returns.
  ncclResult_t state() const;
  void set_state(ncclResult_t state) { state_.store(state); }

  // Ends all operations of this rank on streams, now and later.
  void stop();
  bool stopped() const { return stopped_.load(); }
  // Ends the waits of host threads too.
  void abort();
  bool aborted() const { return aborted_.load(); }
  void revoke();
  bool revoked() const { return revoked_.load(); }

  // A child that is being made has no handle yet, so an abort of this one aborts the child too.
  void begin_child(const std::shared_ptr<Communicator>& child);
  // Calls `deliver`, unless this was aborted. After an abort, the program's variable for the handle
  // may be gone.
  void end_child(const std::shared_ptr<Communicator>& child, const std::function<void()>& deliver);

  // Units run one at a time in the order in which they took a ticket.
  std::uint64_t take_ticket();
  // Blocks until it is this ticket's turn. False if the communicator was stopped.
  bool begin(std::uint64_t ticket);
  void end(std::uint64_t ticket);
  // A graph has taken an operation of this communicator, or has dropped it.
  void enter_graph();
  void leave_graph();
  // Blocks until all units have ended and no graph has any, or the communicator was stopped.
  void wait_for_units();
  // Blocks until no graph has an operation of it.
  void wait_for_graphs();
  std::mutex& issue_mutex() { return issue_mutex_; }

  // Waits on the host until `ready`. Other ranks' host threads make it true.
  //   Returns  ncclSuccess; ncclRemoteError if a member's process is gone and `heed_death`;
  //            ncclInternalError if the communicator was aborted
  //   Blocks   as long as that takes
  template <typename Ready>
  ncclResult_t wait_on_host(Ready ready, bool heed_death);

  // A thread that waits calls this to look at a few of the members `whom` in turn, all others by
  // default. If one is gone without having closed, this rank gets an asynchronous error, and other
  // ranks that wait for it see it too. A rank that does not wait for it is not told: its next call
  // is accepted, and waits. So it is with NCCL, which notices a dead peer at a connection in use.
  void look_for_dead_members(std::span<const int> whom = {});
  // How long to sleep between two such looks.
  Milliseconds patience() const;

  // Used by the running unit only.
  std::uint64_t next_collective = 0;
  std::map<int, std::uint64_t> next_receive;
  struct Outgoing {
    std::uint64_t next = 0;
    std::size_t staged = 0;
    struct Entry {
      std::uint64_t number;
      std::size_t bytes;
      Staging staging;
    };
    std::deque<Entry> entries;
  };
  std::map<int, Outgoing> outgoing;  // messages, by peer
  Outgoing rooted;                   // collectives that completed early, by slot

  // Host side, under issue_mutex.
  std::vector<Factor> factors;
  // The handle of the next operator. As with NCCL, it is any number from ncclNumOps on, and another
  // one on every communicator and rank.
  ncclRedOp_t next_operator() const;
  Factor* operator_of(
      ncclRedOp_t handle);  // null if the program has made none, or has destroyed it
  std::uint64_t splits = 0;
  std::atomic<std::uint64_t> splits_done = 0;
  std::uint64_t windows = 0;
  std::map<std::uint64_t, std::uint64_t> shrinks;  // calls per list of excluded ranks

 private:
  Identity identity_;
  bool has_buffers_ = false;
  std::shared_ptr<Segment> segment_;
  std::vector<const std::byte*> memory_;
  std::atomic<bool> attached_ = false;
  std::atomic<bool> ready_ = false;
  std::atomic<ncclResult_t> state_ = ncclInProgress;
  std::atomic<bool> stopped_ = false;
  std::atomic<bool> aborted_ = false;
  std::atomic<bool> revoked_ = false;
  std::atomic<bool> lost_ = false;
  std::atomic<int> next_look_ = 0;

  std::mutex children_mutex_;
  std::vector<std::shared_ptr<Communicator>> children_;  // that are being made

  std::mutex issue_mutex_;
  std::mutex turn_mutex_;
  std::condition_variable turn_changed_;
  std::uint64_t next_ticket_ = 0;
  std::uint64_t turn_ = 0;
  std::set<std::uint64_t> ended_;  // later than turn_
  std::uint64_t outstanding_ = 0;  // units, and graphs' operations
  std::uint64_t in_graphs_ = 0;
};

template <typename Ready>
ncclResult_t Communicator::wait_on_host(Ready ready, bool heed_death) {
  Bell& bell = segment_->header().host;
  while (true) {
    const std::uint32_t seen = bell.rings.load();
    if (ready()) return ncclSuccess;
    if (aborted()) return ncclInternalError;
    if (heed_death && segment_->header().dead.load() != 0) return ncclRemoteError;
    sleep_on(bell.rings, seen, patience());
    if (heed_death && !ready()) look_for_dead_members();
  }
}

}  // namespace sim::nccl
