// What one black box says at one moment, as plain values. The detector sees nothing else of a rank.
// The reader makes snapshots from boxes; the detector's tests write them by hand.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "harness/record/call.h"
#include "harness/record/program.h"
#include "harness/record/sleep.h"

namespace gridlock::record {

constexpr std::uint32_t kNone = 0xffffffff;
constexpr int kCallers = 4;
constexpr std::uint64_t kUnknownSize = ~std::uint64_t{0};
// The peer and the tag of an MPI receive or probe that accepts any.
constexpr std::int32_t kAnyPeer = -2;
constexpr std::int32_t kAnyTag = -1;

// How Snapshot::mpi begins if MPI is not recorded.
constexpr std::string_view kNotRecorded = "not recorded: ";

// Text of fixed size, so that copying an operation allocates nothing. Longer text is cut off.
template <int Size>
struct Text {
  std::array<char, Size> bytes{};
  Text() = default;
  Text(std::string_view text) {  // a label is a text
    text.copy(bytes.data(), Size - 1);
  }
  std::string_view view() const { return {bytes.data()}; }
  // Bytes after the end may be left over from an earlier text.
  bool operator==(const Text& other) const { return view() == other.view(); }
};
using Label = Text<56>;

// An operator that the program made (ncclRedOpCreatePreMulSum). Its handle may be any number, and
// says nothing on other ranks.
constexpr std::uint8_t kOwnReduction = 255;

// What an operation has to do with a CUDA graph.
enum class Graph : std::uint8_t {
  none,
  launched,    // put on its stream by the launch of one
  calls_host,  // the same, and the graph also calls the program's host functions
  line,        // as launched, and the graph runs its communications one after the other
};

// One recorded operation on a stream. What the detector's walk reads of each fills the first line
// of cache; the other two are read of few.
struct alignas(64) Operation {
  Call call = Call::none;
  std::uint8_t datatype = 0;   // ncclDataType_t
  std::uint8_t reduction = 0;  // ncclRedOp_t; kOwnReduction
  std::uint8_t result = 0;     // ncclResult_t; not 0: the call failed and holds up nothing
  Graph graph = Graph::none;
  // Announced, and may still be refused or get another slot. A call that is seen to wait for its
  // peers at its slot is not open.
  bool open = false;
  bool deferred = false;               // NCCL launches it by itself when it has connected
  std::uint32_t communicator = kNone;  // index in Snapshot::communicators
  std::uint32_t stream = kNone;        // index in Snapshot::streams
  std::uint64_t slot = 0;              // see docs/record_format.md
  std::uint64_t count = 0;             // elements; MPI: bytes, 0 if it waits for no rank
  std::uint64_t position = 0;          // on its stream, from 1; a group on one stream shares one
  // A call is launched when the vendor's function has returned (for a group, the outermost end).
  // Before that, it may not be on its stream yet. A process's launches are numbered from 1.
  std::uint64_t called = 0;    // how many launches there were when the vendor was called
  std::uint64_t launched = 0;  // which launch it is; 0: only announced, without a position
  // 1 + the index of the first operation of the same group on the same communicator; 0: it is the
  // first itself, or was called alone. A group's operations run as one, whatever their streams. In
  // a line, each run of operations on one communicator is such a group.
  std::uint64_t leader = 0;
  std::uint64_t index = 0;       // in this rank's ring; grows by one with each operation
  std::int64_t time_ns = 0;      // CLOCK_MONOTONIC of the host call
  std::int32_t peer = -1;        // root or peer, a rank of the communicator; kAnyPeer
  std::int32_t tag = 0;          // of an MPI message; kAnyTag
  std::uint32_t thread = kNone;  // index in Snapshot::threads
  // event_wait: what the event marks.
  std::uint32_t event_stream = kNone;
  std::uint64_t event_position = 0;  // everything on event_stream up to here (0: nothing recorded)
  std::array<std::uint64_t, kCallers> callers{};  // return addresses, innermost first, 0 ends
  Label label;                                    // innermost NVTX range at the call
};

// What a host thread waits for inside a recorded call.
enum class Waits : std::uint8_t {
  nothing,               // running, or asleep, in code that is not recorded
  device,                // everything launched on all streams of `device`
  legacy_stream,         // the legacy default stream of `device`, and so its blocking streams
  stream,                // all of `stream` up to `position`
  communicator_members,  // all members of `communicator` to make the same call (init, split,
                         // destroy…)
  operation,             // lazy connect: the host itself waits in its announced call
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
  std::uint64_t launches = 0;           // how many before the wait began
  std::vector<std::uint32_t> requests;  // indexes in Snapshot::streams, for request waits
  std::array<std::uint64_t, kCallers> callers{};
  Label label;
  // What it last asked CUDA, NCCL or MPI about, if the answer was that it has not ended. Not of a
  // thread that waits.
  struct Asked {
    Waits waits = Waits::nothing;  // stream, legacy_stream, communicator_members or all_requests
    std::uint32_t of = kNone;      // index in Snapshot::communicators, or else in its streams
    std::uint64_t position = 0;    // on the stream
    std::int64_t at_ns = 0;        // when; 0: nothing
  };
  Asked asked;
  // From the kernel, filled in by the agent; empty if not read.
  bool exists = true;
  std::string name;     // "python3", "pt_nccl_watchdg"
  char state = 0;       // R, S, D, Z, T
  std::string syscall;  // "read(4)", "futex"; "": not known
  std::string wait_channel;
  Sleep sleep;      // if it is in no recorded wait
  Sleep in_launch;  // if it is launching: somebody else than the device may have to wake it

