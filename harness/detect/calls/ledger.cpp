// Matches the calls of all ranks slot by slot as they arrive, and notes which do not fit.
#include "harness/detect/calls/ledger.h"

#include <algorithm>
#include <optional>

namespace gridlock::detect {
namespace {

// If a slot has more kinds of calls than this, the rest share the last side: a report of a hundred
// sides helps no one.
constexpr std::size_t kMaxSides = 64;
// This many findings of each kind are kept, the first ones, because the first is the cause.
constexpr std::size_t kMaxFindings = 1024;
// A slot number further ahead than this comes from a damaged box.
constexpr std::uint64_t kMaxAhead = 1U << 20U;

std::uint64_t pair_key(std::int32_t from, std::int32_t to) {
  return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(from)) << 32U) |
         static_cast<std::uint32_t>(to);
}

void insert_sorted(std::vector<int>& ranks, int rank) {
  if (ranks.empty() || ranks.back() < rank) return ranks.push_back(rank);  // the usual case
  ranks.insert(std::lower_bound(ranks.begin(), ranks.end(), rank), rank);
}

}  // namespace

void Ledger::add(std::span<const record::Snapshot> snapshots) {
  for (const record::Snapshot& snapshot : snapshots) {
    if (!snapshot.damage.empty()) continue;
    names_.add(snapshot);
    add(snapshot);
  }
}

// Whether the rank's box now belongs to another program, whose operations count from 0. This look
// still asked for operations after the old program's last, so only the next look shows all.
bool Ledger::is_another_program(Rank& rank, const record::Snapshot& snapshot) {
  if (snapshot.claim == 0 || snapshot.claim == rank.claim) return false;
  const bool had_one = rank.claim != 0;
  // MPI's communicators have the same ids in both programs, so their message counts continue.
  if (had_one) {
    const bool complete = !rank.speaks_mpi;
    rank = {};
    rank.complete = complete;
  }
  rank.claim = snapshot.claim;
  programs_change_ = programs_change_ || had_one;
  return had_one;
}

void Ledger::add(const record::Snapshot& snapshot) {
  Rank& rank = ranks_[snapshot.rank];
  if (is_another_program(rank, snapshot)) return;
  const auto& operations = snapshot.operations;
  // Most looks show nothing new; the last operation tells.
  if (operations.empty() || operations.back().index < rank.next_index) return;
  auto next = std::lower_bound(
      operations.begin(), operations.end(), rank.next_index,
      [](const auto& operation, std::uint64_t index) { return operation.index < index; });
  std::vector<Communicator*> known(snapshot.communicators.size(), nullptr);
  std::optional<std::uint64_t> first_open;
  rank.has_open_mpi = false;
  for (; next != operations.end(); ++next) {
    const record::Operation& operation = *next;
    if (operation.index > rank.shown + (rank.seen ? 0 : 1)) rank.complete = false;
    rank.seen = true;
    rank.shown = std::max(rank.shown, operation.index + 1);
    if (operation.open) {  // it may still fail and give its slot back: next time
      if (!first_open) first_open = operation.index;
      rank.has_open_mpi = rank.has_open_mpi || record::is_mpi(operation.call);
      continue;
    }
    if (rank.ahead.contains(operation.index)) continue;
    if (first_open) rank.ahead.insert(operation.index);  // another thread's
    if (!record::is_communication(operation.call) || operation.result != 0 ||
        operation.communicator >= known.size()) {
      continue;
    }
    const record::Communicator& entry = snapshot.communicators[operation.communicator];
    if (entry.is_counted_otherwise()) continue;
    Communicator*& communicator = known[operation.communicator];
    if (communicator == nullptr) {
      communicator = &communicators_[entry.id];
      communicator->id = entry.id;
      communicator->size = entry.size;
      if (communicator->name.empty()) communicator->name = entry.name;
    }
    if (record::is_collective(operation.call)) {
      call(*communicator, operation.slot, communicator->base, communicator->open,
           communicator->size, operation, snapshot.rank, -1, -1);
      continue;
    }
    if (record::is_mpi(operation.call)) {
      rank.speaks_mpi = true;
      add_mpi(*communicator, operation, entry.rank);
      continue;
    }
    const bool sends = operation.call == record::Call::send;
    const std::int32_t from = sends ? entry.rank : operation.peer;
    const std::int32_t to = sends ? operation.peer : entry.rank;
    Pair& pair = communicator->pairs[pair_key(from, to)];
    std::uint64_t& count = sends ? pair.sent : pair.received;
    count = std::max(count, operation.slot + 1);
    call(*communicator, operation.slot, pair.base, pair.open, 2, operation, snapshot.rank, from,
         to);
  }
  rank.next_index = first_open.value_or(rank.shown);
  rank.ahead.erase(rank.ahead.begin(), rank.ahead.lower_bound(rank.next_index));
}

void Ledger::call(Communicator& communicator, std::uint64_t number, std::uint64_t& base,
                  std::deque<Slot>& open, std::int32_t members, const record::Operation& operation,
                  int rank, std::int32_t from, std::int32_t to) {
  if (number < base || number - base > kMaxAhead) return;
  if (number - base >= open.size()) open.resize(number - base + 1);
  Slot& slot = open[number - base];
  if (slot.seen == 0 || operation.time_ns < slot.time_ns) slot.time_ns = operation.time_ns;
  if (from < 0) slot.callers.push_back({.rank = rank, .called = operation.called});
  Shape shape = shape_of(operation);
  if (from >= 0) shape.call = record::Call::send;  // both sides of a message are one call
  const std::size_t before = slot.sides.size();
  const std::size_t side = join(slot, shape, operation.label, rank);
  if (slot.sides.size() > before) {
    report(slot, communicator, number, from, to);
  } else {
    for (Disagreement* found : {slot.mismatch, slot.label}) {
      if (found != nullptr) insert_sorted(found->sides[side].ranks, rank);
    }
  }
  while (!open.empty() && open.front().seen >= members) {
    open.pop_front();
    ++base;
  }
}

