// What one black box says at one moment, as plain values: the only thing the detector ever sees of
// a rank. Made by the reader from a box; written by hand in the detector's tests.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/record/sleep.h"

namespace gridlock::record {

constexpr std::uint32_t kNone = 0xffffffff;
constexpr int kCallers = 4;
constexpr std::uint64_t kUnknownSize = ~std::uint64_t{0};
// The peer, and the tag, of an MPI receive or probe that takes what comes.
constexpr std::int32_t kAnyPeer = -2;
constexpr std::int32_t kAnyTag = -1;

// Calls that a box records. The order is part of the format: append only.
enum class Call : std::uint8_t {
  none,
  // Collectives and messages: operations on a stream.
  all_reduce,
  broadcast,
  reduce,
  all_gather,
  reduce_scatter,
  all_to_all,
  gather,
  scatter,
  send,
  recv,
  // Other operations that can hold a stream.
  event_wait,     // cudaStreamWaitEvent
  host_function,  // cudaLaunchHostFunc
  graph_launch,
  legacy_work,  // kernel, copy or set on the legacy default stream, which orders other streams
  // Host calls that wait.
  device_synchronize,
  stream_synchronize,
  event_synchronize,
  memcpy_sync,  // cudaMemcpy, and cudaMemcpyAsync of pageable memory
  device_malloc,
  device_free,
  host_malloc,
  comm_init,
  comm_split,
  comm_shrink,
  comm_finalize,
  comm_destroy,
  comm_abort,
  group_end,
  // MPI's collectives, blocking or not. A scan waits for all ranks before it.
  mpi_barrier,
  mpi_bcast,
  mpi_reduce,
  mpi_allreduce,
  mpi_gather,
  mpi_scatter,
  mpi_allgather,
  mpi_alltoall,
  mpi_reduce_scatter,
  mpi_scan,
  mpi_exscan,
  // MPI's messages.
  mpi_send,   // standard and ready mode: it may or may not wait for its receive
  mpi_ssend,  // waits for its receive
  mpi_bsend,  // never waits
  mpi_recv,
  mpi_probe,
  mpi_got,  // what a receive that takes anything has taken: peer and tag are now known
  // MPI's host calls that wait.
  mpi_sendrecv,
  mpi_wait,
  mpi_waitall,
  mpi_waitany,
  mpi_init,
  mpi_finalize,
  mpi_comm_dup,
  mpi_comm_split,
  mpi_comm_create,
  mpi_comm_free,
};
constexpr Call kLastCall = Call::mpi_comm_free;

std::string_view to_string(Call call);

// Operation::result of what was only simulated, by ncclGroupSimulateEnd; of a call of CUDA that
// failed; and of what went into a graph, whose launches have operations of their own.
constexpr std::uint8_t kSimulated = 255;
constexpr std::uint8_t kDropped = 254;
constexpr std::uint8_t kCaptured = 253;
std::string_view name_of_result(std::uint8_t result);  // "ncclInvalidUsage" of an ncclResult_t
// Asked of every operation at every look.
inline bool is_collective(Call call) {
  return (call >= Call::all_reduce && call <= Call::scatter) ||
         (call >= Call::mpi_barrier && call <= Call::mpi_exscan);
}
inline bool is_message(Call call) {
  return call == Call::send || call == Call::recv ||
         (call >= Call::mpi_send && call <= Call::mpi_got);
}
inline bool is_mpi(Call call) { return call >= Call::mpi_barrier && call <= Call::mpi_comm_free; }
bool sends(Call call);  // of messages: send, mpi_send, mpi_ssend, mpi_bsend
inline bool is_communication(Call call) { return is_collective(call) || is_message(call); }

// How Snapshot::mpi begins if MPI is not recorded.
constexpr std::string_view kNotRecorded = "not recorded: ";

// Fixed text, so that an operation is copied without an allocation. Cut, never overrun.
template <int Size>
struct Text {
  std::array<char, Size> bytes{};
  Text() = default;
  Text(std::string_view text) {  // a label is a text
    text.copy(bytes.data(), Size - 1);
  }
  std::string_view view() const { return {bytes.data()}; }
  // Bytes behind the end are left over from an earlier text.
  bool operator==(const Text& other) const { return view() == other.view(); }
};
using Label = Text<56>;

// One recorded operation on a stream.
struct Operation {
  std::uint64_t index = 0;   // in this rank's ring; grows by one with each operation
  std::int64_t time_ns = 0;  // CLOCK_MONOTONIC of the host call
  Call call = Call::none;
  std::uint8_t datatype = 0;           // ncclDataType_t
  std::uint8_t reduction = 0;          // ncclRedOp_t
  std::uint8_t result = 0;             // ncclResult_t; not 0: the call failed and holds up nothing
  std::int32_t peer = -1;              // root or peer, a rank of the communicator; kAnyPeer
  std::int32_t tag = 0;                // of an MPI message; kAnyTag
  std::uint32_t communicator = kNone;  // index in Snapshot::communicators
  std::uint32_t stream = kNone;        // index in Snapshot::streams
  std::uint32_t thread = kNone;        // index in Snapshot::threads
  std::uint64_t slot = 0;              // see docs/record_format.md
  std::uint64_t count = 0;             // elements; MPI: bytes, 0 if it need not wait for any
  std::uint64_t position = 0;          // on its stream, from 1; a group on one stream shares one
  // A call is launched when the vendor's function has returned (of a group, the outermost end):
  // before, nothing of it need be on its stream. Launches of a process are numbered from 1.
  std::uint64_t called = 0;    // how many launches there were when the vendor was called
  std::uint64_t launched = 0;  // which one it is; 0: it is only announced, and has no position
  bool deferred = false;       // NCCL took it, and launches it by itself when it has connected
  // 1 + the index of the first operation of the same group on the same communicator; 0: it is that
  // one, or was called alone. They run as one, whatever their streams.
  std::uint64_t leader = 0;
  // Announced, and may still be refused. Not said of a call that is seen to wait for its peers.
  bool open = false;
  // event_wait: what the event marks.
  std::uint32_t event_stream = kNone;
  std::uint64_t event_position = 0;  // everything on event_stream up to here (0: nothing recorded)
  std::array<std::uint64_t, kCallers> callers{};  // return addresses, innermost first, 0 ends
  Label label;                                    // innermost NVTX range at the call
};

// What a host thread waits for inside a recorded call.
enum class Waits : std::uint8_t {
  nothing,               // running, or asleep, in code that is not recorded
  device,                // what is launched on all streams of `device`
  legacy_stream,         // the legacy default stream of `device`, and so its blocking streams
  stream,                // all of `stream` up to `position`
  communicator_members,  // all members of `communicator` to make the same call (init, split,
                         // destroy…)
  operation,             // lazy connect: the host itself waits in what the thread has announced
  all_requests,          // MPI: everything on all of the streams `requests`
  any_request,           // MPI: everything on one of them
};

struct Thread {
  std::int64_t tid = 0;
  std::uint64_t epoch = 0;  // changes at every entry to and return from a recorded waiting call
  Call call = Call::none;   // the waiting call that it is in
  Waits waits = Waits::nothing;
  std::int64_t since_ns = 0;  // when its last wait began
  std::uint32_t device = 0;
  std::uint32_t stream = kNone;
  std::uint64_t position = 0;
  std::uint32_t communicator = kNone;
  std::uint64_t launches = 0;           // how many there were when the wait began
  std::vector<std::uint32_t> requests;  // indexes in Snapshot::streams; none of others' waits
  std::array<std::uint64_t, kCallers> callers{};
  Label label;
  // From the kernel, filled in by the agent; empty when not read.
  bool exists = true;
  char state = 0;       // R, S, D, Z, T
  std::string syscall;  // "read(4)", "futex", "" when not known
  std::string wait_channel;
  Sleep sleep;  // while it is in no recorded wait
};

struct Stream {
  std::uint64_t handle = 0;
  std::uint32_t device = 0;
  bool legacy = false;          // the legacy default stream
  bool non_blocking = false;    // made with cudaStreamNonBlocking
  bool mpi = false;             // not a stream: a thread's calls of MPI, or one request of MPI's
  bool polled = false;          // progress found by polled events: coarser
  std::uint64_t missed = 0;     // polled: positions up to here may be past unseen
  std::uint64_t enqueued = 0;   // last position handed out
  std::uint64_t started = 0;    // progress word: last position reached
  std::uint64_t completed = 0;  // progress word: last position passed
};

enum class CommunicatorState : std::uint8_t { initialising, ready, closing, closed, aborted };

// How many messages of NCCL were launched in one direction.
struct MessageCount {
  std::int32_t peer = 0;
  bool sends = false;
  std::uint64_t count = 0;
};

struct Communicator {
  std::uint64_t id = 0;  // equal on all members; never 0
  std::string name;      // ncclConfig_t::commName, "" when not given
  std::int32_t size = 0;
  std::int32_t rank = 0;  // own rank in it
  std::uint32_t device = 0;
  CommunicatorState state = CommunicatorState::initialising;
  bool mpi = false;
  // MPI: it is not known which message met which of this rank's calls. Receives of anything
  // overlapped with others, or were cancelled, or there were calls that are not recorded.
  bool uncertain = false;
  std::uint64_t next_slot = 0;  // collectives called on it so far
  // The operation that failed last, if no collective followed it; none otherwise.
  Call failed_call = Call::none;
  std::uint8_t failed_result = 0;  // ncclResult_t
  // The communicator call (init, split, finalize, destroy …) this rank made last on it, and how
  // many such calls it has made: members must agree on both.
  Call last_call = Call::none;
  std::uint64_t calls = 0;
  // All of its messages so far, however long ago, by pairs that had any.
  std::vector<MessageCount> messages;
  bool counts_messages = false;  // false: others than these may have been launched
};

struct Module {
  std::uint64_t begin = 0;  // addresses as mapped in the process
  std::uint64_t end = 0;
  std::uint64_t bias = 0;  // address in process minus address in file
  std::string path;
};

enum class ProcessState : std::uint8_t { alive, exited, signaled };

struct Snapshot {
  std::int32_t rank = -1;
  std::int32_t world_size = 0;
  std::int64_t pid = 0;
  std::uint64_t claim = 0;  // differs for each program that has had the box; 0: none yet
  std::string host;
  std::string backend;  // "sim" or "cuda"
  std::int32_t nccl_version = 0;
  // How much the back end takes of a sender before the receiver comes; kUnknownSize: not known.
  std::uint64_t buffer_bytes = kUnknownSize;
  std::string mpi;  // which MPI is recorded, or why none is; "": none was seen
  // NCCL was given work for streams, and no call of CUDA was seen: the process has the CUDA runtime
  // linked into itself. Its streams' order, and its threads' waits for them, are not recorded.
  bool cuda_unseen = false;
  std::int64_t initialised_ns = 0;  // first communicator complete; 0: not yet
  std::int64_t last_change_ns = 0;  // newest time stamp in the box
  std::vector<Thread> threads;
  std::vector<Communicator> communicators;
  std::vector<Stream> streams;
  std::vector<Operation> operations;  // by index; all in flight, and those asked for
  std::vector<Module> modules;
  // Whether MPI was recorded at first, and then given up.
  bool mpi_was_given_up() const;
  bool overrun = false;        // operations in flight fell out of the ring: no proof over this rank
  std::uint64_t recorded = 0;  // index of the next operation; 0: none yet, or not known
  std::uint64_t polls = 0;     // rounds of the thread that looks at polled streams, before the rest
  std::string damage;          // what is wrong with the box; "" when sound
  // From the agent.
  ProcessState process = ProcessState::alive;
  std::int32_t exit_code = 0;  // or the signal's number
  bool code_known = true;      // false: another process started it, and keeps its code to itself
  // Of one that is gone: the launcher that may end the others for it and start all anew; 0: none.
  ProcessKey launcher = 0;
  std::int64_t gone_ns = 0;  // with a launcher: when it was first seen to be gone
  // Threads that the vendors' libraries, the simulation or the recorder have started for
  // themselves.
  std::vector<std::int64_t> library_threads;
  // Program threads that made no recorded call; those are left out.
  std::int32_t other_threads = 0;
  // Those, and the threads of other processes on the way from the agent to the rank and below it.
  // Every such process that is there stands in one of an agent's snapshots.
  std::vector<Sleeper> others;
  ProcessKey key = 0;  // of the rank's own process; 0: nobody looked at the kernel
  Signals signals = Signals::none;
  bool is_ending = false;  // its main thread is on its way out, and its process is not gone yet
};

}  // namespace gridlock::record
