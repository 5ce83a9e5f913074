// Reads the host and the device from the ranks' boxes.
#include "harness/run/whereabouts.h"

#include <fmt/format.h>

#include <algorithm>

namespace gridlock::run {
namespace {

using detect::Phrase;
namespace phrase = detect::phrase;

// The device of its first communicator, or else of its first stream.
std::optional<std::uint32_t> device_of(const record::Snapshot& snapshot) {
  for (const record::Communicator& communicator : snapshot.communicators) {
    if (!communicator.mpi) return communicator.device;
  }
  for (const record::Stream& stream : snapshot.streams) {
    if (!stream.mpi) return stream.device;
  }
  return std::nullopt;
}

std::string place_of(const record::Snapshot& snapshot) {
  if (snapshot.host.empty()) return "";
  const auto device = device_of(snapshot);
  return device ? fmt::format("device {} of host {}", *device, snapshot.host)
                : fmt::format("host {}", snapshot.host);
}

struct PlaceOfFault {
  const std::string& where;
  const std::string& reason;

  void operator()(phrase::Ended& end) const {
    if (end.reason.empty()) end.reason = reason;
    const bool badly = end.by_signal || end.code != 0;
    if (badly) end.where = where;
  }
  void operator()(phrase::InHostCode& thread) const { thread.where = where; }
  void operator()(phrase::OnItsDevice& work) const { work.where = where; }
  template <class Other>
  void operator()(Other&) const {}
};

}  // namespace

void add_whereabouts(const Observation& observation, detect::Verdict& verdict) {
  for (detect::Verdict::Fault& fault : verdict.faults) {
    if (fault.ranks.size() != 1) continue;
    const int rank = fault.ranks.front();
    const auto at = static_cast<std::size_t>(rank);
    const auto snapshot = std::ranges::find(observation.snapshots, rank, &record::Snapshot::rank);
    const std::string where = snapshot == observation.snapshots.end() ? "" : place_of(*snapshot);
    const std::string reason =
        at < observation.ranks.size() ? observation.ranks[at].report.reason : "";
    std::visit(PlaceOfFault{where, reason}, fault.what);
  }
}

}  // namespace gridlock::run