std::size_t Ledger::join(Slot& slot, const Shape& shape, const record::Label& label, int rank) {
  ++slot.seen;
  auto& sides = slot.sides;
  auto side = std::find_if(sides.begin(), sides.end(), [&](const Disagreement::Side& candidate) {
    return candidate.shape == shape && candidate.label == label;
  });
  if (side == sides.end() && sides.size() == kMaxSides) --side;
  if (side == sides.end()) {
    sides.push_back({.shape = shape, .label = label, .ranks = {rank}});
    return sides.size() - 1;
  }
  insert_sorted(side->ranks, rank);
  return static_cast<std::size_t>(side - sides.begin());
}

void Ledger::report(Slot& slot, const Communicator& communicator, std::uint64_t number,
                    std::int32_t from, std::int32_t to) {
  const bool message = from >= 0;
  // MPI's communicators have the same ids in one program and the next, and the ranks do not all
  // change programs at the same time.
  if (programs_change_ && record::is_mpi(slot.sides.front().shape.call)) return;
  Difference worst = Difference::none;
  for (const Disagreement::Side& side : slot.sides) {
    // A message's two sides may have different labels, and types of different names but equal size.
    Difference found = difference(slot.sides.front().shape, side.shape);
    if (message && found != Difference::fatal) found = Difference::none;
    if (!message && found == Difference::none && !(side.label == slot.sides.front().label)) {
      found = Difference::label;
    }
    worst = std::max(worst, found);
  }
  if (worst == Difference::none) return;
  auto& findings = worst == Difference::label ? labels_ : mismatches_;
  Disagreement*& mine = worst == Difference::label ? slot.label : slot.mismatch;
  if (mine == nullptr) {
    if (findings.size() >= kMaxFindings) return;
    mine = &findings.emplace_back();
    mine->communicator_id = communicator.id;
    mine->communicator = communicator.name;
    mine->slot = number;
    mine->time_ns = slot.time_ns;
    mine->from = from;
    mine->to = to;
  }
  mine->difference = worst;
  mine->sides = slot.sides;
}

std::uint64_t Ledger::next_index(int rank) const {
  const auto found = ranks_.find(rank);
  return found == ranks_.end() ? 0 : found->second.next_index;
}

bool Ledger::complete(int rank) const {
  const auto found = ranks_.find(rank);
  return found == ranks_.end() || found->second.complete;
}

bool Ledger::has_all_of_mpi(int rank, std::uint64_t recorded) const {
  const auto found = ranks_.find(rank);
  if (found == ranks_.end()) return recorded == 0;
  const Rank& of = found->second;
  return of.complete && !of.has_open_mpi && recorded <= of.shown;
}

const Disagreement* Ledger::mismatch(std::uint64_t communicator_id, std::uint64_t slot,
                                     std::int32_t from, std::int32_t to) const {
  for (const Disagreement& found : mismatches_) {
    if (found.communicator_id == communicator_id && found.slot == slot && found.from == from &&
        found.to == to) {
      return &found;
    }
  }
  return nullptr;
}

std::span<const Ledger::Caller> Ledger::callers(std::uint64_t communicator_id,
                                                std::uint64_t slot) const {
  const auto communicator = communicators_.find(communicator_id);
  if (communicator == communicators_.end() || slot < communicator->second.base) return {};
  const std::uint64_t ahead = slot - communicator->second.base;
  const std::deque<Slot>& open = communicator->second.open;
  return ahead < open.size() ? open[ahead].callers : std::span<const Caller>();
}

std::uint64_t Ledger::messages(std::uint64_t communicator_id, std::int32_t rank, std::int32_t peer,
                               bool sends) const {
  const auto communicator = communicators_.find(communicator_id);
  if (communicator == communicators_.end()) return 0;
  const auto& pairs = communicator->second.pairs;
  const auto pair = pairs.find(sends ? pair_key(rank, peer) : pair_key(peer, rank));
  if (pair == pairs.end()) return 0;
  return sends ? pair->second.sent : pair->second.received;
}

std::vector<Ledger::Unreceived> Ledger::unreceived(std::uint64_t communicator_id) const {
  std::vector<Unreceived> found;
  const auto communicator = communicators_.find(communicator_id);
  if (communicator == communicators_.end()) return found;
  for (const auto& [line, mail] : communicator->second.lines) {
    if (mail.sent <= mail.received) continue;
    found.push_back({line.from, line.to, line.tag, mail.sent - mail.received});
  }
  for (const auto& [key, pair] : communicator->second.pairs) {
    if (pair.sent <= pair.received) continue;
    const auto from = static_cast<std::int32_t>(key >> 32U);
    const auto to = static_cast<std::int32_t>(key & 0xffffffffU);
    found.push_back({from, to, std::nullopt, pair.sent - pair.received});
  }
  return found;
}

std::uint64_t Ledger::bytes_of_message(std::uint64_t communicator_id, std::int32_t from,
                                       std::int32_t to, std::uint64_t number) const {
  const auto communicator = communicators_.find(communicator_id);
  if (communicator == communicators_.end()) return 0;
  const auto pair = communicator->second.pairs.find(pair_key(from, to));
  if (pair == communicator->second.pairs.end() || number < pair->second.base) return 0;
  const std::uint64_t ahead = number - pair->second.base;
  if (ahead >= pair->second.open.size() || pair->second.open[ahead].sides.empty()) return 0;
  return pair->second.open[ahead].sides.front().shape.bytes;
}

}  // namespace gridlock::detect
