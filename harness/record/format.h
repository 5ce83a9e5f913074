// The layout of a black box, in one memory-mapped file per rank. The writer, the reader and the
// page docs/record_format.md all follow this header; no other code knows an offset.
//
// A box is valid at every instant. A sequence word guards each entry that changes, and is odd
// during a change. A count grows after what it counts is in place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "harness/record/program.h"
#include "harness/record/snapshot.h"

namespace gridlock::record {

constexpr std::uint64_t kMagic = 0x4b434f4c44495247;  // "GRIDLOCK"
constexpr std::uint32_t kVersion = 13;

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kCommunicators = 256;
constexpr std::uint32_t kStreams = 256;
constexpr std::uint32_t kModules = 256;
constexpr std::uint32_t kPairs = 4096;
constexpr std::uint32_t kOperations = 4096;  // a power of two
constexpr std::uint32_t kRequests = 128;     // MPI requests under way at once
constexpr std::uint32_t kLibraryThreads = 512;
constexpr std::int64_t kLibraryThreadToCome = -1;
constexpr std::size_t kPage = 4096;
// One behind the other in a rank's file. The first process of the rank that calls CUDA claims the
// first box. If it turns out to be a helper, the process that makes communicators claims the
// second, and that box counts from then on.
constexpr std::uint32_t kBoxesOfRank = 2;

struct Header {
  std::uint64_t magic = 0;  // written last: until it is there, nothing else counts
  std::uint32_t version = 0;
  std::uint32_t box_size = 0;
  std::int64_t pid = 0;          // of the box's owner; 0: none. Changed by compare-and-swap
  std::uint64_t start_time = 0;  // the owner's, in clock ticks since boot, as in /proc/<pid>/stat
  std::int32_t rank = 0;
  std::int32_t world_size = 0;
  std::int32_t local_rank = 0;
  std::int32_t nccl_version = 0;
  std::int64_t claimed_monotonic_ns = 0;  // the same moment on two clocks, to date times
  std::int64_t claimed_realtime_ns = 0;
  ProgramNumbers program = {};      // that the owner executed when it claimed the box
  std::int64_t initialised_ns = 0;  // CLOCK_MONOTONIC, first communicator complete; 0: not yet
  // How much of each table was ever used.
  std::uint32_t threads = 0;
  std::uint32_t communicators = 0;
  std::uint32_t streams = 0;
  std::uint32_t modules = 0;
  // How many entries now have no room in their table. While there are any, the box proves nothing.
  std::uint32_t lost_threads = 0;
  std::uint32_t lost_communicators = 0;
  std::uint32_t lost_streams = 0;
  std::uint32_t lost_modules = 0;
  std::uint32_t pairs = 0;
  std::uint32_t lost_pairs = 0;  // ever; if any, an absent pair may have had messages
  std::uint64_t operations = 0;  // index of the next operation
  std::uint64_t launches = 0;    // see OperationEntry::launched
  // Rounds of the polling thread. A round's findings are in the progress words before it counts
  // here.
  std::uint64_t polls = 0;
  char host[64] = {};
  char backend[8] = {};
  Text<64> mpi = {};              // see Snapshot::mpi
  std::uint64_t cuda = 0;         // 1: a CUDA call was seen
  std::uint64_t destructors = 0;  // 1: see Snapshot::has_destructors
  // How many bytes the back end lets a sender send before the receiver comes, as it states itself;
  // kUnknownSize: it does not say.
  std::uint64_t buffer_bytes = kUnknownSize;
};

// Written by the device: the last position that the stream has reached, and the last that it is
// past. Both are modulo 2^32; StreamEntry::enqueued supplies the upper bits.
struct ProgressWords {
  std::uint32_t started = 0;
  std::uint32_t completed = 0;
};

struct ThreadEntry {
  std::uint64_t sequence = 0;  // half of it is the thread's epoch
  std::int64_t tid = 0;        // 0: ended
  std::int64_t since_ns = 0;   // when its last wait began (its end has no time)
  // On the stream. In a call that launches: when it began. In a group's end that waits for other
  // ranks to connect: 1 + the index of the group's first operation.
  std::uint64_t position = 0;
  std::uint32_t device = 0;
  std::uint32_t stream = kNone;
  std::uint32_t communicator = kNone;
  Call call = Call::none;
  Waits waits = Waits::nothing;
  std::uint16_t reserved = 0;
  std::uint64_t callers[kCallers] = {};
  Label label = {};
  std::uint64_t requests[kRequests / 64] = {};  // one bit for each it waits for
  std::uint64_t launches = 0;                   // how many before the wait began
  // Not under the sequence word, but a new wait clears them:
  std::uint64_t asked = 0;    // from pack_asked(): what it asked about, and that has not ended
  std::int64_t asked_ns = 0;  // when; 0: never, or it has ended. Written last
};

constexpr std::uint64_t kAskedPosition = (std::uint64_t{1} << 48U) - 1;
constexpr std::uint64_t pack_asked(Waits waits, std::uint32_t of, std::uint64_t position) {
  static_assert(kStreams <= 256 && kCommunicators <= 256);
  return static_cast<std::uint64_t>(waits) << 56U | static_cast<std::uint64_t>(of) << 48U |
         (position & kAskedPosition);
}

struct CommunicatorEntry {
  std::uint64_t sequence = 0;
  std::uint64_t id = 0;
  std::uint64_t first_operation =
      0;  // operations before this index mean an earlier user of the entry
  std::uint64_t calls = 0;
  std::int32_t size = 0;
  std::int32_t rank = 0;
  std::uint32_t device = 0;
  CommunicatorState state = CommunicatorState::initialising;
  Call last_call = Call::none;
  std::uint8_t mpi = 0;
  std::uint8_t reserved = 0;
  Text<56> name = {};
  std::uint64_t serial = 0;  // of this user of the entry, from 1; part of its pairs' keys
  // Not under the sequence word:
  std::uint64_t failure = 0;  // the operation that failed last, from pack_failure; 0: none
  std::uint64_t next_slot = 0;
  std::uint64_t uncertain = 0;  // 1: see Communicator::uncertain
  std::uint64_t graphs = 0;     // see Communicator::graphs
};

// One word: which call failed, how, and how many collectives the communicator had then.
constexpr std::uint64_t pack_failure(Call call, std::uint8_t result, std::uint64_t next_slot) {
  return next_slot << 16U | static_cast<std::uint64_t>(call) << 8U | result;
}

struct StreamEntry {
  std::uint64_t sequence = 0;
  std::uint64_t handle = 0;  // for MPI: 1 + the request's number; 0: one thread's calls
  std::uint32_t device = 0;
  std::uint8_t legacy = 0;
  std::uint8_t non_blocking = 0;
  std::uint8_t destroyed = 0;
  std::uint8_t mpi = 0;  // its progress words are written by the host
  // Not under the sequence word:
  std::uint64_t enqueued = 0;        // last position handed to the device
  std::uint64_t last_operation = 0;  // index + 1 of the newest operation; 0: none
  std::uint64_t polled = 0;          // 1: a polling thread writes the words
  std::uint64_t missed = 0;          // highest position whose end the polling thread cannot see
  std::uint64_t padding[1] = {};
};

// How many NCCL messages this rank has launched to, or from, one peer on one communicator.
struct PairEntry {
  std::uint64_t key = 0;  // from pack_pair(); 0: free. The count is 0 before the key is there
  std::uint64_t count = 0;
};

constexpr std::uint64_t pack_pair(std::uint64_t serial, std::int32_t peer, bool receives) {
  return serial << 33U | static_cast<std::uint64_t>(static_cast<std::uint32_t>(peer)) << 1U |
         (receives ? 1U : 0U);
}

struct ModuleEntry {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  std::uint64_t bias = 0;
  char path[488] = {};
};

// OperationEntry::launched of a call that NCCL has accepted and will launch later, by itself.
constexpr std::uint64_t kDeferred = ~std::uint64_t{0};

// What an operation has to do with a CUDA graph.
constexpr std::uint32_t kNoGraph = 0;
constexpr std::uint32_t kIntoGraph = 1;       // captured into one, so it gets no position
constexpr std::uint32_t kOfGraph = 2;         // put on its stream by a launch of one
constexpr std::uint32_t kOfCallingGraph = 3;  // the same, and the graph also calls host functions
constexpr std::uint32_t kOfLine = 4;  // as kOfGraph, and the graph runs its communications in turn

struct OperationEntry {
  // 0: never used. 2 * index + 1: being written as operation `index`. 2 * index + 2: complete.
  std::uint64_t sequence = 0;
  std::int64_t time_ns = 0;
  Call call = Call::none;
  std::uint8_t datatype = 0;
  std::uint8_t reduction = 0;
  std::uint8_t result = 0;  // an ncclResult_t other than success: the call failed, nothing was done
  std::int32_t peer = -1;
  std::uint32_t communicator = kNone;
  std::uint32_t stream = kNone;
  std::uint32_t thread = kNone;
  std::uint32_t event_stream = kNone;
  std::uint64_t count = 0;
  std::uint64_t event_position = 0;
  std::uint64_t callers[kCallers] = {};
  Label label = {};
  std::int32_t tag = 0;
  // How many operations back the previous one on its stream is, and the first one of its group on
  // its communicator; 0: there is none.
  std::uint32_t previous = 0;
  std::uint32_t leader = 0;
  std::uint32_t graph = kNoGraph;
  // A launch changes these without the sequence word: predicted at the call, final once launched.
  std::uint64_t called = 0;  // launches before the vendor was called
  std::uint64_t slot = 0;
  std::uint64_t position = 0;
  // 0: announced, the vendor's call has not returned. Else the number of this launch in the process
  // (1, 2, …; a group is one launch), or kDeferred. Written last.
  std::uint64_t launched = 0;
};

struct Box {
  alignas(kPage) Header header;
  // A page of its own, because CUDA registers pages.
  alignas(kPage) ProgressWords progress[kPage / sizeof(ProgressWords)];
  alignas(kPage) ThreadEntry threads[kThreads];
  CommunicatorEntry communicators[kCommunicators];
  StreamEntry streams[kStreams];
  ModuleEntry modules[kModules];
  alignas(kPage) OperationEntry operations[kOperations];
  // Threads that the vendors' libraries and the recorder started for themselves; 0: free. Between
  // its creation and its first instruction only its creator knows whose a thread is: it is
  // kLibraryThreadToCome by then.
  alignas(kPage) std::int64_t library_threads[kLibraryThreads];
  alignas(kPage) PairEntry pairs[kPairs];
};

static_assert(std::is_trivially_copyable_v<ThreadEntry> && sizeof(ThreadEntry) == 176);
static_assert(std::is_trivially_copyable_v<CommunicatorEntry> && sizeof(CommunicatorEntry) == 144);
static_assert(std::is_trivially_copyable_v<StreamEntry> && sizeof(StreamEntry) == 64);
static_assert(std::is_trivially_copyable_v<ModuleEntry> && sizeof(ModuleEntry) == 512);
static_assert(std::is_trivially_copyable_v<OperationEntry> && sizeof(OperationEntry) == 192);
static_assert(std::is_trivially_copyable_v<Header> && sizeof(Header) == 312);
static_assert(std::is_standard_layout_v<Box> && kStreams <= kPage / sizeof(ProgressWords));
static_assert(offsetof(Box, progress) == kPage && offsetof(Box, threads) == 2 * kPage);
static_assert((kOperations & (kOperations - 1)) == 0);
static_assert(sizeof(Box) < std::size_t{1536} * 1024);
static_assert(sizeof(Label) == 56 && sizeof(Text<56>) == 56);

}  // namespace gridlock::record
