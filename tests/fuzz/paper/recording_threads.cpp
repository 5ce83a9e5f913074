// Reads threads and processes off the machine's state.
#include <algorithm>
#include <csignal>

#include "tests/fuzz/live/worker.h"
#include "tests/fuzz/paper/calls.h"
#include "tests/fuzz/paper/recording.h"

namespace gridlock::fuzz {
namespace {

using record::Call;
using record::Waits;

constexpr std::int64_t kFirstPid = 100;
// Of NCCL: it runs a group's communicators in the order of their calls.
constexpr std::int32_t kVersion = 22509;

std::int64_t pid_of(std::size_t rank) { return kFirstPid * static_cast<std::int64_t>(rank + 1); }

}  // namespace

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
