// The waits of a collective. Each waits for a count of ranks, so that only the last rank wakes
// waiters.
#include "sim/nccl/collectives/slot.h"

#include <cstring>

namespace sim::nccl {

Slot::Slot(Unit& unit, const Call& call)
    : unit_(unit),
      c_(unit.communicator()),
      call_(call),
      number_(c_.next_collective++),
      counters_(c_.segment().counters(number_)),
      before_(number_ / kSlots * static_cast<std::uint64_t>(c_.ranks())) {
  unit_.wait_until(kFinish, [&] { return counters_.finished.load() >= before_; });
  half_way_before_ = counters_.half_way.load();
}

bool Slot::fits_inline(std::size_t bytes_per_rank) const {
  return bytes_per_rank <= c_.segment().inline_bytes();
}

void Slot::write_inline(const void* data, std::size_t bytes) {
  if (number_ >= kInlineSlots) {
    const std::uint64_t previous = number_ - kInlineSlots;
    const std::uint64_t wanted = (previous / kSlots + 1) * static_cast<std::uint64_t>(c_.ranks());
    SlotCounters& counters = c_.segment().counters(previous);
    unit_.wait_until(kFinish, [&] { return counters.finished.load() >= wanted; });
  }
  std::memcpy(c_.segment().inline_data(number_, rank()), data, bytes);
}

void Slot::publish(std::uint64_t send, std::uint64_t receive) {
  Record& mine = c_.segment().record(number_, rank());
  mine.kind = call_.kind;
  mine.root = call_.root;
  mine.bytes = call_.bytes;
  mine.send = send;
  mine.receive = receive;
  mine.scaled = call_.scaled ? 1 : 0;
  mine.scalar = call_.factor.bits;
  if (call_.scaled && call_.factor.where != nullptr) {
    mine.scalar = 0;
    std::memcpy(&mine.scalar, call_.factor.where, size_of(call_.factor.type));
  }
  mine.number.store(number_ + 1);
  const std::uint64_t arrived = counters_.arrived.fetch_add(1) + 1 - before_;
  const bool feeds_all =
      is_root() && (call_.kind == Kind::kBroadcast || call_.kind == Kind::kScatter);
  if (feeds_all || arrived == static_cast<std::uint64_t>(ranks())) {
    c_.segment().ring_all(kArrival);
  }
}

bool Slot::compatible(int rank) const {
  const Record& other = record(rank);
  return other.kind == call_.kind && other.bytes == call_.bytes && other.root == call_.root;
}

void Slot::require_compatible(int first, int last) {
  for (int rank = first; rank < last; ++rank) {
    if (!compatible(rank)) unit_.wait_for_ever();
  }
}

void Slot::wait_for_all() {
  const auto wanted = before_ + static_cast<std::uint64_t>(ranks());
  unit_.wait_until(kArrival, [&] { return counters_.arrived.load() >= wanted; });
  require_compatible(0, ranks());
}

void Slot::wait_for_root() {
  unit_.wait_until(kArrival, [&] { return record(call_.root).number.load() == number_ + 1; });
  require_compatible(call_.root, call_.root + 1);
}

void Slot::meet_half_way() {
  const auto wanted = static_cast<std::uint64_t>(ranks());
  if (counters_.half_way.fetch_add(1) + 1 == half_way_before_ + wanted) {
    c_.segment().ring_all(kHalfWay);
  }
  unit_.wait_until(kHalfWay,
                   [&] { return counters_.half_way.load() >= half_way_before_ + wanted; });
}

void Slot::finish() {
  const std::uint64_t finished = counters_.finished.fetch_add(1) + 1 - before_;
  c_.self().done.store(number_ + 1);
  const auto all = static_cast<std::uint64_t>(ranks());
  const bool root_waits = call_.kind == Kind::kBroadcast || call_.kind == Kind::kScatter;
  const bool leaves_wait =
      is_root() && (call_.kind == Kind::kReduce || call_.kind == Kind::kGather);
  if (finished == all || leaves_wait || (root_waits && finished + 1 == all)) {
    c_.segment().ring_all(kFinish);
  }
}

void Slot::finish_together() {
  finish();
  const auto wanted = before_ + static_cast<std::uint64_t>(ranks());
  unit_.wait_until(kFinish, [&] { return counters_.finished.load() >= wanted; });
}

void Slot::wait_for_others() {
  const auto wanted = before_ + static_cast<std::uint64_t>(ranks()) - 1;
  unit_.wait_until(kFinish, [&] { return counters_.finished.load() >= wanted; });
  require_compatible(0, ranks());
}

void Slot::wait_until_root_finished() {
  Member& root = c_.segment().member(call_.root);
  wait_for_root();
  unit_.wait_until(kFinish, [&] { return root.done.load() > number_; });
}

const std::byte* Slot::send_of(int rank) const { return c_.memory_of(rank) + record(rank).send; }

const std::byte* Slot::receive_of(int rank) const {
  return c_.memory_of(rank) + record(rank).receive;
}

Input Slot::input_of(int rank, std::size_t offset) const {
  return {send_of(rank) + offset, record(rank).scaled != 0, record(rank).scalar};
}

Input Slot::inline_input_of(int rank) const {
  return {inline_data(rank), record(rank).scaled != 0, record(rank).scalar};
}

const void* Slot::stage(const void* data, std::size_t bytes) {
  auto& kept = c_.rooted;
  while (!kept.entries.empty()) {
    const std::uint64_t number = kept.entries.front().number;
    const std::uint64_t complete = (number / kSlots + 1) * static_cast<std::uint64_t>(c_.ranks());
    if (c_.segment().counters(number).finished.load() < complete) break;
    kept.staged -= kept.entries.front().bytes;
    kept.entries.pop_front();
  }
  if (kept.staged + bytes > buffer_bytes()) return nullptr;
  Staging staging = make_staging(bytes);
  if (staging == nullptr) return nullptr;
  std::memcpy(staging.get(), data, bytes);
  const void* copy = staging.get();
  kept.staged += bytes;
  kept.entries.push_back({number_, bytes, std::move(staging)});
  return copy;
}

}  // namespace sim::nccl
