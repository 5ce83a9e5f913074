// Keeps what depends on the way (launches, times), and reads the rest off the machine's state.
#include "tests/fuzz/recording.h"

#include <algorithm>
#include <csignal>
#include <string>

#include "tests/fuzz/worker.h"

namespace gridlock::fuzz {
namespace {

using record::Call;
using record::Waits;

constexpr std::int64_t kFirstPid = 100;
constexpr std::uint8_t kFloat = 7;
constexpr std::uint8_t kInvalidArgument = 4;

std::uint32_t small(std::size_t index) { return static_cast<std::uint32_t>(index); }

std::int64_t pid_of(std::size_t rank) { return kFirstPid * static_cast<std::int64_t>(rank + 1); }

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
    case Op::all_reduce:
    case Op::refused:
      return Call::all_reduce;
    default:
      return Call::device_synchronize;
  }
}

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

Recording::Recording(const Machine& machine)
    : machine_(machine),
      rings_(machine.ranks_.size()),
      launches_(machine.ranks_.size()),
      waits_(machine.hosts_.size()) {
  for (const Host& host : machine.hosts_) is_called_.emplace_back(host.code.size(), false);
}

void Recording::step(const State& before, const State& after) {
  time_ns_ += 10;
  for (std::size_t host = 0; host < machine_.hosts_.size(); ++host) {
    const std::size_t place = Machine::byte(before, host);
    const bool has_returned = Machine::byte(after, host) != place;
    const bool connects = machine_.is_connecting(after, host);
    if (has_returned || (connects && !machine_.is_connecting(before, host))) call(host, place);
    const std::vector<Instruction>& code = machine_.hosts_[host].code;
    if (has_returned) {
      const std::size_t begin = begin_of_group(code, place);
      if (group_end(code, begin) == place + 1) launch(host, begin, place + 1);
    }
    const bool waits = connects || machine_.is_inside(after, host);
    const bool waited = machine_.is_connecting(before, host) || machine_.is_inside(before, host);
    if (has_returned || (waits && !waited)) begin_wait(host);
  }
}

void Recording::begin_wait(std::size_t host) {
  waits_[host] = {.launches = launches_[machine_.hosts_[host].rank], .since_ns = time_ns_};
}

// An operation enters the ring, and is launched at once if no group holds it back.
void Recording::call(std::size_t host, std::size_t instruction) {
  if (is_called_[host][instruction]) return;
  is_called_[host][instruction] = true;
  const Host& self = machine_.hosts_[host];
  const Instruction& call = self.code[instruction];
  const bool is_refused = call.op == Op::refused;
  const bool at_once = call.op == Op::wait_event || is_copy(machine_.program_, call);
  if (!is_communication(call.op) && !at_once && !is_refused) return;
  Called one{.host = host,
             .instruction = instruction,
             .group = begin_of_group(self.code, instruction),
             .called = launches_[self.rank],
             .time_ns = time_ns_,
             .refused = is_refused};
  if (at_once) one.launched = launches_[self.rank] + 1;
  if (at_once && position_of(one) == 0) return;  // the event marks nothing
  if (at_once) ++launches_[self.rank];
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

// The position on a stream of its first `items` items: all of one call share one.
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
  const Host& self = machine_.hosts_[one.host];
  const Instruction& call = self.code[one.instruction];
  if (one.launched == 0) return 0;
  const bool copies = is_copy(machine_.program_, call);
  const bool at_once = copies || call.op == Op::wait_event;
  const Caller caller{
      .host = one.host,
      .instruction = at_once ? one.instruction : group_end(self.code, one.group) - 1,
      .copies = copies};
  const std::vector<Item>& items = machine_.ranks_[self.rank].streams[at(call.stream)];
  const auto found = std::ranges::find_if(
      items, [&](const Item& item) { return are_in_one(item.caller, caller); });
  if (found == items.end()) return 0;
  return position(self.rank, at(call.stream), static_cast<std::size_t>(found - items.begin()) + 1);
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
  if (!waits_for_streams(machine_.next_call(state, host).op)) return false;
  return machine_.hosts_[host].alone ? !machine_.has_passed(state, host)
                                     : machine_.is_inside(state, host);
}

