// From positions on streams to words.
#include "harness/report/exports/kept.h"

namespace gridlock::report {

std::string_view to_string(Reach reach) {
  switch (reach) {
    case Reach::announced:
      return "announced";
    case Reach::enqueued:
      return "enqueued";
    case Reach::started:
      return "started";
    case Reach::completed:
      return "completed";
    case Reach::failed:
      break;
  }
  return "failed";
}

Reach reach_of(const record::Snapshot& snapshot, const record::Operation& operation) {
  if (operation.result != 0) return Reach::failed;
  if (operation.launched == 0) return Reach::announced;
  if (operation.stream >= snapshot.streams.size()) return Reach::enqueued;
  const record::Stream& stream = snapshot.streams[operation.stream];
  if (operation.position <= stream.completed) return Reach::completed;
  return operation.position <= stream.started ? Reach::started : Reach::enqueued;
}

std::map<std::uint64_t, std::map<int, int>> members_of(
    const std::vector<record::Snapshot>& snapshots) {
  std::map<std::uint64_t, std::map<int, int>> members;
  for (const record::Snapshot& snapshot : snapshots) {
    for (const record::Communicator& communicator : snapshot.communicators) {
      if (communicator.id == 0) continue;
      members[communicator.id].try_emplace(communicator.rank, snapshot.rank);
    }
  }
  return members;
}

}  // namespace gridlock::report
