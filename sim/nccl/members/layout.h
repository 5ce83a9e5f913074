// What lies in a communicator's segment: one sparse piece of shared memory that all its ranks map.
// Everything starts as zeros; only what is used costs memory.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "sim/nccl/members/bell.h"

namespace sim::nccl {

constexpr std::uint64_t kMagic = 0x3130'6d69'734c'4743;
constexpr int kMaxRanks = 4096;

// How many collectives may be in progress at once on one communicator. A rank that is further ahead
// waits.
constexpr std::uint64_t kSlots = 256;
// The same for collectives so small that their data travels inside the segment.
constexpr std::uint64_t kInlineSlots = 16;
constexpr std::size_t kInlineBytes = 2048;  // at most, per rank
constexpr std::size_t kInlineSlotBytes =
    std::size_t{128} * 1024;  // at most, for all ranks of one slot
// How many messages from one rank to another may be in progress at once.
constexpr std::uint64_t kMessages = 64;

// Where another process finds a segment. Fits into an ncclUniqueId.
struct SegmentId {
  std::uint64_t magic;
  std::int64_t pid;
  std::int64_t descriptor;
  std::uint64_t token;
  std::uint64_t machine;      // of the process, see this_machine()
  std::array<char, 64> host;  // its name, for messages
};

enum class MemberState : std::uint32_t { kAbsent, kArriving, kPresent };

struct alignas(64) Member {
  std::atomic<MemberState> state;
  std::atomic<std::uint32_t> closed;     // finalized, destroyed or aborted: others expect nothing
  std::atomic<std::uint32_t> connected;  // reached its first collective (lazy connect)
  std::int32_t device;
  std::int64_t pid;
  std::uint64_t start;  // of the process, to tell it from a later one with the same id
  std::int64_t arena;   // descriptor, in that process
  std::uint64_t arena_bytes;
  std::array<char, 16> bus_id;
  std::uint64_t host;               // hash of NCCL_HOSTID, or of the host's name
  std::atomic<std::uint64_t> done;  // collectives that this rank is past

  // ncclCommSplit: what this rank asked for, and, from the first rank of a color, where to meet.
  // Two of each, because no rank asks for split n + 2 before all ranks are past split n.
  struct Split {
    std::int32_t color;
    std::int32_t key;
    std::atomic<std::uint64_t> meeting_number;  // n + 1 once `meeting` is that of split n
    SegmentId meeting;
  };
  std::array<Split, 2> splits;

  // ncclCommShrink: from the first survivor, where to meet.
  std::atomic<std::uint64_t> shrink_key;
  SegmentId shrink_meeting;
};

struct alignas(64) PaddedBell : Bell {};

struct Header {
  std::uint64_t magic;
  std::uint64_t token;
  std::atomic<std::uint32_t> ranks;     // 0 until the first rank arrives
  std::atomic<std::uint32_t> poisoned;  // ranks disagree about their numbers: never forms
  std::atomic<std::uint32_t> present;
  std::atomic<std::uint32_t> mapped;  // ranks that have mapped all others' memory
  std::atomic<std::uint32_t> closed;
  std::atomic<std::uint32_t> dead;       // 1 + a rank whose process is gone; 0: none seen
  std::atomic<std::uint32_t> connected;  // ranks that reached their first collective
  std::atomic<std::uint64_t> splits;     // calls of ncclCommSplit by all ranks together
  std::atomic<std::uint64_t> windows;    // calls of ncclCommWindowRegister, likewise
  PaddedBell host;                       // host threads that wait for other ranks' host threads
};

// The counters of a slot, for all ranks together. They only grow: use number g of the slot is
// complete at ranks * (g + 1).
struct alignas(64) SlotCounters {
  std::atomic<std::uint64_t> arrived;
  std::atomic<std::uint64_t> half_way;  // ranks past the first half of a collective in two halves
  std::atomic<std::uint64_t> finished;
};

enum class Kind : std::uint32_t {
  kAllReduce,
  kBroadcast,
  kReduce,
  kAllGather,
  kReduceScatter,
  kAllToAll,
  kGather,
  kScatter,
};

// One rank's call in one slot.
struct alignas(64) Record {
  std::atomic<std::uint64_t> number;  // 1 + the collective's number; written last
  Kind kind;
  std::int32_t root;
  std::uint64_t bytes;
  std::uint64_t send;  // offset in the rank's arena
  std::uint64_t receive;
  std::uint64_t scalar;  // bits of the factor of a pre-multiplied sum
  std::uint32_t scaled;  // whether there is one
};

struct Message {
  std::uint64_t bytes;
  std::uint64_t offset;  // in the sender's arena
};

// Messages from one rank to one other, in order. The two sides write different cache lines.
struct alignas(64) Channel {
  std::atomic<std::uint64_t> sent;
  std::atomic<std::uint32_t> sender_came;  // lazy connect
  alignas(64) std::atomic<std::uint64_t> taken;
  std::atomic<std::uint32_t> receiver_came;
  alignas(64) std::array<Message, kMessages> messages;
};

}  // namespace sim::nccl
