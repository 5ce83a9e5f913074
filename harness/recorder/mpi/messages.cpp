// One counter for each communicator, peer, tag and direction.
#include "harness/recorder/mpi/messages.h"

#include <atomic>

#include "harness/recorder/core/clock.h"
#include "harness/recorder/core/communicators/communicators.h"
#include "harness/recorder/core/fixed_map.h"
#include "harness/recorder/core/operations.h"
#include "harness/recorder/core/recorder.h"

namespace gridlock::recorder {
namespace {

using record::Call;

constexpr std::size_t kCounters = 16384;
FixedMap<2 * kCounters> g_messages;  // never more than half full, so that searches are short
std::atomic<std::size_t> g_used = 0;

struct Uses {
  std::atomic<std::uint32_t> times = 0;  // how many communicators have used the entry
  std::atomic<int> wild = 0;             // receives from any source or tag under way
};
Uses g_uses[record::kCommunicators];

std::uint64_t mixed(std::uint64_t value) {  // one to one. Source: splitmix64
  value = (value ^ value >> 30U) * 0xbf58476d1ce4e5b9U;
  value = (value ^ value >> 27U) * 0x94d049bb133111ebU;
  return value ^ value >> 31U;
}

// A hash. If all counters are in use, the chance that two of them collide is 1 in 10^11.
std::uint64_t key_of(std::uint32_t communicator, int peer, int tag, bool sends) {
  const auto word = [](int part) { return std::uint64_t{static_cast<std::uint32_t>(part)}; };
  const std::uint64_t line = word(peer) << 32U | word(tag);
  const std::uint64_t use = std::uint64_t{g_uses[communicator].times} << 32U |
                            std::uint64_t{communicator} << 1U | (sends ? 1U : 0U);
  const std::uint64_t hash = mixed(mixed(use + 1) ^ line);
  return hash == 0 || ~hash == 0 ? 1 : hash;
}

// Null if there is no such counter, or no room for it.
std::atomic<std::uint64_t>* counter(std::uint64_t key, bool make) {
  auto* found = g_messages.find(key);
  if (found != nullptr || !make) return found;
  if (g_used.fetch_add(1) >= kCounters || !g_messages.set(key, 0)) return nullptr;
  return g_messages.find(key);
}

}  // namespace

std::uint64_t number_message(Call call, std::uint32_t communicator, int peer, int tag) {
  const bool sends = record::sends(call);
  if (!sends) {
    Uses& uses = g_uses[communicator];
    if (uses.wild.load() > 0) mark_uncertain(communicator);
    if (peer == mpi::kAnySource || tag == mpi::kAnyTag) {
      if (call == Call::mpi_recv) uses.wild.fetch_add(1);
      return 0;
    }
  }
  const bool counts = call != Call::mpi_probe;
  auto* number = counter(key_of(communicator, peer, tag, sends), counts);
  if (number == nullptr) {
    if (counts) mark_uncertain(communicator);
    return 0;
  }
  return counts ? number->fetch_add(1) : number->load();
}

void end_of_wild(std::uint32_t communicator, ThreadState& thread, const mpi::Status* status) {
  g_uses[communicator].wild.fetch_sub(1);
  if (status == nullptr) return mark_uncertain(communicator);
  got_message(communicator, thread, *status);
}

void got_message(std::uint32_t communicator, ThreadState& thread, const mpi::Status& status) {
  if (status.source < 0) return mark_uncertain(communicator);
  auto* number = counter(key_of(communicator, status.source, status.tag, false), true);
  if (number == nullptr) return mark_uncertain(communicator);
  record::OperationEntry entry;
  entry.call = Call::mpi_got;
  entry.peer = status.source;
  entry.tag = status.tag;
  entry.communicator = communicator;
  entry.thread = thread.index;
  entry.slot = number->fetch_add(1);
  entry.time_ns = now_ns();
  add_alone(entry);
}

void forget_messages(std::uint32_t communicator) {
  if (communicator == record::kNone) return;
  ++g_uses[communicator].times;
  g_uses[communicator].wild = 0;
}

}  // namespace gridlock::recorder
