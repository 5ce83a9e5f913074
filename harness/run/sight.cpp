// Snapshots, and a number that changes when anything does.
#include "harness/run/sight.h"

#include <signal.h>
#include <time.h>

#include <algorithm>
#include <cerrno>

#include "harness/record/reader.h"
#include "harness/run/kernel_view.h"

namespace gridlock::run {
namespace {

using record::ProcessState;
using record::Snapshot;

void mix(std::uint64_t& pulse, std::uint64_t value) {
  pulse = (pulse ^ value) * 0x9e3779b97f4a7c15U;
  pulse ^= pulse >> 29U;
}

std::uint64_t pulse_of(const std::vector<Snapshot>& snapshots) {
  std::uint64_t pulse = 1;
  for (const Snapshot& snapshot : snapshots) {
    mix(pulse, static_cast<std::uint64_t>(snapshot.process));
    mix(pulse, snapshot.recorded);
    mix(pulse, snapshot.threads.size());
    mix(pulse, snapshot.communicators.size());
    for (const record::Thread& thread : snapshot.threads) mix(pulse, thread.epoch);
    for (const record::Stream& stream : snapshot.streams) {
      mix(pulse, stream.started);
      mix(pulse, stream.completed);
    }
    for (const record::Communicator& communicator : snapshot.communicators) {
      mix(pulse, static_cast<std::uint64_t>(communicator.state));
      mix(pulse, communicator.calls);
      mix(pulse, communicator.next_slot);
    }
  }
  return pulse;
}

bool is_gone(std::int64_t pid) { return kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH; }

// Says in the snapshot of `rank` what became of its process.
void add_process(Snapshot& snapshot, int rank, const Ranks& ranks, bool by_program) {
  const std::size_t index = by_program ? 0 : static_cast<std::size_t>(rank);
  const auto& ending = ranks.ending(index);
  if (snapshot.pid == 0 && !by_program) snapshot.pid = ranks.pid(index);
  const bool is_child = snapshot.pid == ranks.pid(index);
  if (ending && (is_child || is_gone(snapshot.pid))) {
    snapshot.process = ending->signaled ? ProcessState::signaled : ProcessState::exited;
    snapshot.exit_code = ending->code;
  } else if (!is_child && snapshot.pid != 0 && is_gone(snapshot.pid)) {
    // A descendant that its own parent has reaped: how it ended is that parent's secret.
    snapshot.process = ProcessState::exited;
  }
}

}  // namespace

std::int64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

bool Sight::look(Boxes& boxes, const Ranks& ranks, bool by_program, const detect::Ledger& ledger,
                 Depth depth) {
  const std::int64_t look_ns = now_ns();
  snapshots_.resize(static_cast<std::size_t>(boxes.ranks()));
  std::int64_t newest_ns = 0;
  for (int rank = 0; rank < boxes.ranks(); ++rank) {
    const auto bytes = boxes.bytes(rank);
    Snapshot& snapshot = snapshots_[static_cast<std::size_t>(rank)];
    snapshot = record::read(bytes.data(), bytes.size(), ledger.next_index(rank),
                            record::Modules::leave_out);
    // A rank that has made no call yet has claimed no box: it is one that may do anything.
    snapshot.rank = rank;
    if (snapshot.world_size == 0) snapshot.world_size = boxes.ranks();
    add_process(snapshot, rank, ranks, by_program);
    if (depth == Depth::kernel && snapshot.process == ProcessState::alive) {
      add_kernel_view(snapshot);
    }
    newest_ns = std::max(newest_ns, snapshot.last_change_ns);
  }
  const std::uint64_t pulse = pulse_of(snapshots_);
  const bool moved = pulse != pulse_;
  if (moved) last_progress_ns_ = std::max(newest_ns, last_look_ns_);
  pulse_ = pulse;
  last_look_ns_ = look_ns;
  return moved;
}

std::int64_t Sight::initialised_ns() const {
  std::int64_t last = 0;
  for (const Snapshot& snapshot : snapshots_) {
    if (snapshot.initialised_ns == 0) return 0;
    last = std::max(last, snapshot.initialised_ns);
  }
  return last;
}

std::vector<int> Sight::initialising() const {
  std::vector<int> ranks;
  for (const Snapshot& snapshot : snapshots_) {
    if (snapshot.initialised_ns == 0 && snapshot.process == ProcessState::alive) {
      ranks.push_back(snapshot.rank);
    }
  }
  return ranks;
}

std::vector<int> Sight::ending() const {
  std::vector<int> ranks;
  for (const Snapshot& snapshot : snapshots_) {
    if (snapshot.is_ending && snapshot.process == ProcessState::alive) {
      ranks.push_back(snapshot.rank);
    }
  }
  return ranks;
}

void Sight::read_modules(Boxes& boxes) {
  // Snapshots that were never taken have nothing to be completed with.
  for (std::size_t i = 0; i < snapshots_.size(); ++i) {
    const auto bytes = boxes.bytes(static_cast<int>(i));
    snapshots_[i].modules =
        record::read(bytes.data(), bytes.size(), ~std::uint64_t{0}, record::Modules::read).modules;
  }
}

}  // namespace gridlock::run
