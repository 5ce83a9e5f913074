// What a verdict says about ranks, as data: a kind and its values. harness/detect/words puts it
// into English, in one place for all reports.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "harness/detect/calls/communicator_names.h"
#include "harness/detect/calls/rules.h"
#include "harness/record/snapshot.h"

namespace gridlock::detect {

// Of a message. Messages are numbered by peer.
struct OtherSide {
  std::optional<std::int32_t> peer = {};  // rank of the job, or kAnyPeer
  std::optional<std::int32_t> tag = {};   // of MPI's, or kAnyTag
  auto operator<=>(const OtherSide&) const = default;
};

// Where a rank is: in an operation on a stream, or in a communicator call.
struct Place {
  record::Call call = record::Call::none;
  std::uint64_t slot = 0;
  OtherSide other = {};
  std::string label = {};
  CommunicatorName communicator = {};
  std::uint64_t graphs = 0;  // of the rank, which the call waits for it to destroy
  auto operator<=>(const Place&) const = default;
};

// What a rank did last.
struct After {
  enum class Kind : std::uint8_t {
    nothing,  // nothing is known
    failed,   // NCCL refused the call (`result`, 0: not known), and no collective came after it
    call,     // its newest communication
    inside,   // it was in the call
  };
  Kind kind = Kind::nothing;
  record::Call call = record::Call::none;
  std::uint64_t slot = 0;   // of a communication
  std::uint8_t result = 0;  // ncclResult_t, of a call that failed
  std::string label = {};
  auto operator<=>(const After&) const = default;
};

namespace phrase {

// Already in words: from a rank's report, the kernel, or a results file.
struct Said {
  std::string text;
  auto operator<=>(const Said&) const = default;
};

// --- What a culprit did ---

// A call that differs from what others called at the same slot.
struct CalledOther {
  Shape own;
  Shape others;
  auto operator<=>(const CalledOther&) const = default;
};
// The same, if the record no longer holds the calls.
struct CalledUnfit {
  auto operator<=>(const CalledUnfit&) const = default;
};
// A communicator that never formed, with a size, a rank or an id that contradict the others'.
struct Joined {
  CommunicatorName communicator;
  std::int32_t rank = 0;
  std::int32_t size = 0;
  std::int32_t others_size = 0;  // if all others announced another one; 0: they did not
  bool one_other = false;        // there is only one
  bool another_id = false;
  auto operator<=>(const Joined&) const = default;
};
struct NeverJoined {
  auto operator<=>(const NeverJoined&) const = default;
};
struct Ended {
  bool by_signal = false;
  int code = 0;            // or the signal
  bool code_known = true;  // false: only its launcher knows
  After after = {};
  bool never_joined = false;  // the communicator that the others wait for to form
  std::string reason = {};    // which the rank itself gave
  std::string where = {};     // "device 3 of host a"; "": not known, or not of interest
  auto operator<=>(const Ended&) const = default;
};
struct WrongNumbers {
  std::string detail;
  auto operator<=>(const WrongNumbers&) const = default;
};
// One of its streams runs the program's own code.
struct InStreamFunction {
  Place at;
  auto operator<=>(const InStreamFunction&) const = default;
};
// One of its threads ends a communicator, and nothing outside NCCL holds it.
struct InsideNccl {
  Place at;
  auto operator<=>(const InsideNccl&) const = default;
};
// One of its threads runs or sleeps outside recorded calls.
struct InHostCode {
  bool main_thread = false;
  char state = 0;  // as record::Thread has it
  std::string syscall = {};
  std::string wait_channel = {};
  After after = {};
  std::string where = {};
  auto operator<=>(const InHostCode&) const = default;
};
// Its device is busy with work that the record does not show, such as a kernel.
struct OnItsDevice {
  Place at;               // an operation on a stream, or the host's wait
  bool in_front = false;  // the work is in front of that operation
  std::string where = {};
  auto operator<=>(const OnItsDevice&) const = default;
};
// Its main thread, as in InHostCode.
struct NoCallYet {
  char state = 0;
  std::string syscall = {};
  std::string wait_channel = {};
  auto operator<=>(const NoCallYet&) const = default;
};
struct InUnrecordedCode {
  auto operator<=>(const InUnrecordedCode&) const = default;
};
// The communicator, before it had formed.
struct HasAborted {
  auto operator<=>(const HasAborted&) const = default;
};
struct HasClosed {
  auto operator<=>(const HasClosed&) const = default;
};
// A call that most ranks ended without making.
struct OneCallTooMany {
  Place at;
  auto operator<=>(const OneCallTooMany&) const = default;
};
// It makes calls, and not the one for which others wait.
struct GoesOn {
  std::optional<Place> missed = {};
  auto operator<=>(const GoesOn&) const = default;
};
struct WaitsIn {
  Place at;
  std::optional<Place> missed = {};  // a call for which others wait, and which it has not made
  auto operator<=>(const WaitsIn&) const = default;
};

// --- A rank on a cycle of waits ---

struct Step {
  int rank = 0;
  Place at = {};
  std::string asleep_on = {};  // "a pipe", outside of recorded calls; then `at` is empty
  auto operator<=>(const Step&) const = default;
};

// --- What a proof assumes, and about which ranks ---

struct Assumes {
  enum class What : std::uint8_t {
    silent_threads,    // threads that never made a recorded call will not start to
    idle_threads,      // threads that wake up by the clock wake no thread that is idle
    helpers_nap,       // helpers and launchers that wake up by the clock only sleep again
    may_wait,          // a call that only may wait for the device does wait
    polled,            // progress found by polling is what its events say
    no_failures,       // no kernel that a device may still run fails
    standard_send,     // MPI does not buffer it
    mpi_begins_ends,   // MPI_Init and MPI_Finalize wait for all ranks
    died_inside,       // what a process that is gone had under way goes no further
    misfits,           // NCCL calls that differ never complete
    misfits_of_mpi,    // MPI collectives that differ never complete
    no_signals,        // nobody outside the job sends a signal that a rank handles
    deaf_launchers,    // nobody outside the job signals a process beside the ranks
    no_outer_signals,  // no rank or helper sends one that usually comes from outside
    not_asked_to_end,  // no launcher sends one that asks a rank to end
    no_kills,          // no launcher kills a process whose end a rank waits for
    no_openers,        // nobody outside the job uses what a rank sleeps at, which has a name
    no_connections,    // nobody outside the job connects to a server in a rank
    far_limits,        // no time limit of a minute or more ends a sleep for good
    no_strangers,      // only ranks of the job join a communicator
    not_told,          // NCCL does not tell those who initialise or split that a member has ended
    no_restart,        // a launcher that has lost ranks neither restarts nor ends any
    brief_sleeps,      // no library thread holds the lock that a sleeper waits for
    buffers,           // how much NCCL buffers before the receiver takes it
    one_moment,        // saved boxes show all ranks at the same moment
  };
  What what = What::silent_threads;
  std::vector<int> ranks = {};
  auto operator<=>(const Assumes&) const = default;
};

// --- Further sentences of the explanation ---

// Ranks whose record cannot be trusted.
struct Unread {
  std::vector<int> ranks;
  std::string why;  // a clause: what happened to which part of the record
  auto operator<=>(const Unread&) const = default;
};
// A message that has been sent and not received.
struct Unreceived {
  int from = 0;  // ranks of the job
  int to = 0;
  std::optional<std::int32_t> tag = {};  // of MPI's
  std::uint64_t count = 0;               // how many such
  auto operator<=>(const Unreceived&) const = default;
};
// They have called this in a group that is still open, or was when they ended. So NCCL has not
// begun it.
struct OpenGroup {
  std::vector<int> ranks;
  Place first;
  bool ended = false;
  auto operator<=>(const OpenGroup&) const = default;
};
// A thread of theirs waits for Python's lock, and nobody who could give it away acts.
struct KeepsPythonsLock {
  std::vector<int> ranks;
  auto operator<=>(const KeepsPythonsLock&) const = default;
};
// Calls that do not belong together met at a slot, or on both sides of a message.
struct Crossed {
  struct Side {
    std::vector<int> ranks;
    Shape shape;
    std::string label;
    auto operator<=>(const Side&) const = default;
  };
  CommunicatorName communicator;
  std::uint64_t slot = 0;  // or the number of the message
  bool is_message = false;
  bool labels_only = false;  // the calls fit, but their purposes differ
  std::vector<Side> sides;
  auto operator<=>(const Crossed&) const = default;
};

// Who can act without anybody's help, while nothing is proven.
struct MayAct {
  struct Actor {
    enum class Kind : std::uint8_t { main_thread, thread, process, signal };
    Kind kind = Kind::thread;
    std::vector<int> ranks = {};  // sorted; of a helper: none
    std::int64_t process = 0;     // a helper's
    std::string name = {};        // of the thread or process
    char state = 0;               // as record::Thread has it
    std::string syscall = {};
    record::Call call = record::Call::none;  // a recorded one, which may return at any time
    record::Awake awake = record::Awake::not_seen;
    std::int64_t limit_ns = 0;  // it sleeps for this long at most; 0: not known
    auto operator<=>(const Actor&) const = default;
  };
  std::vector<Actor> actors;
  auto operator<=>(const MayAct&) const = default;
};

// They sleep at a futex, and who they wait for is taken from their event loops.
struct ByLoop {
  std::vector<int> ranks;
  auto operator<=>(const ByLoop&) const = default;
};

// The job stood still until these ranks aborted a communicator and so ended it.
struct EndedItself {
  std::vector<int> ranks;
  auto operator<=>(const EndedItself&) const = default;
};

}  // namespace phrase

using Phrase = std::variant<
    phrase::Said, phrase::CalledOther, phrase::CalledUnfit, phrase::Joined, phrase::NeverJoined,
    phrase::Ended, phrase::WrongNumbers, phrase::InStreamFunction, phrase::InsideNccl,
    phrase::InHostCode, phrase::OnItsDevice, phrase::NoCallYet, phrase::InUnrecordedCode,
    phrase::HasAborted, phrase::HasClosed, phrase::OneCallTooMany, phrase::GoesOn, phrase::WaitsIn,
    phrase::Step, phrase::Assumes, phrase::Unread, phrase::OpenGroup, phrase::KeepsPythonsLock,
    phrase::Unreceived, phrase::Crossed, phrase::MayAct, phrase::ByLoop, phrase::EndedItself>;

}  // namespace gridlock::detect
