// Groups of ranks that wait in the same place.
#include <algorithm>
#include <functional>
#include <span>
#include <unordered_map>
#include <utility>

#include "harness/detect/findings/describe.h"

namespace gridlock::detect {
namespace {

struct Located {
  const record::Module* module = nullptr;
  std::uint64_t offset = 0;
};

Located locate(const record::Snapshot& snapshot, std::uint64_t address) {
  for (const record::Module& module : snapshot.modules) {
    if (address >= module.begin && address < module.end) {
      return {.module = &module, .offset = address - module.bias};
    }
  }
  return {};
}

void mix(std::size_t& hash, std::size_t value) {
  hash ^= value + 0x9e3779b97f4a7c15ULL + (hash << 6U) + (hash >> 2U);
}

std::vector<CodeLocation> locations(const record::Snapshot& snapshot,
                                    std::span<const std::uint64_t> callers) {
  std::vector<CodeLocation> found;
  for (const std::uint64_t address : callers) {
    if (address == 0) break;
    const Located at = locate(snapshot, address);
    found.push_back({.module = at.module == nullptr ? "" : at.module->path, .offset = at.offset});
  }
  return found;
}

// What the first blocked thread of the process is in.
record::Call host_call(const WaitGraph& graph, Index process) {
  for (Index thread = graph.processes[process].first_thread;
       thread < graph.processes[process + 1].first_thread; ++thread) {
    if (graph.threads[thread].blocked) return graph.record_of_thread(thread).call;
  }
  return record::Call::none;
}

}  // namespace

std::vector<Wait> waits_of(const WaitGraph& graph, const Points& points,
                           const CommunicatorNames& names) {
  std::vector<Wait> waits;
  std::unordered_map<std::size_t, std::size_t> wait_of_hash;
  for (const Waiter& waiter : points.waiters) {
    if (waiter.operation == kNoIndex && waiter.thread == kNoIndex) continue;
    const record::Snapshot& snapshot = graph.snapshots[waiter.process];
    const Point& point = points.points[waiter.point];
    const std::uint64_t communicator_id =
        point.communicator == kNoIndex ? 0 : graph.communicators[point.communicator].id;
    const record::Operation* operation =
        waiter.operation == kNoIndex ? nullptr : &graph.source(graph.operations[waiter.operation]);
    const record::Thread* thread =
        waiter.thread == kNoIndex ? nullptr : &graph.record_of_thread(waiter.thread);
    const auto& callers = operation != nullptr ? operation->callers : thread->callers;
    const record::Label& label = operation != nullptr ? operation->label : thread->label;
    const record::Call call = operation != nullptr ? operation->call : thread->call;
    const record::Call host = thread != nullptr ? thread->call : host_call(graph, waiter.process);
    const std::uint64_t slot = operation != nullptr ? operation->slot : 0;
    const OtherSide other =
        operation == nullptr ? OtherSide{} : other_side(graph, graph.operations[waiter.operation]);

    std::size_t hash = communicator_id;
    mix(hash, slot);
    mix(hash, static_cast<std::size_t>(call) << 8U | static_cast<std::size_t>(host));
    mix(hash, std::hash<std::string_view>()(label.view()));
    for (const std::uint64_t address : callers) {
      if (address == 0) break;
      const Located at = locate(snapshot, address);
      mix(hash, at.offset);
      if (at.module != nullptr) mix(hash, std::hash<std::string>()(at.module->path));
    }
    const auto [known, is_new] = wait_of_hash.try_emplace(hash, waits.size());
    if (is_new) {
      waits.push_back({.ranks = {},
                       .operation = call,
                       .host_call = host,
                       .communicator_id = communicator_id,
                       .communicator = {},
                       .name = names.name(communicator_id),
                       .slot = slot,
                       .other = other,
                       .label = std::string(label.view()),
                       .callers = locations(snapshot, callers),
                       .caller = {}});
      waits.back().communicator = waits.back().name.given;
    }
    if (waits[known->second].other != other) waits[known->second].other = {};
    std::vector<int>& ranks = waits[known->second].ranks;
    if (ranks.empty() || ranks.back() != snapshot.rank) ranks.push_back(snapshot.rank);
  }
  for (Wait& wait : waits) {
    std::sort(wait.ranks.begin(), wait.ranks.end());
    wait.ranks.erase(std::unique(wait.ranks.begin(), wait.ranks.end()), wait.ranks.end());
  }
  std::stable_sort(waits.begin(), waits.end(),
                   [](const Wait& a, const Wait& b) { return a.ranks.front() < b.ranks.front(); });
  return waits;
}

}  // namespace gridlock::detect
