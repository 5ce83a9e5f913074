// A small program of several ranks as plain data: what each host thread calls, in order. The fuzzer
// draws programs, the oracle predicts how they end, and the worker runs them.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gridlock::fuzz {

constexpr int kMaxRanks = 6;
constexpr int kMaxCommunicators = 3;
constexpr int kMaxStreams = 3;
constexpr int kMaxEvents = 4;
constexpr int kMpiStream = kMaxStreams - 1;
constexpr int kMaxThreads = 3;  // of a rank
// The counter to which only signals add.
constexpr int kSignalled = kMaxEvents - 1;

// Whether `stream` orders with the legacy stream. The others are made with cudaStreamNonBlocking.
constexpr bool is_blocking_stream(int stream) { return stream % 2 == 0; }

enum class Op : std::uint8_t {
  // Communication, on a stream.
  all_reduce,
  all_gather,
  reduce_scatter,
  broadcast,
  reduce,
  send,
  recv,
  // Order within a rank.
  record_event,  // cudaEventRecord(event, stream)
  wait_event,    // cudaStreamWaitEvent(stream, event)
  // Where the host waits.
  sync_event,
  sync_stream,
  copy,  // cudaMemcpy: waits for the legacy stream, and so for the streams that order with it
  free,  // cudaFree: waits for the device
  sync_device,
  // Waits for the device, so that no other work is lost, and gives up the communicator. The rank
  // makes no call on it afterwards.
  abort,
  // Waits for the device and dies by a signal. Later instructions are never called.
  crash,
  // An all-reduce of a type that does not exist: NCCL refuses it, and nothing is enqueued.
  refused,
  // Gives up the communicator at once, whatever is still under way on it.
  drop,
  // Between the threads of a rank: adds one to a counter; waits on a condition variable until it is
  // not zero, and takes one.
  post,
  await,
  nap,  // does nothing for a moment
  // Sends rank `peer` a signal, whose handler adds one to that rank's counter kSignalled.
  kick,
  split,    // ncclCommSplit: waits for the other members' splits. Nobody uses the child.
  destroy,  // ncclCommDestroy: waits for its own work, and then for the others to come as far
};

// The size of a message or a buffer. All that a program sends as `small` fits together into the
// sender's buffer; not even one `large` fits.
enum class Size : std::uint8_t { small, large };

struct Instruction {
  Op op = Op::sync_device;
  // In one group (ncclGroupStart … ncclGroupEnd) with the instruction before it. A group begins
  // with communication; what else is in it happens before the group is enqueued.
  bool joined = false;
  Size size = Size::small;
  int communicator = 0;
  int peer = 0;  // root, receiver or sender: a rank of the communicator
  int stream = 0;
  int event = 0;  // or counter
  bool operator==(const Instruction&) const = default;
};

struct HostThread {
  int rank = 0;
  std::vector<Instruction> code;
  bool operator==(const HostThread&) const = default;
};

struct Program {
  std::vector<std::vector<int>> communicators;  // member ranks of each, in communicator order
  // What each rank's main thread calls. At its end it joins the rank's other threads, waits for its
  // device, as every rank does before it leaves, and leaves.
  std::vector<std::vector<Instruction>> ranks;
  // Further threads. A rank that has some uses each communicator and each stream in only one of its
  // threads, records and waits for each event on streams in only one, and takes from each counter
  // in only one. It does not crash.
  std::vector<HostThread> threads;
  std::vector<int> late;  // ranks that begin later than the others
  bool lazy = false;      // communicators connect in the first call that needs it, on the host
  // The last communicator is MPI's, of all ranks in order, with all-reduces of small size and
  // messages. Its calls wait on the host; in the oracle, they are alone on the stream kMpiStream.
  // Each rank has one thread and ends well: MPI ends a job of which a rank dies.
  bool mpi = false;
  bool operator==(const Program&) const = default;
};

constexpr bool is_collective(Op op) { return op <= Op::reduce; }
constexpr bool is_message(Op op) { return op == Op::send || op == Op::recv; }
constexpr bool is_communication(Op op) { return op <= Op::recv; }
constexpr bool gathers(Op op) { return op == Op::split || op == Op::destroy; }
constexpr bool gives_up(Op op) { return op == Op::abort || op == Op::drop || op == Op::destroy; }
constexpr bool has_communicator(Op op) {
  return is_communication(op) || gives_up(op) || gathers(op) || op == Op::refused;
}
constexpr bool has_peer(Op op) { return op >= Op::broadcast && op <= Op::recv; }
constexpr bool has_stream(Op op) {
  return (op <= Op::sync_stream && op != Op::sync_event) || op == Op::refused;
}
constexpr bool has_counter(Op op) { return op == Op::post || op == Op::await; }
constexpr bool has_event(Op op) { return op >= Op::record_event && op <= Op::sync_event; }
// Whether the host waits for what its device does.
constexpr bool waits_for_streams(Op op) { return op >= Op::sync_event && op <= Op::crash; }
// Whether it may be inside a group.
constexpr bool can_join(Op op) { return op <= Op::sync_device || has_counter(op) || op == Op::nap; }

// One past the last instruction of the group that starts at `begin`; `begin` + 1 if the next
// instruction is not in its group.
std::size_t group_end(const std::vector<Instruction>& code, std::size_t begin);

// Whether it is a call of MPI.
inline bool is_mpi(const Program& program, const Instruction& call) {
  return program.mpi && is_communication(call.op) &&
         static_cast<std::size_t>(call.communicator) + 1 == program.communicators.size();
}

// Whether it is a collective of a communicator of one rank.
inline bool is_copy(const Program& program, const Instruction& call) {
  return is_collective(call.op) && !is_mpi(program, call) &&
         program.communicators[static_cast<std::size_t>(call.communicator)].size() == 1;
}

// The code of each of a rank's threads; the main thread's comes first.
std::vector<const std::vector<Instruction>*> threads_of(const Program& program, int rank);

// Whether `is` is true of any call of any thread.
template <class Is>
bool any_call(const Program& program, Is is) {
  const auto has_one = [&](const std::vector<Instruction>& code) {
    return std::ranges::any_of(code, is);
  };
  return std::ranges::any_of(program.ranks, has_one) ||
         std::ranges::any_of(program.threads, has_one, &HostThread::code);
}

// Whether members wait for each other in calls that make or end communicators. If they are threads
// of one process, they do not wait in destroy.
bool has_gatherings(const Program& program);

// Whether ranks send each other signals, so that each has a handler.
bool uses_signals(const Program& program);

// Rank `rank`'s number in `members`; -1 if it is not one of them.
int rank_in(const std::vector<int>& members, int rank);

// What is wrong with the program (a rank outside of the communicator, a call on one that it has
// aborted, a message to oneself, a number out of range), as a sentence. Empty if it is well formed.
std::string fault_of(const Program& program);

// A program as text, one line per communicator and one per host thread; `parse` reads it back.
//   lazy
//   mpi
//   late 1
//   A = 0 2 1
//   0: A.all_reduce@0 A.send(2):large@1 +A.recv(2):large@1 record(0)@0 wait(0)@1 sync@1 sync(0)
//   1: copy free device_sync
//   1: post(0) kick(2)
// A rank's first line is its main thread. A + joins an instruction to the group of the one before
// it; ":small" is not written.
std::string to_text(const Program& program);
std::string to_text(const Instruction& instruction);
//   Errors   std::invalid_argument naming the word that is not an instruction
Program parse(std::string_view text);

}  // namespace gridlock::fuzz
