// Names, states and sizes as PyTorch's ProcessGroupNCCL writes them. PyTorch records tensors. A box
// has only the count that NCCL was given, so a tensor here is a vector of that many elements.
#include "harness/report/exports/flight_records.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

#include "harness/base/text.h"
#include "harness/report/exports/pickle.h"
#include "harness/report/formats/json_values.h"

namespace gridlock::report {
namespace {

using Json = OrderedJson;
using record::Call;
using record::Operation;
using record::Snapshot;

constexpr const char* kLayout = "2.10";

const char* type_of(std::uint8_t datatype) {
  constexpr std::array<const char*, 12> kNames{
      "Char", "Byte",  "Int",    "UInt32",   "Long",          "UInt64",
      "Half", "Float", "Double", "BFloat16", "Float8_e4m3fn", "Float8_e5m2"};
  return datatype < kNames.size() ? kNames.at(datatype) : "Undefined";
}

std::string name_of(const Operation& operation, int from, int to) {
  switch (operation.call) {
    case Call::all_gather:
      return "nccl:_all_gather_base";
    case Call::reduce_scatter:
      return "nccl:_reduce_scatter_base";
    case Call::send:
      return fmt::format("nccl:send {}->{}", from, to);
    case Call::recv:
      return fmt::format("nccl:recv {}<-{}", to, from);
    default:
      return fmt::format("nccl:{}", to_string(operation.call));
  }
}

// Elements that go in and come out.
struct Sizes {
  std::uint64_t in = 0;
  std::uint64_t out = 0;
};

Sizes sizes_of(const Operation& operation, std::uint64_t members, bool is_root) {
  const std::uint64_t one = operation.count;
  switch (operation.call) {
    case Call::all_gather:
      return {one, one * members};
    case Call::reduce_scatter:
      return {one * members, one};
    case Call::all_to_all:
      return {one * members, one * members};
    case Call::gather:
      return {one, is_root ? one * members : 0};
    case Call::scatter:
      return {is_root ? one * members : 0, one};
    default:
      return {one, one};
  }
}

// PyTorch has three states. A call that NCCL refused never got onto a stream.
const char* state_of(Reach reach) {
  switch (reach) {
    case Reach::completed:
      return "completed";
    case Reach::started:
      return "started";
    default:
      return "scheduled";
  }
}

// Splits "function (file:line)" into its parts.
Json frames_of(const std::string& caller) {
  const auto open = caller.rfind(" (");
  const auto colon = caller.rfind(':');
  if (caller.empty() || open == std::string::npos) return Json::array();
  Json frame{{"name", caller.substr(0, open)}, {"filename", ""}, {"line", 0}};
  const bool has_line = colon != std::string::npos && colon > open;
  frame["filename"] = caller.substr(open + 2, (has_line ? colon : caller.size() - 1) - open - 2);
  int line = 0;
  if (has_line) std::from_chars(&caller[colon] + 1, caller.data() + caller.size(), line);
  frame["line"] = line;
  return Json::array({frame});
}

std::string ranks_text(const std::vector<int>& ranks) {
  return fmt::format("[{}]", fmt::join(ranks, ", "));
}

class Dump {
 public:
  Dump(const Snapshot& snapshot, const std::map<std::uint64_t, std::map<int, int>>& members,
       const CallerOf& caller)
      : snapshot_(snapshot), members_(members), caller_(caller) {}

  Json make() {
    for (const record::Communicator& communicator : snapshot_.communicators) {
      if (communicator.id != 0 && !communicator.mpi) add_group(communicator);
    }
    for (const Operation& operation : snapshot_.operations) {
      const bool is_nccl =
          record::is_communication(operation.call) && !record::is_mpi(operation.call);
      if (is_nccl && operation.communicator < snapshot_.communicators.size()) add(operation);
    }
    return {{"version", kLayout},    {"nccl_version", nccl_version()}, {"pg_config", groups_},
            {"pg_status", status()}, {"rank", snapshot_.rank},         {"entries", entries_}};
  }

 private:
  struct Group {
    std::string name;
    std::string description;
    std::vector<int> ranks;  // of the job, in the order of the group
  };
  struct Reached {
    std::int64_t enqueued = -1;
    std::int64_t started = -1;
    std::int64_t completed = -1;
  };

  std::string nccl_version() const {
    const int version = snapshot_.nccl_version;
    return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
  }

  static std::string description_of(const record::Communicator& communicator) {
    return communicator.name.empty() ? "undefined" : on_one_line(communicator.name);
  }

  std::vector<int> ranks_of(const record::Communicator& communicator) const {
    std::vector<int> ranks;
    const auto found = members_.find(communicator.id);
    if (found == members_.end()) return ranks;
    for (const auto& [own, rank] : found->second) ranks.push_back(rank);
    return ranks;
  }

  void add_group(const record::Communicator& communicator) {
    enter({.name = fmt::format("{:016x}", communicator.id),
           .description = description_of(communicator),
           .ranks = ranks_of(communicator)});
  }

