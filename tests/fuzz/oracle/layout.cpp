// Lays out the threads' calls as streams, units and operations.
#include <algorithm>
#include <optional>
#include <utility>

#include "tests/fuzz/oracle/machine.h"

namespace gridlock::fuzz {

Machine::Machine(const Program& program) : program_(program), ranks_(program.ranks.size()) {
  const auto add = [&](std::size_t rank, std::vector<Instruction> code) {
    const auto crash = std::find_if(code.begin(), code.end(),
                                    [](const Instruction& call) { return call.op == Op::crash; });
    if (crash != code.end()) code.erase(crash + 1, code.end());
    ranks_[rank].hosts.push_back(hosts_.size());
    hosts_.push_back({.rank = rank, .code = std::move(code), .records = {}});
  };
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) add(rank, program_.ranks[rank]);
  for (const HostThread& thread : program_.threads) add(at(thread.rank), thread.code);
  for (std::size_t host = 0; host < hosts_.size(); ++host) {
    hosts_[host].alone = ranks_[hosts_[host].rank].hosts.size() == 1;
    lay_out(host);
  }
}

// What is called inside a group and is no communication, or one with nobody else, happens at once;
// the group is enqueued at its end.
void Machine::lay_out(std::size_t host) {
  Host& self = hosts_[host];
  auto& streams = ranks_[self.rank].streams;
  self.records.resize(self.code.size());
  std::array<std::optional<Mark>, kMaxEvents> events;
  for (std::size_t begin = 0; begin < self.code.size();) {
    const std::size_t end = group_end(self.code, begin);
    std::vector<Instruction> group;
    for (std::size_t index = begin; index < end; ++index) {
      const Instruction& call = self.code[index];
      const std::size_t stream = at(call.stream);
      if (is_copy(program_, call)) {
        const Caller caller{.host = host, .instruction = index, .copies = true};
        enqueue(caller, make_unit(caller, {call}), {call});
      } else if (is_communication(call.op)) {
        group.push_back(call);
      } else if (call.op == Op::record_event) {
        events.at(at(call.event)) = self.records[index] = Mark{stream, streams[stream].size()};
      } else if (call.op == Op::wait_event) {
        if (const std::optional<Mark>& mark = events.at(at(call.event))) {
          streams[stream].push_back({kNobody, *mark, {host, index}});
        }
      }
    }
    enqueue_group(host, end - 1, group);
    begin = end;
  }
}

// The calls of a group make one unit per communicator.
void Machine::enqueue_group(std::size_t host, std::size_t last,
                            const std::vector<Instruction>& group) {
  std::vector<int> order;  // communicators, by their first call in the group
  for (const Instruction& call : group) {
    if (std::find(order.begin(), order.end(), call.communicator) == order.end()) {
      order.push_back(call.communicator);
    }
  }
  for (const int communicator : order) {
    std::vector<Instruction> calls;
    for (const Instruction& call : group) {
      if (call.communicator == communicator) calls.push_back(call);
    }
    enqueue({host, last}, make_unit({host, last}, calls), calls);
  }
}

std::size_t Machine::make_unit(Caller caller, const std::vector<Instruction>& calls) {
  const std::size_t unit = units_.size();
  const std::size_t rank = hosts_[caller.host].rank;
  units_.emplace_back().caller = caller;
  for (std::size_t index = unit; index-- > 0 && !caller.copies;) {
    const Operation& first = operations_[units_[index].operations.front()];
    if (first.rank != rank || first.call.communicator != calls.front().communicator) continue;
    units_[unit].before = index;
    break;
  }
  for (const Instruction& call : calls) {
    Operation operation{call, rank, unit, kNobody, slot_of(rank, call)};
    for (const std::size_t earlier : units_[unit].operations) {
      if (goes_after(call, operations_[earlier].call)) operation.after = earlier;
    }
    units_[unit].operations.push_back(operations_.size());
    operations_.push_back(operation);
  }
  return unit;
}

// Whether two calls of one unit run one after the other. Messages are received in order; a message
// can be sent before the one ahead of it is taken.
bool Machine::goes_after(const Instruction& call, const Instruction& earlier) {
  if (is_collective(call.op)) return is_collective(earlier.op);
  return call.op == Op::recv && earlier.op == Op::recv && earlier.peer == call.peer;
}

// How many earlier calls count in the same sequence.
std::size_t Machine::slot_of(std::size_t rank, const Instruction& call) const {
  return static_cast<std::size_t>(
      std::count_if(operations_.begin(), operations_.end(), [&](const Operation& earlier) {
        if (earlier.rank != rank || earlier.call.communicator != call.communicator) return false;
        return is_collective(call.op)
                   ? is_collective(earlier.call.op)
                   : earlier.call.op == call.op && earlier.call.peer == call.peer;
      }));
}

void Machine::enqueue(Caller caller, std::size_t unit, const std::vector<Instruction>& calls) {
  auto& streams = ranks_[hosts_[caller.host].rank].streams;
  const std::size_t main = at(calls.front().stream);
  std::vector<std::size_t> others;
  for (const Instruction& call : calls) {
    const std::size_t stream = at(call.stream);
    if (stream == main) continue;
    if (std::find(others.begin(), others.end(), stream) == others.end()) others.push_back(stream);
  }
  for (const std::size_t other : others) {
    streams[main].push_back({kNobody, {other, streams[other].size()}, caller});
  }
  streams[main].push_back({unit, {}, caller});
  for (const std::size_t other : others) {
    streams[other].push_back({kNobody, {main, streams[main].size()}, caller});
  }
}

}  // namespace gridlock::fuzz
