// Takes snapshots, and keeps a number that changes when anything in them does.
#include "harness/run/look/sight.h"

#include <algorithm>

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

}  // namespace

void Sight::look(const detect::Ledger& ledger, Depth depth) {
  const std::int64_t look_ns = now_ns();
  if (fellows_ != nullptr) fellows_->ask(depth, ledger);
  own_.look(
      own_snapshots(), [&](int rank) { return ledger.next_index(rank); }, depth);
  if (fellows_ != nullptr) looked_ = fellows_->take(snapshots_);
  std::int64_t newest_ns = 0;
  for (const Snapshot& snapshot : snapshots_) {
    newest_ns = std::max(newest_ns, snapshot.last_change_ns);
  }
  const std::uint64_t pulse = pulse_of(snapshots_);
  if (pulse != pulse_) last_progress_ns_ = std::max(newest_ns, last_look_ns_);
  pulse_ = pulse;
  last_look_ns_ = look_ns;
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
    if (is_initialising(snapshot)) ranks.push_back(snapshot.rank);
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

bool Sight::no_rank_is_left() const {
  return std::ranges::none_of(
      snapshots_, [](const Snapshot& snapshot) { return snapshot.process == ProcessState::alive; });
}

void Sight::read_modules() {
  own_.read_modules(own_snapshots());
  if (fellows_ != nullptr) fellows_->read_modules(snapshots_);
}

Hindrances Sight::hindrances() {
  Hindrances all = run::hindrances(own_snapshots());
  if (fellows_ != nullptr) fellows_->add_hindrances(all);
  return all;
}

}  // namespace gridlock::run