// Changes when a wait begins and when it ends.
std::uint64_t Recording::epoch(const State& state, std::size_t host) const {
  const Host& self = machine_.hosts_[host];
  std::uint64_t ended = 0;
  const std::size_t place = Machine::byte(state, host);
  for (std::size_t index = 0; index < place; ++index) {
    if (waits_for_streams(self.code[index].op)) ++ended;
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
  if (call.op == Op::copy) {
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
  const Host& self = machine_.hosts_[host];
  const std::vector<std::size_t>& hosts = machine_.ranks_[self.rank].hosts;
  record::Thread thread;
  const auto number = static_cast<std::int64_t>(std::ranges::find(hosts, host) - hosts.begin());
  thread.tid = pid_of(self.rank) + number;
  thread.epoch = epoch(state, host);
  thread.state = 'R';
  const record::ProcessKey own = record::process_key(0, pid_of(self.rank));
  const auto sleeps = [&](const char* on) {
    thread.state = 'S';
    thread.sleep.asleep = true;
    thread.sleep.wakers = {own};
    thread.sleep.switches = thread.epoch + Machine::byte(state, host);
    thread.sleep.on = on;
  };
  if (is_waiting(state, host)) {
    set_wait(thread, state, host);
  } else if (!machine_.at_end(state, host)) {
    const Instruction& call = machine_.next_call(state, host);
    const bool is_awake = call.op != Op::await ||
                          Machine::byte(state, machine_.counter_byte(self.rank, call.event)) != 0;
    if (!is_awake) sleeps("a futex");
    thread.sleep.may_idle = !is_awake;
  } else if (number != 0) {
    thread.exists = false;
  } else {
    for (const std::size_t other : hosts) {
      if (machine_.at_end(state, other)) continue;
      sleeps("a thread");
      thread.sleep.joins = pid_of(self.rank) + (std::ranges::find(hosts, other) - hosts.begin());
      break;
    }
  }
  return thread;
}

void Recording::add_streams(record::Snapshot& box, const State& state, std::size_t rank) const {
  for (std::size_t stream = 0; stream < kMaxStreams; ++stream) {
    const std::vector<Item>& items = machine_.ranks_[rank].streams[stream];
    const std::size_t head = machine_.head(state, rank, stream);
    const std::size_t enqueued = machine_.enqueued(state, rank, stream);
    const bool is_between = head == 0 || head == items.size() ||
                            !are_in_one(items[head].caller, items[head - 1].caller);
    record::Stream& shown = box.streams.emplace_back();
    shown.handle = stream + 1;
    shown.non_blocking = !is_blocking_stream(static_cast<int>(stream));
    shown.enqueued = position(rank, stream, enqueued);
    shown.completed = position(rank, stream, head) - (is_between ? 0 : 1);
    const bool is_held = machine_.held_by_copy(state, rank, stream);
    shown.started = shown.completed + (head < enqueued && !is_held ? 1 : 0);
  }
  box.streams.push_back({.handle = kMaxStreams + 1, .legacy = true});
}

void Recording::add_communicators(record::Snapshot& box, const State& state,
                                  std::size_t rank) const {
  const Program& program = machine_.program_;
  for (int index = 0; index < static_cast<int>(program.communicators.size()); ++index) {
    const std::vector<int>& members = program.communicators[at(index)];
    const int own = rank_in(members, static_cast<int>(rank));
    if (own < 0) continue;
    record::Communicator& shown = box.communicators.emplace_back();
    shown.id = static_cast<std::uint64_t>(index) + 1;
    shown.name = std::string(1, static_cast<char>('A' + index));
    shown.size = static_cast<std::int32_t>(members.size());
    shown.rank = own;
    shown.state = machine_.has_given_up(state, rank, index) ? record::CommunicatorState::aborted
                                                            : record::CommunicatorState::ready;
    shown.last_call = Call::comm_init;
    shown.calls = 1;
    shown.counts_messages = true;
    for (const Called& one : rings_[rank]) {
      const Instruction& call = machine_.hosts_[one.host].code[one.instruction];
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

void Recording::add_operations(record::Snapshot& box, std::size_t rank) const {
  const std::vector<Called>& ring = rings_[rank];
  const std::vector<std::size_t>& hosts = machine_.ranks_[rank].hosts;
  const auto call_of = [&](const Called& one) -> const Instruction& {
    return machine_.hosts_[one.host].code[one.instruction];
  };
  for (const Called& one : ring) {
    const Instruction& call = call_of(one);
    const bool copies = is_copy(machine_.program_, call);
    record::Operation& shown = box.operations.emplace_back();
    shown.index = box.operations.size() - 1;
    shown.call = recorded_call(call);
    shown.result = one.refused ? kInvalidArgument : 0;
    shown.thread =
        small(static_cast<std::size_t>(std::ranges::find(hosts, one.host) - hosts.begin()));
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
    const record::Thread& by = box.threads[shown.thread];
    shown.open = one.launched == 0 && !one.refused && by.waits != Waits::operation;
    shown.datatype = kFloat;
    shown.communicator = entry_of(rank, call.communicator);
    shown.count = (call.size == Size::small ? kSmallBytes : kLargeBytes) / sizeof(float);
    shown.peer = has_peer(call.op) ? call.peer : -1;
    if (one.refused) continue;
    for (std::size_t earlier = 0; earlier < shown.index; ++earlier) {
      const Called& other = ring[earlier];
      const Instruction& before = call_of(other);
      if (other.refused || before.op == Op::wait_event) continue;
      if (before.communicator != call.communicator) continue;
      const bool counts = is_collective(call.op) ? is_collective(before.op)
                                                 : before.op == call.op && before.peer == call.peer;
      if (counts) ++shown.slot;
      const bool in_group = !copies && !is_copy(machine_.program_, before) &&
                            other.host == one.host && other.group == one.group;
      if (in_group && shown.leader == 0) shown.leader = earlier + 1;
    }
  }
  box.recorded = box.operations.size();
}

record::Snapshot Recording::box(const State& state, std::size_t rank) const {
  record::Snapshot box;
  box.rank = static_cast<std::int32_t>(rank);
  box.world_size = static_cast<std::int32_t>(rings_.size());
  box.pid = pid_of(rank);
  box.key = record::process_key(0, box.pid);
  box.host = "node";
  box.backend = "sim";
  box.buffer_bytes = kBufferBytes;
  box.initialised_ns = 1;
  if (uses_signals(machine_.program_)) box.signals = record::Signals::sent;
  box.last_change_ns = time_ns_;
  for (const std::size_t host : machine_.ranks_[rank].hosts) {
    box.threads.push_back(thread(state, host));
  }
  add_streams(box, state, rank);
  add_communicators(box, state, rank);
  add_operations(box, rank);
  if (machine_.has_left(state, rank)) {
    const bool crashed = machine_.has_crashed(rank);
    box.process = crashed ? record::ProcessState::signaled : record::ProcessState::exited;
    box.exit_code = crashed ? SIGKILL : 0;
    for (record::Thread& thread : box.threads) thread.exists = false;
  }
  return box;
}

}  // namespace gridlock::fuzz
