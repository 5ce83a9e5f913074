// Reads the rest off the machine's state.
#include <algorithm>
#include <csignal>
#include <string>

#include "tests/fuzz/recording.h"
#include "tests/fuzz/worker.h"

namespace gridlock::fuzz {
namespace {

using record::Call;
using record::Waits;

constexpr std::int64_t kFirstPid = 100;
constexpr std::uint8_t kFloat = 7;
constexpr std::int32_t kVersion =
    22509;  // runs a group's communicators in the order of their calls
constexpr std::uint8_t kInvalidArgument = 4;

Call as_mpi(Call call) {
  if (call == Call::send) return Call::mpi_send;
  return call == Call::recv ? Call::mpi_recv : Call::mpi_allreduce;
}

std::uint32_t small(std::size_t index) { return static_cast<std::uint32_t>(index); }

std::int64_t pid_of(std::size_t rank) { return kFirstPid * static_cast<std::int64_t>(rank + 1); }

std::size_t number_in(const std::vector<std::size_t>& hosts, std::size_t host) {
  return static_cast<std::size_t>(std::ranges::find(hosts, host) - hosts.begin());
}

Call recorded_call(const Instruction& call) {
  switch (call.op) {
    case Op::all_gather:
      return Call::all_gather;
    case Op::reduce_scatter:
      return Call::reduce_scatter;
    case Op::broadcast:
      return Call::broadcast;
    case Op::reduce:
      return Call::reduce;
    case Op::send:
      return Call::send;
    case Op::recv:
      return Call::recv;
    case Op::wait_event:
      return Call::event_wait;
    case Op::sync_event:
      return Call::event_synchronize;
    case Op::sync_stream:
      return Call::stream_synchronize;
    case Op::copy:
      return Call::memcpy_sync;
    case Op::free:
      return Call::device_free;
    case Op::split:
      return Call::comm_split;
    case Op::destroy:
      return Call::comm_destroy;
    case Op::drop:
      return Call::comm_abort;
    case Op::all_reduce:
    case Op::refused:
      return Call::all_reduce;
    default:
      return Call::device_synchronize;
  }
}

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

bool Recording::is_waiting(const State& state, std::size_t host) const {
  if (machine_.is_connecting(state, host)) return true;
  if (machine_.at_end(state, host)) {  // a rank waits for its device before it leaves
    const std::vector<std::size_t>& hosts = machine_.ranks_[machine_.hosts_[host].rank].hosts;
    return host == hosts.front() && std::ranges::all_of(hosts, [&](std::size_t other) {
             return machine_.at_end(state, other);
           });
  }
  const Op op = machine_.next_call(state, host).op;
  if (gathers(op)) return machine_.is_inside(state, host);
  if (is_mpi(machine_.program_, machine_.next_call(state, host))) return waits_in_mpi(state, host);
  if (!waits_for_streams(op)) return false;
  return machine_.hosts_[host].alone ? !machine_.has_passed(state, host)
                                     : machine_.is_inside(state, host);
}

// Changes when a wait begins and when it ends.
std::uint64_t Recording::epoch(const State& state, std::size_t host) const {
  const Host& self = machine_.hosts_[host];
  std::uint64_t ended = 0;
  const std::size_t place = Machine::byte(state, host);
  for (std::size_t index = 0; index < place; ++index) {
    const Instruction& call = self.code[index];
    const bool waited = waits_for_streams(call.op) || gathers(call.op);
    if (waited || is_mpi(machine_.program_, call)) ++ended;
    if (machine_.connects(host, index)) ++ended;
  }
  const bool waits = is_waiting(state, host);
  const bool has_waited =
      !waits && self.alone && place < self.code.size() && waits_for_streams(self.code[place].op);
  return 2 * (ended + 1) + (waits ? 1U : 0U) + (has_waited ? 2U : 0U);
}

void Recording::set_wait(record::Thread& thread, const State& state, std::size_t host) const {
  const Host& self = machine_.hosts_[host];
  const std::vector<Called>& ring = rings_[self.rank];
  thread.state = 'S';
  thread.since_ns = waits_[host].since_ns;
  thread.launches = waits_[host].launches;
  if (machine_.at_end(state, host)) {
    thread.launches = launches_[self.rank];
    thread.call = Call::device_synchronize;
    thread.waits = Waits::device;
    return;
  }
  const Instruction& call = machine_.next_call(state, host);
  if (machine_.is_connecting(state, host)) {
    const auto last = std::find_if(ring.rbegin(), ring.rend(), [&](const Called& one) {
      return one.host == host && one.launched == 0 && !one.refused;
    });
    const Instruction& of = self.code[last->instruction];
    const std::size_t end = group_end(self.code, last->group);
    thread.call = end - last->group > 1 ? Call::group_end : recorded_call(of);
    thread.waits = Waits::operation;
    thread.stream = small(at(of.stream));
    thread.communicator = entry_of(self.rank, of.communicator);
    return;
  }
  thread.call = recorded_call(call);
  if (waits_in_mpi(state, host)) {
    thread.call = as_mpi(thread.call);
    thread.waits = Waits::stream;
    thread.stream = small(at(kMpiStream));
    const std::size_t called = machine_.enqueued(state, self.rank, at(kMpiStream));
    thread.position = position(self.rank, at(kMpiStream), called);
  } else if (gathers(call.op)) {
    thread.waits = Waits::communicator_members;
    thread.communicator = entry_of(self.rank, call.communicator);
  } else if (call.op == Op::copy) {
    thread.waits = Waits::legacy_stream;
  } else if (call.op != Op::sync_event && call.op != Op::sync_stream) {
    thread.waits = Waits::device;
  } else {
    thread.waits = Waits::stream;
    thread.stream = small(at(call.stream));
    if (self.alone) {
      const Mark mark = machine_.awaited(state, host).front();
      thread.stream = small(mark.stream);
      thread.position = position(self.rank, mark.stream, mark.position);
    } else {
      for (std::size_t stream = 0; stream < kMaxStreams; ++stream) {
        const std::size_t until = Machine::byte(state, machine_.awaited_byte(host, stream));
        if (until == 0) continue;
        if (call.op == Op::sync_stream && stream != at(call.stream)) continue;
        thread.stream = small(stream);
        thread.position = position(self.rank, stream, until);
      }
    }
  }
}

record::Thread Recording::thread(const State& state, std::size_t host) const {
  const std::size_t rank = machine_.hosts_[host].rank;
  record::Thread thread;
  thread.tid =
      pid_of(rank) + static_cast<std::int64_t>(number_in(machine_.ranks_[rank].hosts, host));
  thread.epoch = epoch(state, host);
  if (is_waiting(state, host)) set_wait(thread, state, host);
  return thread;
}

void Recording::read_threads(const State& state, std::size_t rank, record::Snapshot& out) const {
  out.rank = static_cast<std::int32_t>(rank);
  out.world_size = static_cast<std::int32_t>(rings_.size());
  out.pid = pid_of(rank);
  out.host = "node";
  out.backend = real_ ? "simnccl" : "sim";
  out.nccl_version = kVersion;
  out.buffer_bytes = kBufferBytes;
  if (machine_.program_.mpi) out.mpi = "MPICH";
  out.initialised_ns = 1;
  out.last_change_ns = time_ns_;
  for (const std::size_t host : machine_.ranks_[rank].hosts) {
    out.threads.push_back(thread(state, host));
  }
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

void Recording::read_process(const State& state, std::size_t rank, record::Snapshot& out) const {
  if (!machine_.has_left(state, rank)) return;
  const bool crashed = machine_.has_crashed(rank);
  out.process = crashed ? record::ProcessState::signaled : record::ProcessState::exited;
  out.exit_code = crashed ? SIGKILL : 0;
  for (record::Thread& thread : out.threads) thread.exists = false;
}

void Recording::ask_kernel(const State& state, std::size_t rank, record::Snapshot& out) const {
  if (out.process != record::ProcessState::alive) return;
  out.key = record::process_key(0, out.pid);
  if (uses_signals(machine_.program_)) out.signals = record::Signals::sent;
  out.is_ending = machine_.has_left(state, rank);
  const std::vector<std::size_t>& hosts = machine_.ranks_[rank].hosts;
  for (std::size_t number = 0; number < hosts.size(); ++number) {
    record::Thread& thread = out.threads[number];
    const bool is_main = number == 0;
    thread.exists = out.is_ending || is_main || !machine_.at_end(state, hosts[number]);
    if (out.is_ending) thread.waits = Waits::nothing;
    if (thread.waits == Waits::nothing && !out.is_ending) {
      thread.sleep = sleep(state, hosts[number]);
    }
    const bool sleeps = thread.waits != Waits::nothing || thread.sleep.asleep;
    thread.state = sleeps ? 'S' : 'R';
  }
}

// Of a thread that is outside of recorded waits.
record::Sleep Recording::sleep(const State& state, std::size_t host) const {
  const std::size_t rank = machine_.hosts_[host].rank;
  const std::vector<std::size_t>& hosts = machine_.ranks_[rank].hosts;
  record::Sleep sleep;
  sleep.wakers = {record::process_key(0, pid_of(rank))};
  sleep.switches = epoch(state, host) + Machine::byte(state, host);
  if (is_waiting(state, host)) {  // by now
    sleep.awake = record::Awake::in_library;
  } else if (!machine_.at_end(state, host)) {
    const Instruction& call = machine_.next_call(state, host);
    sleep.asleep =
        call.op == Op::await && Machine::byte(state, machine_.counter_byte(rank, call.event)) == 0;
    sleep.may_idle = sleep.asleep;
    sleep.on = "a futex";
  } else {
    const auto other =
        std::ranges::find_if(hosts, [&](std::size_t one) { return !machine_.at_end(state, one); });
    sleep.asleep = other != hosts.end();
    sleep.on = "a thread";
    if (sleep.asleep) sleep.joins = pid_of(rank) + (other - hosts.begin());
  }
  return sleep;
}

}  // namespace gridlock::fuzz
