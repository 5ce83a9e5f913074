// Turns snapshots into columns.
#include "harness/report/page/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "harness/base/text.h"
#include "harness/detect/words/calls.h"
#include "harness/detect/words/phrases.h"
#include "harness/report/page/columns.h"

namespace gridlock::report {
namespace {

using Json = nlohmann::ordered_json;
using record::Operation;
using record::Snapshot;

// How far an operation has come. The numbers are part of the schema.
enum class Stage : std::uint8_t { past, begun, queued, announced, failed };

Stage stage_of(const Snapshot& snapshot, const Operation& operation) {
  if (operation.result != 0) return Stage::failed;
  if (operation.launched == 0) return Stage::announced;
  if (operation.stream >= snapshot.streams.size()) return Stage::past;
  const record::Stream& stream = snapshot.streams[operation.stream];
  if (operation.position <= stream.completed) return Stage::past;
  // A stream works on the first unit that it has not completed.
  return operation.position == stream.completed + 1 ? Stage::begun : Stage::queued;
}

std::string stream_text(const record::Stream& stream, std::size_t index) {
  if (stream.mpi) return "MPI";
  if (stream.legacy) return "default stream";
  return fmt::format("stream {}", index);
}

// What the kernel says about a thread: "S, futex, futex_wait_queue"; "" if nobody looked.
std::string kernel_text(const record::Thread& thread) {
  if (!thread.exists) return "gone";
  if (thread.state == 0) return {};
  std::string text(1, thread.state);
  if (!thread.syscall.empty()) text += ", " + thread.syscall;
  if (!thread.wait_channel.empty()) text += ", " + thread.wait_channel;
  if (thread.sleep.asleep && !thread.sleep.on.empty()) text += ", asleep on " + thread.sleep.on;
  return text;
}

class Drawing {
 public:
  explicit Drawing(const Recorded& of) : of_(of), tick_ns_(tick()), origin_ns_(origin()) {}

  Json json() {
    Json ranks = Json::array();
    Json groups = Json::object();
    std::unordered_map<std::string, int> group_of_state;
    for (const Snapshot& snapshot : of_.snapshots) {
      Json rank = json_of(snapshot);
      const bool culprit = std::binary_search(of_.verdict->culprits.begin(),
                                              of_.verdict->culprits.end(), snapshot.rank);
      const std::string state = state_of(snapshot) + (culprit ? "!" : "");
      rank["group"] =
          group_of_state.try_emplace(state, static_cast<int>(group_of_state.size())).first->second;
      rank["culprit"] = culprit;
      ranks.push_back(std::move(rank));
    }
    return {{"schema", "gridlock.timeline/1"},
            {"tick_ns", tick_ns_},
            {"marks", marks()},
            {"words", words_.texts()},
            {"communicators", communicators_},
            {"columns", columns_.texts()},
            {"ranks", std::move(ranks)},
            {"graph", graph()}};
  }

 private:
  // A tenth of a microsecond, or a microsecond if there are so many operations that size matters.
  std::int64_t tick() const {
    constexpr std::size_t kMany = 100'000;
    std::size_t operations = 0;
    for (const Snapshot& snapshot : of_.snapshots) operations += snapshot.operations.size();
    return operations > kMany ? 1000 : 100;
  }

  std::int64_t origin() const {
    if (of_.marks.started_ns != 0) return of_.marks.started_ns;
    std::int64_t first = std::numeric_limits<std::int64_t>::max();
    for (const Snapshot& snapshot : of_.snapshots) {
      for (const Operation& operation : snapshot.operations) {
        first = std::min(first, operation.time_ns);
      }
    }
    return first == std::numeric_limits<std::int64_t>::max() ? 0 : first;
  }

  std::int64_t ticks(std::int64_t time_ns) const { return (time_ns - origin_ns_) / tick_ns_; }

  Json marks() const {
    Json marks = Json::object();
    const auto mark = [&](const char* name, std::int64_t time_ns) {
      if (time_ns != 0) marks[name] = ticks(time_ns);
    };
    mark("last_progress", of_.marks.last_progress_ns);
    mark("proven", of_.marks.proven_ns);
    mark("decided", of_.marks.decided_ns);
    mark("killed", of_.marks.killed_ns);
    return marks;
  }

  std::int64_t word(std::string_view text) {
    return static_cast<std::int64_t>(words_.number(std::string(text)));
  }

  // -1: none.
  std::int64_t communicator(const Snapshot& snapshot, std::uint32_t index) {
    if (index >= snapshot.communicators.size()) return -1;
    const record::Communicator& one = snapshot.communicators[index];
    const auto [known, is_new] = number_of_communicator_.try_emplace(one.id, communicators_.size());
    if (is_new) {
      const std::string name =
          of_.names == nullptr ? one.name : communicator_text(of_.names->name(one.id));
      communicators_.push_back({{"name", name}, {"size", one.size}});
    }
    return static_cast<std::int64_t>(known->second);
  }

  std::int64_t caller(const Snapshot& snapshot, std::span<const std::uint64_t> callers) {
    if (!of_.name_of) return word("");
    for (const std::uint64_t address : callers) {
      for (const record::Module& module : snapshot.modules) {
        if (address == 0 || address < module.begin || address >= module.end) continue;
        const std::string name =
            of_.name_of({.module = module.path, .offset = address - module.bias});
        if (!name.empty()) return word(name);
      }
    }
    return word("");
  }

  template <typename Value>
  std::size_t column(const Snapshot& snapshot, const Value& value) {
    std::vector<std::int64_t> values;
    values.reserve(snapshot.operations.size());
    for (const Operation& operation : snapshot.operations) values.push_back(value(operation));
    return columns_.number(encoded(values));
  }