  void enter(const Group& group) {
    if (groups_.contains(group.name)) return;
    groups_[group.name] = {
        {"name", group.name}, {"desc", group.description}, {"ranks", ranks_text(group.ranks)}};
    ids_[group.name] = static_cast<int>(ids_.size());
  }

  // Nothing if no known member has the peer's rank.
  std::optional<Group> group_of_message(const record::Communicator& communicator,
                                        const Operation& operation) const {
    const auto found = members_.find(communicator.id);
    if (found == members_.end()) return {};
    const auto own = found->second.find(communicator.rank);
    const auto peer = found->second.find(operation.peer);
    if (own == found->second.end() || peer == found->second.end()) return {};
    const bool is_sent = operation.call == Call::send;
    const int from = is_sent ? own->second : peer->second;
    const int to = is_sent ? peer->second : own->second;
    return Group{.name = fmt::format("{:016x}.{}.{}", communicator.id, from, to),
                 .description = fmt::format("{} from rank {} to rank {}",
                                            description_of(communicator), from, to),
                 .ranks = {from, to}};
  }

  void add(const Operation& operation) {
    const record::Communicator& communicator = snapshot_.communicators[operation.communicator];
    Group group{.name = fmt::format("{:016x}", communicator.id),
                .description = description_of(communicator),
                .ranks = ranks_of(communicator)};
    const bool is_message = record::is_message(operation.call);
    int from = -1;
    int to = -1;
    if (is_message) {
      const auto pair = group_of_message(communicator, operation);
      if (!pair) return;
      group = *pair;
      // The rank with the smaller number comes first in the pair.
      from = group.ranks.front() < group.ranks.back() ? 0 : 1;
      to = 1 - from;
      if (group.ranks.front() == group.ranks.back()) from = to = 0;
      enter(group);
    }
    const Reach reach = reach_of(snapshot_, operation);
    const auto sizes =
        sizes_of(operation, static_cast<std::uint64_t>(std::max(communicator.size, 1)),
                 operation.peer == communicator.rank);
    const auto number = static_cast<std::int64_t>(operation.slot) + 1;
    note(ids_[group.name], number, reach);
    const Json type = Json::array({type_of(operation.datatype)});
    entries_.push_back({{"record_id", first_record() + entries_.size()},
                        {"pg_id", ids_[group.name]},
                        {"process_group", {group.name, group.description}},
                        {"collective_seq_id", number},
                        {"p2p_seq_id", is_message ? number : 0},
                        {"op_id", operation.index + 1},
                        {"profiling_name", name_of(operation, from, to)},
                        {"time_created_ns", operation.time_ns},
                        {"input_sizes", Json::array({Json::array({sizes.in})})},
                        {"input_dtypes", type},
                        {"output_sizes", Json::array({Json::array({sizes.out})})},
                        {"output_dtypes", type},
                        {"state", state_of(reach)},
                        {"time_discovered_started_ns", nullptr},
                        {"time_discovered_completed_ns", nullptr},
                        {"retired", reach == Reach::completed},
                        {"timeout_ms", 0},
                        {"is_p2p", is_message},
                        {"thread_id", thread_of(operation)},
                        {"thread_name", ""},
                        {"frames", frames_of(caller_(snapshot_, operation))},
                        {"label", std::string(operation.label.view())}});
  }

  std::string thread_of(const Operation& operation) const {
    return operation.thread < snapshot_.threads.size()
               ? std::to_string(snapshot_.threads[operation.thread].tid)
               : "";
  }

  // Operations that the ring has overwritten are missing at the beginning.
  std::uint64_t first_record() const {
    return snapshot_.operations.empty() ? 0 : snapshot_.operations.front().index;
  }

  void note(int id, std::int64_t number, Reach reach) {
    Reached& reached = reached_[id];
    reached.enqueued = std::max(reached.enqueued, number);
    if (reach == Reach::started || reach == Reach::completed) {
      reached.started = std::max(reached.started, number);
    }
    if (reach == Reach::completed) reached.completed = std::max(reached.completed, number);
  }

  Json status() const {
    Json all = Json::object();
    for (const auto& [id, reached] : reached_) {
      all[std::to_string(id)] = {{"last_enqueued_collective", reached.enqueued},
                                 {"last_started_collective", reached.started},
                                 {"last_completed_collective", reached.completed}};
    }
    return all;
  }

  const Snapshot& snapshot_;
  const std::map<std::uint64_t, std::map<int, int>>& members_;
  const CallerOf& caller_;
  Json groups_ = Json::object();
  Json entries_ = Json::array();
  std::map<std::string, int> ids_;
  std::map<int, Reached> reached_;
};

}  // namespace

std::vector<FlightRecord> flight_records(const Kept& kept, const CallerOf& caller) {
  const auto members = members_of(kept.snapshots);
  std::vector<FlightRecord> records;
  for (const Snapshot& snapshot : kept.snapshots) {
    const std::string json = file_text(Dump(snapshot, members, caller).make());
    // Made from the text, in which invalid UTF-8 is already replaced.
    records.push_back(
        {.rank = snapshot.rank, .pickle = to_pickle(Json::parse(json)), .json = json});
  }
  return records;
}

}  // namespace gridlock::report
