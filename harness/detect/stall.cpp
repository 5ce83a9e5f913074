// The graph of a proof, with one change: threads in unrecorded code are frozen.
#include "harness/detect/stall.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "harness/detect/blame/blame.h"
#include "harness/detect/blame/network.h"
#include "harness/detect/findings/describe.h"
#include "harness/detect/findings/who_may_act.h"
#include "harness/detect/graph/actors/askers.h"
#include "harness/detect/graph/points.h"
#include "harness/detect/graph/wait_graph.h"

namespace gridlock::detect {
namespace {

// `snapshots`: with askers.
Verdict explain_hang(std::span<const record::Snapshot> snapshots, const Parameters& parameters,
                     const Ledger* ledger) {
  // If neither CUDA calls nor the ends of operations are seen, most of what a stream shows in
  // flight was past long ago.
  std::vector<Index> unseen;
  for (Index process = 0; process < snapshots.size(); ++process) {
    const auto& streams = snapshots[process].streams;
    const bool polled = std::any_of(streams.begin(), streams.end(),
                                    [](const record::Stream& stream) { return stream.polled; });
    if (snapshots[process].cuda_unseen && polled) unseen.push_back(process);
  }
  const Verdict network = blame_network(snapshots);
  Parameters known = parameters;
  known.cut_off = network.cause != Cause::none;
  known.now_ns = std::numeric_limits<std::int64_t>::max();  // each call has lasted for the stall
  WaitGraph graph;
  graph.build(snapshots, known, ledger, Hosts::frozen, unseen);
  const Points points = stuck_points(graph);
  if (network.cause != Cause::none) {
    Verdict verdict = describe(graph, points, {}, ledger, Outcome::stall);
    verdict.cause = network.cause;
    verdict.culprits = network.culprits;
    verdict.faults = network.faults;
    verdict.notes.insert(verdict.notes.end(), network.notes.begin(), network.notes.end());
    return verdict;
  }
  Blame blamed = blame(graph, points, ledger, Hosts::frozen);
  const bool no_rank_waits = std::ranges::all_of(points.points, is_on_device);
  if (no_rank_waits) {
    // So only the ranks in unrecorded code can be stuck, or else those on their devices.
    std::vector<Index> in_host_code;
    for (Index process = 0; process < snapshots.size(); ++process) {
      const auto& threads = snapshots[process].threads;
      const bool silent =
          threads.empty() ||
          std::any_of(threads.begin(), threads.end(), [](const record::Thread& thread) {
            return thread.exists && thread.waits == record::Waits::nothing;
          });
      const bool stays = !graph.processes[process].gone && !snapshots[process].goes_on();
      if (stays && silent) in_host_code.push_back(process);
    }
    if (!in_host_code.empty()) {
      blamed = {Cause::host_stuck, in_host_code, {}};
    } else if (points.points.empty() && !parameters.unshown_work_stays) {
      Parameters with_work = parameters;
      with_work.unshown_work_stays = true;
      return explain_hang(snapshots, with_work, ledger);
    } else if (points.points.empty() && !parameters.unsent) {
      // All have come, and nobody is stuck: something has been lost on the way.
      Parameters with_unsent = parameters;
      with_unsent.unsent = true;
      Verdict lost = explain_hang(snapshots, with_unsent, ledger);
      if (lost.cause != Cause::none) {
        lost.notes.emplace_back(phrase::Said{
            fmt::format("All {} ranks had come there. Over a network, the host sends what NCCL's "
                        "kernel has left behind, and a process that ends without destroying its "
                        "communicator takes that with it.",
                        snapshots.front().world_size)});
      }
      return lost;
    }
  }
  Verdict verdict = describe(graph, points, blamed, ledger, Outcome::stall);
  verdict.notes.insert(verdict.notes.end(), network.notes.begin(), network.notes.end());
  return verdict;
}

}  // namespace

Verdict explain_stall(std::span<const record::Snapshot> snapshots, const Parameters& parameters,
                      const Ledger* ledger) {
  return explain_stall(snapshots, snapshots, parameters, ledger);
}

Verdict explain_stall(std::span<const record::Snapshot> snapshots,
                      std::span<const record::Snapshot> seen, const Parameters& parameters,
                      const Ledger* ledger) {
  const std::vector<record::Snapshot> shown = with_askers(snapshots, parameters.now_ns);
  Verdict verdict = explain_hang(shown, parameters, ledger);
  WaitGraph graph;
  graph.build(seen, parameters, ledger, Hosts::may_act);
  if (auto actors = who_may_act(graph)) verdict.notes.emplace_back(std::move(*actors));
  return verdict;
}

}  // namespace gridlock::detect
