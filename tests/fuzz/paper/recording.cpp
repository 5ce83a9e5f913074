// Keeps what depends on the way: launches, times, the order of the ring.
#include "tests/fuzz/paper/recording.h"

#include <algorithm>

namespace gridlock::fuzz {
namespace {

bool are_in_one(const Caller& one, const Caller& other) {
  return one.host == other.host && one.instruction == other.instruction &&
         one.copies == other.copies;
}

std::size_t begin_of_group(const std::vector<Instruction>& code, std::size_t instruction) {
  std::size_t begin = 0;
  while (group_end(code, begin) <= instruction) begin = group_end(code, begin);
  return begin;
}

}  // namespace

Recording::Recording(const Machine& machine, bool real)
    : machine_(machine),
      real_(real),
      rings_(machine.ranks_.size()),
      launches_(machine.ranks_.size()),
      waits_(machine.hosts_.size()),
      noted_(machine.ranks_.size()) {
  for (const Host& host : machine.hosts_) is_called_.emplace_back(host.code.size(), false);
}

void Recording::step(const State& before, const State& after) {
  time_ns_ += 10;
  for (std::size_t host = 0; host < machine_.hosts_.size(); ++host) {
    const std::size_t place = Machine::byte(before, host);
    const bool has_returned = Machine::byte(after, host) != place;
    const bool connects = machine_.is_connecting(after, host);
    const std::vector<Instruction>& code = machine_.hosts_[host].code;
    const bool is_in_mpi = waits_in_mpi(after, host);
    if (has_returned || is_in_mpi || (connects && !machine_.is_connecting(before, host))) {
      call(host, place);
      if (is_launched_alone(code[place])) launch(host, place, place + 1);
    }
    if (has_returned) {
      for (Called& one : rings_[machine_.hosts_[host].rank]) {
        if (one.host == host && one.instruction == place)
          one.refused = code[place].op == Op::refused;
      }
      const std::size_t begin = begin_of_group(code, place);
      if (group_end(code, begin) == place + 1) launch(host, begin, place + 1);
    }
    const bool waits = connects || machine_.is_inside(after, host);
    const bool waited = machine_.is_connecting(before, host) || machine_.is_inside(before, host);
    if (has_returned || (waits && !waited)) begin_wait(host);
  }
  for (std::size_t rank = 0; rank < noted_.size(); ++rank) {
    if (must_note(before, after, rank)) note_progress(after, rank);
  }
}

// Whether a host, or another stream, waited for what the streams have passed.
bool Recording::must_note(const State& before, const State& after, std::size_t rank) const {
  for (const std::size_t host : machine_.ranks_[rank].hosts) {
    if (machine_.at_end(before, host)) continue;
    const bool has_returned = Machine::byte(before, host) != Machine::byte(after, host);
    const Op op = machine_.next_call(before, host).op;
    const bool waited = waits_for_streams(op) || gathers(op) || waits_in_mpi(before, host);
    if (has_returned && waited) return true;
  }
  for (std::size_t stream = 0; stream < kMaxStreams; ++stream) {
    const std::size_t head = machine_.head(before, rank, stream);
    if (head == machine_.head(after, rank, stream)) continue;
    if (machine_.ranks_[rank].streams[stream][head].unit == kNobody) return true;
  }
  return machine_.has_left(after, rank);
}

void Recording::note_progress(const State& state, std::size_t rank) {
  for (std::size_t stream = 0; stream < kMaxStreams; ++stream) {
    const std::size_t passed = machine_.head(state, rank, stream);
    const bool has_next = passed < machine_.enqueued(state, rank, stream);
    noted_[rank].at(stream) = {
        .passed = passed, .has_started = has_next && !machine_.held_by_copy(state, rank, stream)};
  }
}

void Recording::announce(const State& state, std::size_t host) {
  if (machine_.at_end(state, host) || machine_.is_connecting(state, host)) return;
  call(host, Machine::byte(state, host));
}

// Also inside a group, and before MPI is called.
bool Recording::is_launched_alone(const Instruction& call) const {
  return call.op == Op::wait_event || is_copy(machine_.program_, call) ||
         is_mpi(machine_.program_, call);
}

bool Recording::waits_in_mpi(const State& state, std::size_t host) const {
  return !machine_.at_end(state, host) && machine_.is_inside(state, host) &&
         is_mpi(machine_.program_, machine_.next_call(state, host));
}

void Recording::begin_wait(std::size_t host) {
  waits_[host] = {.launches = launches_[machine_.hosts_[host].rank], .since_ns = time_ns_};
}

// An operation enters the ring.
void Recording::call(std::size_t host, std::size_t instruction) {
  if (is_called_[host][instruction]) return;
  const Host& self = machine_.hosts_[host];
  const Instruction& call = self.code[instruction];
  if (!is_communication(call.op) && call.op != Op::wait_event && call.op != Op::refused) return;
  Called one{.host = host,
             .instruction = instruction,
             .group = begin_of_group(self.code, instruction),
             .called = launches_[self.rank],
             .launched = 1,
             .time_ns = time_ns_};
  if (call.op == Op::wait_event && position_of(one) == 0) return;  // the event marks nothing
  one.launched = 0;
  is_called_[host][instruction] = true;
  rings_[self.rank].push_back(one);
}

void Recording::launch(std::size_t host, std::size_t begin, std::size_t end) {
  const std::size_t rank = machine_.hosts_[host].rank;
  bool is_new = false;
  for (Called& one : rings_[rank]) {
    if (one.host != host || one.instruction < begin || one.instruction >= end) continue;
    if (one.launched != 0 || one.refused) continue;
    if (!is_new) ++launches_[rank];
    is_new = true;
    one.launched = launches_[rank];
  }
}

// The position on a stream of the last of its first `items` items: all of one call share one.
std::uint64_t Recording::position(std::size_t rank, std::size_t stream, std::size_t items) const {
  const std::vector<Item>& all = machine_.ranks_[rank].streams[stream];
  std::uint64_t position = 0;
  for (std::size_t index = 0; index < items; ++index) {
    if (index == 0 || !are_in_one(all[index].caller, all[index - 1].caller)) ++position;
  }
  return position;
}

// 0: it is not on its stream.
std::uint64_t Recording::position_of(const Called& one) const {
  if (one.launched == 0) return 0;
  const Host& self = machine_.hosts_[one.host];
  const Instruction& call = call_of(one);
  const bool is_alone = is_launched_alone(call);
  const Caller caller{
      .host = one.host,
      .instruction = is_alone ? one.instruction : group_end(self.code, one.group) - 1,
      .copies = is_copy(machine_.program_, call)};
  const std::vector<Item>& items = machine_.ranks_[self.rank].streams[at(call.stream)];
  const auto found = std::ranges::find_if(
      items, [&](const Item& item) { return are_in_one(item.caller, caller); });
  if (found == items.end()) return 0;
  return position(self.rank, at(call.stream), static_cast<std::size_t>(found - items.begin()) + 1);
}

}  // namespace gridlock::fuzz
