// Reads communicators, streams and operations off the machine's state.
#include <algorithm>
#include <string>

#include "tests/fuzz/live/worker.h"
#include "tests/fuzz/paper/calls.h"
#include "tests/fuzz/paper/recording.h"

namespace gridlock::fuzz {
namespace {

using record::Call;
using record::Waits;

constexpr std::uint8_t kFloat = 7;
constexpr std::uint8_t kInvalidArgument = 4;

}  // namespace

void Recording::read(Part part, const State& state, std::size_t rank, record::Snapshot& out) const {
  switch (part) {
    case Part::threads:
      return read_threads(state, rank, out);
    case Part::communicators:
      return read_communicators(state, rank, out);
    case Part::streams:
      return read_streams(state, rank, out);
    case Part::operations:
      return read_operations(rank, out);
    case Part::process:
      return read_process(state, rank, out);
    case Part::kernel:
      return ask_kernel(state, rank, out);
  }
}

std::uint32_t Recording::entry_of(std::size_t rank, int communicator) const {
  std::uint32_t entry = 0;
  for (int before = 0; before < communicator; ++before) {
    const std::vector<int>& members = machine_.program_.communicators[at(before)];
    if (rank_in(members, static_cast<int>(rank)) >= 0) ++entry;
  }
  return entry;
}

// The calls of one thread that make or end communicators.
void Recording::note_gatherings(const State& state, std::size_t host, int communicator,
                                record::Communicator& shown) const {
  const std::size_t returned = Machine::byte(state, host);
  const std::size_t entered = returned + (machine_.is_inside(state, host) ? 1 : 0);
  for (std::size_t index = 0; index < entered; ++index) {
    const Instruction& call = machine_.hosts_[host].code[index];
    if (!has_communicator(call.op) || call.communicator != communicator) continue;
    if (!gathers(call.op) && !gives_up(call.op)) continue;
    const bool is_over = index < returned;
    if (!gathers(call.op) && !is_over) continue;  // it waits for its device first
    ++shown.calls;
    shown.last_call = gathers(call.op) ? recorded_call(call) : Call::comm_abort;
    if (call.op == Op::split) continue;
    shown.state = !is_over                 ? record::CommunicatorState::closing
                  : call.op == Op::destroy ? record::CommunicatorState::closed
                                           : record::CommunicatorState::aborted;
  }
}

void Recording::read_communicators(const State& state, std::size_t rank,
                                   record::Snapshot& out) const {
  const Program& program = machine_.program_;
  for (int index = 0; index < static_cast<int>(program.communicators.size()); ++index) {
    const std::vector<int>& members = program.communicators[at(index)];
    const int own = rank_in(members, static_cast<int>(rank));
    if (own < 0) continue;
    record::Communicator& shown = out.communicators.emplace_back();
    shown.id = static_cast<std::uint64_t>(index) + 1;
    shown.name = std::string(1, static_cast<char>('A' + index));
    shown.size = static_cast<std::int32_t>(members.size());
    shown.rank = own;
    shown.state = record::CommunicatorState::ready;
    shown.last_call = Call::comm_init;
    shown.calls = 1;
    for (const std::size_t host : machine_.ranks_[rank].hosts) {
      note_gatherings(state, host, index, shown);
    }
    shown.counts_messages = true;
    shown.mpi = program.mpi && at(index) + 1 == program.communicators.size();
    for (const Called& one : rings_[rank]) {
      const Instruction& call = call_of(one);
      if (call.op == Op::wait_event || call.communicator != index) continue;
      if (one.refused) {
        shown.failed_call = Call::all_reduce;
        shown.failed_result = kInvalidArgument;
      }
      if (one.launched == 0) continue;
      if (is_collective(call.op)) {
        ++shown.next_slot;
        shown.failed_call = Call::none;
        shown.failed_result = 0;
        continue;
      }
      const bool sends = call.op == Op::send;
      const auto pair = std::ranges::find_if(shown.messages, [&](const record::MessageCount& of) {
        return of.peer == call.peer && of.sends == sends;
      });
      if (pair != shown.messages.end()) {
        ++pair->count;
      } else {
        shown.messages.push_back({.peer = call.peer, .sends = sends, .count = 1});
      }
    }
  }
}

void Recording::read_streams(const State& state, std::size_t rank, record::Snapshot& out) const {
  for (std::size_t stream = 0; stream < kMaxStreams; ++stream) {
    const std::vector<Item>& items = machine_.ranks_[rank].streams[stream];
    const Noted& noted = noted_[rank].at(stream);
    const std::size_t head = noted.passed;
    const std::size_t enqueued = machine_.enqueued(state, rank, stream);
    // Whether the stream is in the middle of what one call has put on it.
    const bool is_between = head > 0 && head < items.size() &&
                            position(rank, stream, head) == position(rank, stream, head + 1);
    record::Stream& shown = out.streams.emplace_back();
    shown.handle = stream + 1;
    shown.mpi = machine_.program_.mpi && stream == at(kMpiStream);
    if (shown.mpi) shown.device = record::kNone;
    shown.non_blocking = !is_blocking_stream(static_cast<int>(stream));
    shown.enqueued = position(rank, stream, enqueued);
    shown.completed = position(rank, stream, head) - (is_between ? 1 : 0);
    const bool has_started = noted.has_started || machine_.head(state, rank, stream) > head;
    shown.started = shown.completed + (head < enqueued && has_started ? 1 : 0);
  }
  out.streams.push_back({.handle = kMaxStreams + 1, .legacy = true});
}

// Calls in which a thread waits get the numbers that come next by what was read of their
// communicator.
void Recording::number(const Called& one, std::size_t rank, record::Snapshot& out) const {
  record::Operation& shown = out.operations.back();
  const Instruction& call = call_of(one);
  const bool copies = is_copy(machine_.program_, call);
  std::uint64_t awaited = 0;
  for (std::size_t earlier = 0; earlier < shown.index; ++earlier) {
    const Called& other = rings_[rank][earlier];
    const Instruction& before = call_of(other);
    if (other.refused || before.op == Op::wait_event) continue;
    if (before.communicator != call.communicator) continue;
    const bool in_group = !copies && !is_copy(machine_.program_, before) &&
                          other.host == one.host && other.group == one.group;
    if (in_group && shown.leader == 0) shown.leader = earlier + 1;
    const bool of_slots = is_collective(before.op) || before.op == Op::refused;
    if (is_collective(call.op) || call.op == Op::refused
            ? !of_slots
            : before.op != call.op || before.peer != call.peer) {
      continue;
    }
    ++shown.slot;
    if (other.launched == 0) ++awaited;
  }
  if (one.launched != 0) return;
  const record::Thread& by = out.threads[shown.thread];
  shown.open = true;
  if (by.waits != Waits::operation || one.time_ns > by.since_ns) return;
  const record::Communicator& communicator = out.communicators[shown.communicator];
  std::uint64_t launched = communicator.next_slot;
  if (is_message(call.op)) {
    launched = 0;
    for (const record::MessageCount& pair : communicator.messages) {
      if (pair.peer == call.peer && pair.sends == (call.op == Op::send)) launched = pair.count;
    }
  }
  shown.open = launched + awaited != shown.slot;
  shown.slot = launched + awaited;
}

void Recording::read_operations(std::size_t rank, record::Snapshot& out) const {
  for (const Called& one : rings_[rank]) {
    const Instruction& call = call_of(one);
    record::Operation& shown = out.operations.emplace_back();
    shown.index = out.operations.size() - 1;
    shown.call = recorded_call(call);
    shown.result = one.refused ? kInvalidArgument : 0;
    shown.thread = small(number_in(machine_.ranks_[rank].hosts, one.host));
    shown.stream = small(at(call.stream));
    shown.time_ns = one.time_ns;
    shown.called = one.called;
    shown.launched = one.launched;
    shown.position = position_of(one);
    if (call.op == Op::wait_event) {
      const std::vector<Item>& items = machine_.ranks_[rank].streams[at(call.stream)];
      const auto item = std::ranges::find_if(items, [&](const Item& of) {
        return of.caller.host == one.host && of.caller.instruction == one.instruction;
      });
      shown.event_stream = small(item->awaited.stream);
      shown.event_position = position(rank, item->awaited.stream, item->awaited.position);
      continue;
    }
    shown.datatype = kFloat;
    shown.communicator = entry_of(rank, call.communicator);
    shown.count = (call.size == Size::small ? kSmallBytes : kLargeBytes) / sizeof(float);
    shown.peer = has_peer(call.op) ? call.peer : -1;
    if (is_mpi(machine_.program_, call)) {
      shown.call = as_mpi(shown.call);
      shown.datatype = 0;
      shown.count = call.size == Size::small ? kSmallBytes : kLargeMpiBytes;
    }
    if (!one.refused) number(one, rank, out);
  }
  out.recorded = out.operations.size();
}

}  // namespace gridlock::fuzz
