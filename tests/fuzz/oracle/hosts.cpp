// Computes the steps of host threads.
#include <algorithm>
#include <utility>

#include "tests/fuzz/oracle/machine.h"

namespace gridlock::fuzz {

// A wait begins and ends: what the rank's other threads enqueue in between is not waited for. It
// matters when a wait begins and when work is enqueued if the rank has several threads; nothing
// else depends on the order of steps, but for an abort of what is under way.
std::vector<Machine::Step> Machine::host_steps(const State& state, std::size_t host) const {
  if (at_end(state, host)) return {};
  const Host& self = hosts_[host];
  const std::size_t place = byte(state, host);
  const Instruction& call = self.code[place];
  const auto inside = [&](Inside now) {
    return with(state, inside_byte(host), static_cast<std::size_t>(now));
  };
  // In a lazy program, a group connects at its end, also if its last call was a wait.
  const bool connects_now = is_connecting(state, host);
  if (connects_now && !is_connected(state, host)) return {};
  State after = connects(host, place) && !connects_now
                    ? inside(Inside::connecting)
                    : with(inside(Inside::nothing), host, place + 1);
  if (connects_now) return {{std::move(after), !self.alone && enqueues(host, place)}};
  if (call.op == Op::drop) {
    std::vector<Step> steps;
    for (State& next : drops(after, host)) steps.push_back({std::move(next), true});
    return steps;
  }
  if (waits_for_streams(call.op)) {
    if (!self.alone && !is_inside(state, host)) {
      State next = inside(Inside::call);
      for (const Mark& mark : awaited(state, host)) {
        char& until = next[awaited_byte(host, mark.stream)];
        until = std::max(until, static_cast<char>(mark.position));
      }
      return {{std::move(next), true}};
    }
    if (!has_passed(state, host)) return {};
    for (std::size_t stream = 0; stream < kMaxStreams; ++stream) {
      after[awaited_byte(host, stream)] = 0;
    }
    return {{std::move(after)}};
  }
  if (gathers(call.op)) {
    if (!is_inside(state, host)) return {{inside(Inside::call)}};
    if (!is_gathered(state, host)) return {};
    return {{std::move(after)}};
  }
  if (has_counter(call.op)) {
    const std::size_t counter = counter_byte(self.rank, call.event);
    if (call.op == Op::await && byte(state, counter) == 0) return {};
    return {{with(std::move(after), counter,
                  call.op == Op::post ? byte(state, counter) + 1 : byte(state, counter) - 1)}};
  }
  if (is_mpi(program_, call)) {
    if (!is_inside(state, host)) return {{inside(Inside::call)}};
    const std::size_t stream = at(kMpiStream);
    if (head(state, self.rank, stream) < enqueued(state, self.rank, stream)) return {};
    return {{std::move(after)}};
  }
  if (call.op == Op::kick) {
    const std::size_t counter = counter_byte(at(call.peer), kSignalled);
    return {{with(std::move(after), counter, byte(state, counter) + 1)}};
  }
  return {{std::move(after), !self.alone && enqueues(host, place)}};
}

// Whether another thread's waits may find more to wait for after this call.
bool Machine::enqueues(std::size_t host, std::size_t instruction) const {
  const auto is_here = [&](const Caller& caller) {
    return caller.host == host && caller.instruction == instruction;
  };
  const auto& streams = ranks_[hosts_[host].rank].streams;
  return hosts_[host].code[instruction].op == Op::record_event ||
         std::any_of(streams.begin(), streams.end(), [&](const std::vector<Item>& items) {
           return std::any_of(items.begin(), items.end(),
                              [&](const Item& item) { return is_here(item.caller); });
         });
}

// What follows when the host gives up a communicator while operations are under way: the others may
// or may not have taken its data.
std::vector<Machine::State> Machine::drops(const State& state, std::size_t host) const {
  const Instruction& call = hosts_[host].code[byte(state, host) - 1];
  std::vector<State> all{state};
  for (std::size_t operation = 0; operation < operations_.size(); ++operation) {
    const Operation& self = operations_[operation];
    if (self.rank != hosts_[host].rank || self.call.communicator != call.communicator) continue;
    if (!called(state, operation) || done(state, operation)) continue;
    const std::size_t known = all.size();
    for (std::size_t index = 0; index < known; ++index) {
      if (reached(state, operation)) {
        all.push_back(
            with(all[index], operation_byte(operation), static_cast<std::size_t>(Done::given)));
      }
      all[index][operation_byte(operation)] = static_cast<char>(Done::dropped);
    }
  }
  return all;
}

// What the host's next call waits for if it begins now.
std::vector<Mark> Machine::awaited(const State& state, std::size_t host) const {
  const Instruction& call = next_call(state, host);
  const std::size_t rank = hosts_[host].rank;
  if (call.op == Op::sync_event) {
    const std::optional<Mark> mark = recorded(state, host, call.event);
    return mark ? std::vector{*mark} : std::vector<Mark>{};
  }
  std::vector<Mark> marks;
  for (int stream = 0; stream < kMaxStreams; ++stream) {
    if (call.op == Op::sync_stream && stream != call.stream) continue;
    if (call.op == Op::copy && !is_blocking_stream(stream)) continue;
    marks.push_back({at(stream), enqueued(state, rank, at(stream))});
  }
  if (call.op != Op::sync_stream || !is_blocking_stream(call.stream)) return marks;
  // A blocking stream comes after the copies that are under way in the legacy stream.
  for (const std::size_t other : ranks_[rank].hosts) {
    if (!is_inside(state, other) || next_call(state, other).op != Op::copy) continue;
    for (std::size_t stream = 0; stream < kMaxStreams; ++stream) {
      const std::size_t position = byte(state, awaited_byte(other, stream));
      if (at(call.stream) != stream) marks.push_back({stream, position});
    }
  }
  return marks;
}

// Whether the streams are as far as the call wants that the host is in.
bool Machine::has_passed(const State& state, std::size_t host) const {
  const std::size_t rank = hosts_[host].rank;
  if (hosts_[host].alone) {
    const std::vector<Mark> marks = awaited(state, host);
    return std::all_of(marks.begin(), marks.end(), [&](const Mark& mark) {
      return head(state, rank, mark.stream) >= mark.position;
    });
  }
  for (std::size_t stream = 0; stream < kMaxStreams; ++stream) {
    if (head(state, rank, stream) < byte(state, awaited_byte(host, stream))) return false;
  }
  return true;
}

// What the event marks now; another thread of the rank may have recorded it.
std::optional<Mark> Machine::recorded(const State& state, std::size_t host, int event) const {
  std::optional<Mark> mark;
  for (const std::size_t recorder : ranks_[hosts_[host].rank].hosts) {
    const std::size_t made = byte(state, recorder) + (is_connecting(state, recorder) ? 1 : 0);
    for (std::size_t index = 0; index < made; ++index) {
      const Instruction& call = hosts_[recorder].code[index];
      if (call.op == Op::record_event && call.event == event)
        mark = hosts_[recorder].records[index];
    }
  }
  return mark;
}

// Lazy programs: whether a group ends here, so that the host waits for the connections it needs.
bool Machine::connects(std::size_t host, std::size_t instruction) const {
  return program_.lazy && !is_mpi(program_, hosts_[host].code[instruction]) &&
         std::any_of(units_.begin(), units_.end(), [&](const Unit& unit) {
           return unit.caller.host == host && unit.caller.instruction == instruction &&
                  !unit.caller.copies;
         });
}

// Whether all that the rank has called on the communicator is done. Copies are their streams'.
bool Machine::has_done_all(const State& state, std::size_t rank, int communicator) const {
  for (std::size_t operation = 0; operation < operations_.size(); ++operation) {
    const Operation& own = operations_[operation];
    if (own.rank != rank || own.call.communicator != communicator) continue;
    if (is_copy(program_, own.call)) continue;
    if (called(state, operation) && !done(state, operation)) return false;
  }
  return true;
}

// Whether the host has come as far as the others' `call` waits for, after `earlier` ones like it.
bool Machine::has_come(const State& state, std::size_t host, const Instruction& call,
                       std::ptrdiff_t earlier) const {
  const auto is_alike = [&](const Instruction& one) {
    return one.communicator == call.communicator &&
           (call.op == Op::split ? one.op == Op::split : gives_up(one.op));
  };
  const std::vector<Instruction>& code = hosts_[host].code;
  const auto here = code.begin() + static_cast<std::ptrdiff_t>(byte(state, host));
  std::ptrdiff_t came = std::count_if(code.begin(), here, is_alike);
  if (here != code.end() && is_inside(state, host) && is_alike(*here)) {
    // A destroy first waits for the rank's own work, and an abort for its device.
    const bool counts =
        call.op == Op::split ||
        (here->op == Op::destroy && has_done_all(state, hosts_[host].rank, call.communicator));
    if (counts) ++came;
  }
  return came > earlier;
}

// Whether all members have come to the call that the host is in.
bool Machine::is_gathered(const State& state, std::size_t host) const {
  const Instruction& call = next_call(state, host);
  const std::vector<Instruction>& code = hosts_[host].code;
  const auto here = code.begin() + static_cast<std::ptrdiff_t>(byte(state, host));
  const std::ptrdiff_t earlier = std::count_if(code.begin(), here, [&](const Instruction& one) {
    return one.op == call.op && one.communicator == call.communicator;
  });
  const std::vector<int>& members = program_.communicators[at(call.communicator)];
  return std::ranges::all_of(members, [&](int member) {
    return std::ranges::any_of(ranks_[at(member)].hosts, [&](std::size_t other) {
      return has_come(state, other, call, earlier);
    });
  });
}

// Whether all have come with whom the host's group needs connections.
bool Machine::is_connected(const State& state, std::size_t host) const {
  for (const Operation& operation : operations_) {
    const Caller& caller = units_[operation.unit].caller;
    if (caller.host != host || caller.instruction != byte(state, host)) continue;
    const std::vector<int>& members = program_.communicators[at(operation.call.communicator)];
    const int own = rank_in(members, static_cast<int>(operation.rank));
    for (int peer = 0; peer < static_cast<int>(members.size()); ++peer) {
      if (peer == own || (is_message(operation.call.op) && peer != operation.call.peer)) continue;
      if (!has_announced(state, at(members[at(peer)]), operation.call, own)) return false;
    }
  }
  return true;
}

// Whether `rank` is in a call, or has made one, that connects it with `caller`, which makes `call`.
bool Machine::has_announced(const State& state, std::size_t rank, const Instruction& call,
                            int caller) const {
  return std::any_of(operations_.begin(), operations_.end(), [&](const Operation& other) {
    if (other.rank != rank || other.call.communicator != call.communicator) return false;
    const Caller& by = units_[other.unit].caller;
    const bool connects_now =
        byte(state, by.host) == by.instruction && is_connecting(state, by.host);
    if (!called(state, by) && !connects_now) return false;
    return is_collective(call.op)
               ? is_collective(other.call.op)
               : is_message(other.call.op) && other.call.op != call.op && other.call.peer == caller;
  });
}

}  // namespace gridlock::fuzz