  // Whether it is in a call that puts work on its device's streams, and so may wait there for what
  // is on them already.
  bool is_launching() const { return waits == Waits::device && launches_work(call); }
};

struct Stream {
  std::uint64_t handle = 0;
  std::uint32_t device = 0;
  bool legacy = false;          // the legacy default stream
  bool non_blocking = false;    // made with cudaStreamNonBlocking
  bool mpi = false;             // not a stream: a thread's MPI calls, or one MPI request
  bool polled = false;          // progress found by polling events: coarser
  std::uint64_t missed = 0;     // positions up to here may be past unseen
  std::uint64_t enqueued = 0;   // last position handed out
  std::uint64_t started = 0;    // progress word: last position reached
  std::uint64_t completed = 0;  // progress word: last position passed
};

enum class CommunicatorState : std::uint8_t { initialising, ready, closing, closed, aborted };

// How many NCCL messages were launched in one direction.
struct MessageCount {
  std::int32_t peer = 0;
  bool sends = false;
  std::uint64_t count = 0;
};

struct Communicator {
  std::uint64_t id = 0;  // equal on all members; never 0
  std::string name;      // ncclConfig_t::commName; "": not given
  std::int32_t size = 0;
  std::int32_t rank = 0;  // own rank in it
  std::uint32_t device = 0;
  CommunicatorState state = CommunicatorState::initialising;
  bool mpi = false;
  // MPI: nothing tells which message met which of this rank's calls. A receive from any source
  // overlapped others, a request was cancelled, or there were unrecorded calls. NCCL: nothing tells
  // which of this rank's calls belong to which of the others' (docs/record_format.md).
  bool uncertain = false;
  // How many CUDA graphs of this rank, executable or not, contain its communications. NCCL ends the
  // communicator only when they are destroyed.
  std::uint64_t graphs = 0;
  std::uint64_t next_slot = 0;  // collectives called on it so far
  // The last failed call, if no collective followed it; none otherwise.
  Call failed_call = Call::none;
  std::uint8_t failed_result = 0;  // ncclResult_t
  // This rank's last communicator call on it (init, split, finalize, destroy …), and how many such
  // calls it has made. Members must agree on both.
  Call last_call = Call::none;
  std::uint64_t calls = 0;
  // Counts of all its messages so far, for each pair that had any.
  std::vector<MessageCount> messages;
  bool counts_messages = false;  // false: there may have been others

