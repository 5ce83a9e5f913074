// Lays out a rank's calls as streams, units and operations.
#include <algorithm>
#include <optional>

#include "tests/fuzz/machine.h"

namespace gridlock::fuzz {

void Machine::lay_out(std::size_t rank) {
  const std::vector<Instruction>& code = program_.ranks[rank];
  auto& streams = ranks_[rank].streams;
  ranks_[rank].awaited.resize(code.size());
  std::array<std::optional<Mark>, kMaxEvents> events;
  for (std::size_t index = 0; index < code.size(); ++index) {
    const Instruction& call = code[index];
    std::vector<Mark>& awaited = ranks_[rank].awaited[index];
    const std::size_t stream = at(call.stream);
    switch (call.op) {
      case Op::record_event:
        events.at(at(call.event)) = Mark{stream, streams[stream].size()};
        break;
      case Op::wait_event:
        if (const std::optional<Mark>& mark = events.at(at(call.event))) {
          streams[stream].push_back({kNobody, mark->stream, mark->position, index});
        }
        break;
      case Op::sync_event:
        if (const std::optional<Mark>& mark = events.at(at(call.event))) awaited.push_back(*mark);
        break;
      case Op::sync_stream:
        awaited.push_back({stream, streams[stream].size()});
        break;
      case Op::copy:
        for (int each = 0; each < kMaxStreams; ++each) {
          if (is_blocking_stream(each)) awaited.push_back({at(each), streams[at(each)].size()});
        }
        break;
      case Op::free:
      case Op::sync_device:
      case Op::abort:
      case Op::crash:
        for (std::size_t each = 0; each < kMaxStreams; ++each) {
          awaited.push_back({each, streams[each].size()});
        }
        break;
      default:
        const std::size_t end = group_end(code, index);
        lay_out_group(rank, index, end);
        index = end - 1;
        break;
    }
  }
}

// A group is enqueued at its end: the calls [begin, end) make one unit per communicator.
void Machine::lay_out_group(std::size_t rank, std::size_t begin, std::size_t end) {
  const std::vector<Instruction>& code = program_.ranks[rank];
  std::vector<int> order;  // communicators, by their first call in the group
  for (std::size_t index = begin; index < end; ++index) {
    if (std::find(order.begin(), order.end(), code[index].communicator) == order.end()) {
      order.push_back(code[index].communicator);
    }
  }
  for (const int communicator : order) {
    std::vector<Instruction> calls;
    for (std::size_t index = begin; index < end; ++index) {
      if (code[index].communicator == communicator) calls.push_back(code[index]);
    }
    enqueue(rank, end - 1, make_unit(rank, calls), calls);
  }
}

std::size_t Machine::make_unit(std::size_t rank, const std::vector<Instruction>& calls) {
  const std::size_t unit = units_.size();
  units_.emplace_back();
  for (std::size_t index = unit; index-- > 0;) {
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

void Machine::enqueue(std::size_t rank, std::size_t instruction, std::size_t unit,
                      const std::vector<Instruction>& calls) {
  auto& streams = ranks_[rank].streams;
  units_[unit].enqueued_by = instruction;
  const std::size_t main = at(calls.front().stream);
  std::vector<std::size_t> others;
  for (const Instruction& call : calls) {
    const std::size_t stream = at(call.stream);
    if (stream == main) continue;
    if (std::find(others.begin(), others.end(), stream) == others.end()) others.push_back(stream);
  }
  for (const std::size_t other : others) {
    streams[main].push_back({kNobody, other, streams[other].size(), instruction});
  }
  streams[main].push_back({unit, 0, 0, instruction});
  for (const std::size_t other : others) {
    streams[other].push_back({kNobody, main, streams[main].size(), instruction});
  }
}

}  // namespace gridlock::fuzz
