// Finds out which MPI the process uses, and records operations.
#include "harness/recorder/mpi/mpi.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>

#include "harness/recorder/core/communicators/communicators.h"
#include "harness/recorder/core/process/tools.h"
#include "harness/recorder/core/streams/streams.h"
#include "harness/recorder/mpi/messages.h"

namespace gridlock::recorder {
namespace {

enum class Known : std::uint8_t { undecided, yes, no };
constinit std::atomic<Known> g_known = Known::undecided;

GRIDLOCK_LOOKUP constinit Mpi<2> g_library_version("PMPI_Get_library_version");
GRIDLOCK_LOOKUP constinit Mpi<2> g_type_size("PMPI_Type_size");

// What libraries with MPICH's interface call themselves.
bool has_interface_of_mpich(const char* version) {
  return std::strstr(version, "MPICH") != nullptr || std::strstr(version, "MVAPICH") != nullptr ||
         std::strstr(version, "Intel(R) MPI") != nullptr;
}

bool find_out() {
  constexpr std::size_t kLongest = 8192;  // MPI_MAX_LIBRARY_VERSION_STRING of both families
  char version[kLongest] = "";
  int length = 0;
  if (g_library_version.get() == nullptr) return false;
  g_library_version.get()(as_word(version), as_word(&length));
  version[kLongest - 1] = '\0';
  // The first line, with single blanks.
  std::size_t size = 0;
  for (std::size_t at = 0; version[at] != '\0' && version[at] != '\n'; ++at) {
    const char letter = version[at] == '\t' ? ' ' : version[at];
    if (letter == ' ' && (size == 0 || version[size - 1] == ' ')) continue;
    version[size++] = letter;
  }
  version[size] = '\0';
  const bool known = has_interface_of_mpich(version);
  char text[sizeof(record::Text<64>)];
  std::snprintf(text, sizeof text, known ? "%.60s" : "not recorded: %.40s", version);
  writer().say_mpi(record::Text<64>(text));
  return known;
}

bool is_null_peer(const MpiCall& what) {
  return record::is_message(what.call) && what.peer == mpi::kProcNull;
}

}  // namespace

bool knows_mpi() {
  if (mpi_has_a_tool()) [[unlikely]] {
    // It may make other calls of what the program calls.
    if (g_known.load(std::memory_order_acquire) != Known::no) {
      stop_recording_mpi("a library stands before MPI");
    }
    return false;
  }
  const Known known = g_known.load(std::memory_order_acquire);
  if (known != Known::undecided) [[likely]]
    return known == Known::yes;
  const bool found = find_out();
  Known expected = Known::undecided;
  g_known.compare_exchange_strong(expected, found ? Known::yes : Known::no);
  return g_known.load(std::memory_order_acquire) == Known::yes;
}

void stop_recording_mpi(const char* why) {
  g_known.store(Known::no, std::memory_order_release);
  char text[sizeof(record::Text<64>)];
  std::snprintf(text, sizeof text, "not recorded: %.48s", why);
  writer().say_mpi(record::Text<64>(text));
}

void note_failure() { stop_recording_mpi("a call has failed"); }

std::uint64_t mpi_bytes(std::uint64_t count, Word type) {
  // An unused type may be null, which must not be passed to MPI.
  if (g_known.load(std::memory_order_relaxed) != Known::yes ||
      (as_handle(type) & mpi::kKindOfHandle) == 0) {
    return count;
  }
  int size = 0;
  if ((as_handle(type) & mpi::kKindOfType) == mpi::kBuiltInType) [[likely]] {
    size = mpi::size_of_built_in(as_handle(type));
  } else if (g_type_size.get() != nullptr) {
    g_type_size.get()(type, as_word(&size));
  }
  return count * static_cast<std::uint64_t>(std::max(size, 0));
}

MpiPlaced place_call(const MpiCall& what, ThreadState& thread, std::uint32_t stream) {
  register_thread(thread);
  MpiPlaced call;
  call.communicator = mpi_communicator(what.communicator);
  if (call.communicator == record::kNone || is_null_peer(what)) return call;
  call.recorded = true;
  record::OperationEntry entry;
  entry.call = what.call;
  entry.peer = what.peer;
  entry.tag = what.tag;
  entry.communicator = call.communicator;
  entry.stream = stream;
  entry.count = what.bytes;
  if (record::is_collective(what.call)) {
    entry.slot = hand_out_slot(call.communicator);
  } else {
    call.wild = what.call == record::Call::mpi_recv &&
                (what.peer == mpi::kAnySource || what.tag == mpi::kAnyTag);
    if (call.wild) call.id = communicator_id(call.communicator);
    entry.slot = number_message(what.call, call.communicator, what.peer, what.tag);
  }
  call.placed = place_in_mpi(entry, thread, what.frame);
  return call;
}

void finish_call(const MpiPlaced& call, ThreadState& thread, int result,
                 const mpi::Status* status) {
  if (!call.recorded) return;
  if (result != mpi::kSuccess) note_failure();
  if (call.wild && communicator_id(call.communicator) == call.id) {
    const bool is_known = result == mpi::kSuccess && status != nullptr;
    end_of_wild(call.communicator, thread, is_known ? status : nullptr);
  }
  finish_in_mpi(call.placed);
}

MpiWait begin_wait(const MpiCall& what, ThreadState& thread) {
  register_thread(thread);
  if (thread.mpi_queue == record::kNone) thread.mpi_queue = add_mpi_queue(0);
  MpiWait wait{.call = place_call(what, thread, thread.mpi_queue)};
  if (wait.call.placed.position == 0) return wait;
  enter_wait(thread,
             {.call = what.call,
              .waits = record::Waits::stream,
              .device = record::kNone,
              .stream = wait.call.placed.stream,
              .position = wait.call.placed.position,
              .communicator = wait.call.communicator},
             what.frame);
  return wait;
}

void end_wait(const MpiWait& wait, ThreadState& thread, int result, const mpi::Status* status) {
  finish_call(wait.call, thread, result, status);
  if (wait.call.placed.position != 0) leave_wait(thread);
}

}  // namespace gridlock::recorder