  Json operations(const Snapshot& snapshot) {
    const auto number = [](auto value) { return static_cast<std::int64_t>(value); };
    const auto index = [](std::uint32_t value) {
      return value == record::kNone ? std::int64_t{-1} : std::int64_t{value};
    };
    return {
        {"time", column(snapshot, [&](const Operation& one) { return ticks(one.time_ns); })},
        {"call", column(snapshot, [&](const Operation& one) { return word(to_string(one.call)); })},
        {"label", column(snapshot, [&](const Operation& one) { return word(one.label.view()); })},
        {"communicator",
         column(snapshot,
                [&](const Operation& one) { return communicator(snapshot, one.communicator); })},
        {"slot", column(snapshot, [&](const Operation& one) { return number(one.slot); })},
        {"peer", column(snapshot, [&](const Operation& one) { return number(one.peer); })},
        {"count", column(snapshot, [&](const Operation& one) { return number(one.count); })},
        {"stream", column(snapshot, [&](const Operation& one) { return index(one.stream); })},
        {"thread", column(snapshot, [&](const Operation& one) { return index(one.thread); })},
        {"caller",
         column(snapshot, [&](const Operation& one) { return caller(snapshot, one.callers); })},
        {"stage",
         column(snapshot, [&](const Operation& one) { return number(stage_of(snapshot, one)); })}};
  }

  Json thread(const Snapshot& snapshot, const record::Thread& one) {
    const bool waits = one.exists && one.waits != record::Waits::nothing;
    Json json{{"tid", one.tid}, {"kernel", kernel_text(one)}, {"blocked", waits}};
    if (!waits) return json;
    json["call"] = to_string(one.call);
    json["since"] = ticks(one.since_ns);
    json["label"] = one.label.view();
    json["communicator"] = communicator(snapshot, one.communicator);
    json["caller"] = words_.texts()[static_cast<std::size_t>(caller(snapshot, one.callers))];
    return json;
  }

  Json json_of(const Snapshot& snapshot) {
    static constexpr std::array kProcess{"alive", "exited", "signaled"};
    Json threads = Json::array();
    for (const record::Thread& one : snapshot.threads) threads.push_back(thread(snapshot, one));
    Json streams = Json::array();
    for (std::size_t i = 0; i < snapshot.streams.size(); ++i) {
      streams.push_back(stream_text(snapshot.streams[i], i));
    }
    const std::uint64_t kept = snapshot.operations.size();
    return {{"rank", snapshot.rank},
            {"host", snapshot.host},
            {"process", kProcess.at(static_cast<std::size_t>(snapshot.process))},
            {"code", snapshot.exit_code},
            {"code_known", snapshot.code_known},
            {"others", snapshot.other_threads},
            {"lost", snapshot.recorded > kept ? snapshot.recorded - kept : 0},
            {"threads", threads},
            {"streams", streams},
            {"operations", operations(snapshot)},
            {"length", kept}};
  }

  std::string fault_of(const std::vector<int>& ranks) const {
    for (const auto& fault : of_.verdict->faults) {
      if (std::includes(fault.ranks.begin(), fault.ranks.end(), ranks.begin(), ranks.end())) {
        return detect::text_of(fault.what, ranks.size());
      }
    }
    return {};
  }

  Json graph() const {
    if (of_.picture == nullptr || of_.picture->nodes.empty()) return nullptr;
    static constexpr std::array kKinds{"absent", "queued", "left", "differs", "itself", "wakes"};
    Json nodes = Json::array();
    for (const auto& node : of_.picture->nodes) {
      nodes.push_back({{"ranks", node.ranks},
                       {"culprit", node.culprit},
                       {"fault", node.culprit ? fault_of(node.ranks) : std::string()}});
    }
    Json edges = Json::array();
    for (const auto& edge : of_.picture->edges) {
      edges.push_back(
          {{"from", edge.from},
           {"to", edge.to},
           {"at", edge.asleep_on.empty() ? place_text(edge.at) : "its sleep on " + edge.asleep_on},
           {"kind", kKinds.at(static_cast<std::size_t>(edge.kind))},
           {"matters", edge.matters}});
    }
    return {{"nodes", nodes}, {"edges", edges}};
  }

  const Recorded& of_;
  std::int64_t tick_ns_;
  std::int64_t origin_ns_;
  Interned words_;
  Interned columns_;
  Json communicators_ = Json::array();
  std::unordered_map<std::uint64_t, std::size_t> number_of_communicator_;
};

}  // namespace

std::string state_of(const Snapshot& snapshot) {
  std::string state = fmt::format("{}:{}", static_cast<int>(snapshot.process), snapshot.exit_code);
  const auto id_of = [&](std::uint32_t index) {
    return index < snapshot.communicators.size() ? snapshot.communicators[index].id : 0;
  };
  for (const record::Thread& thread : snapshot.threads) {
    if (!thread.exists) continue;
    state +=
        fmt::format("|t{}:{}:{}:{}", static_cast<int>(thread.call), static_cast<int>(thread.waits),
                    id_of(thread.communicator), thread.label.view());
  }
  for (const record::Stream& stream : snapshot.streams) state += stream.mpi ? "|m" : "|s";
  for (const Operation& operation : snapshot.operations) {
    const Stage stage = stage_of(snapshot, operation);
    if (stage == Stage::past) continue;
    state += fmt::format("|o{}:{}:{}:{}:{}:{}", static_cast<int>(operation.call),
                         id_of(operation.communicator), operation.slot, static_cast<int>(stage),
                         operation.stream, operation.label.view());
  }
  return state;
}

std::string timeline_json(const Recorded& recorded) {
  return Drawing(recorded).json().dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace gridlock::report