  // Other members of a communicator of NCCL may have counted its calls, or the communicators,
  // otherwise.
  bool is_counted_otherwise() const { return uncertain && !mpi; }
  bool init_has_failed() const {
    return state == CommunicatorState::aborted && last_call == Call::comm_init;
  }
};

// What a rank has sent to another host over TCP, and nobody has acknowledged.
struct Unanswered {
  std::string to;              // the other host's address
  std::int32_t rank = -1;      // at the other end; -1: not known
  std::uint64_t bytes = 0;     // that wait
  std::uint32_t tries = 0;     // how often the kernel has sent them again
  bool has_route = true;       // false: no way leads there, because this host's link is down
  bool peer_has_route = true;  // false: no way leads back, because the other host's link is down
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
  std::uint64_t claim = 0;  // differs for each program that has owned the box; 0: none yet
  ProgramNumbers program;   // that the owner executed when it claimed the box
  std::string host;
  std::string backend;  // "sim", "simnccl" (the real NCCL on the simulated CUDA) or "cuda"
  bool own_nccl() const { return backend == "sim"; }
  std::int32_t nccl_version = 0;
  // How many bytes the back end lets a sender send before the receiver comes; kUnknownSize: not
  // known.
  std::uint64_t buffer_bytes = kUnknownSize;
  std::string mpi;  // which MPI is recorded, or why none is; "": none was seen
  // NCCL was given work for streams, but no CUDA call was seen: the program has the CUDA runtime
  // linked in. The order of its streams, and its threads' waits for them, are not recorded.
  bool cuda_unseen = false;
  // It has made CUDA user objects. CUDA runs their destructors on a thread of its own, at any time.
  bool has_destructors = false;
  std::int64_t initialised_ns = 0;  // first communicator complete; 0: not yet
  std::int64_t last_change_ns = 0;  // newest time stamp in the box
  std::vector<Thread> threads;
  std::vector<Communicator> communicators;
  std::vector<Stream> streams;
  std::vector<Operation> operations;  // by index: all in flight, and those requested
  std::vector<Module> modules;
  // Whether MPI was recorded at first and then no longer.
  bool mpi_was_given_up() const;
  bool overrun = false;        // operations in flight left the ring: no proof about this rank
  std::uint64_t recorded = 0;  // index of the next operation; 0: none yet, or not known
  std::uint64_t polls = 0;     // rounds of the polling thread; read before the rest
  std::string damage;          // what is wrong with the box; "" if sound
  // From the agent.
  ProcessState process = ProcessState::alive;
  std::int32_t exit_code = 0;  // or the signal's number
  bool code_known = true;      // false: only another process, which started it, knows
  // If the process is gone: the launcher that may therefore end the others and restart all;
  // anybody_at() if it is gone too, and may have left others that do so; 0: none.
  ProcessKey launcher = 0;
  std::int64_t gone_ns = 0;  // with a launcher: when the rank was first seen to be gone
  // Threads that the vendors' libraries, the simulation or the recorder started for themselves. One
  // that is being created is kLibraryThreadToCome.
  std::vector<std::int64_t> library_threads;
  // How many program threads made no recorded call; library threads do not count.
  std::int32_t other_threads = 0;
  // These threads, and threads of other processes between the agent and the rank and below it. Each
  // such process is in one of an agent's snapshots.
  std::vector<Sleeper> others;
  // Of all processes of the agent's job; in its first snapshot, if the job is on several hosts.
  std::vector<FarConnection> connections;
  ProcessKey key = 0;  // of the rank's own process; 0: the agent did not ask the kernel
  Signals signals = Signals::none;
  // It handles a signal that usually comes from outside, to end, stop or continue it, or that MPI's
  // libraries handle.
  bool handles_outer_signal = false;
  // How much time of a core it has used, if it handles a signal that comes at some such time: a
  // proof needs two looks between which it has used none.
  std::uint64_t processor_time_ns = 0;
  // If the rank handles a request to end (SIGTERM): the processes that may send it one, which are
  // those that it has started. 0 stands for one that nobody has looked at, and may do anything.
  std::vector<ProcessKey> enders;
  // And the processes above it: launchers, which may ask it to end too.
  std::vector<ProcessKey> launchers;
  Thread first_thread;     // of a process that has made no recorded call yet, as the kernel sees it
  bool is_ending = false;  // all its threads are exiting, but its process is not gone yet
  std::vector<Unanswered> unanswered;  // filled in before a stall is explained
  // If calls of other ranks last, and this one makes calls: those since this time are under way.
  // Set before their stall is explained; 0: otherwise.
  std::int64_t goes_on_since_ns = 0;
  bool goes_on() const { return goes_on_since_ns != 0; }
};

}  // namespace gridlock::record
