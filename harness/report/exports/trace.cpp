// The box says when an operation was called, not when the device ran it. So a bar begins at the
// call. It ends at the next call on its stream or, if the device is not past the operation, at the
// verdict. The bars of one stream are therefore nested or apart, as the format requires.
#include "harness/report/exports/trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "harness/base/limits.h"
#include "harness/base/text.h"
#include "harness/detect/words/calls.h"
#include "harness/detect/words/verdict_text.h"
#include "harness/report/figures/groups.h"
#include "harness/report/formats/json_values.h"

namespace gridlock::report {
namespace {

using Json = OrderedJson;

// The tracks of streams follow those of threads.
constexpr std::int64_t kFirstStream = 1000;

struct FlowPoint {
  std::int64_t ns = 0;
  std::int64_t process = 0;
  std::int64_t track = 0;
};
using FlowKey = std::pair<std::uint64_t, std::uint64_t>;  // communicator, slot

class Trace {
 public:
  Trace(std::int64_t zero_ns, const CallerOf& caller) : zero_ns_(zero_ns), caller_(caller) {}

  void add(const Kept& kept, std::int64_t first_process) {
    end_ns_ = kept.run->moments.decided_ns;
    for (const record::Snapshot& snapshot : kept.snapshots) {
      end_ns_ = std::max(end_ns_, snapshot.last_change_ns);
    }
    for (const record::Snapshot& snapshot : kept.snapshots) {
      add_rank(*kept.run, snapshot, first_process + snapshot.rank);
    }
    add_flows();
    add_verdict(*kept.run, first_process);
  }

  std::string text() && {
    return "{\"displayTimeUnit\":\"ms\",\"traceEvents\":[\n" + std::move(events_) + "\n]}\n";
  }

 private:
  double us(std::int64_t ns) const { return static_cast<double>(ns - zero_ns_) / 1e3; }

  void write(const Json& event) {
    if (!events_.empty()) events_ += ",\n";
    events_ += event.dump(-1, ' ', false, Json::error_handler_t::replace);
  }

  void name(const char* what, std::int64_t process, std::int64_t track, const std::string& text) {
    write({{"ph", "M"},
           {"name", what},
           {"pid", process},
           {"tid", track},
           {"args", {{"name", on_one_line(text)}}}});
  }

  void bar(const std::string& text, const char* category, std::int64_t begin_ns,
           std::int64_t end_ns, std::int64_t process, std::int64_t track, const Json& args) {
    write({{"ph", "X"},
           {"name", on_one_line(text)},
           {"cat", category},
           {"ts", us(begin_ns)},
           {"dur", static_cast<double>(std::max<std::int64_t>(end_ns - begin_ns, 0)) / 1e3},
           {"pid", process},
           {"tid", track},
           {"args", args}});
  }

  void add_rank(const Run& run, const record::Snapshot& snapshot, std::int64_t process) {
    name("process_name", process, 0,
         fmt::format("rank {} of {}{}", snapshot.rank, full_name(run),
                     run.repetition > 0 ? fmt::format(" #{}", run.repetition + 1) : ""));
    write({{"ph", "M"},
           {"name", "process_sort_index"},
           {"pid", process},
           {"args", {{"sort_index", process}}}});
    for (std::size_t i = 0; i < snapshot.threads.size(); ++i) {
      add_thread(snapshot, snapshot.threads[i], process, static_cast<std::int64_t>(i) + 1);
    }
    for (std::size_t i = 0; i < snapshot.streams.size(); ++i) {
      add_stream(snapshot, static_cast<std::uint32_t>(i), process);
    }
  }

  void add_thread(const record::Snapshot& snapshot, const record::Thread& thread,
                  std::int64_t process, std::int64_t track) {
    name("thread_name", process, track, fmt::format("host thread {}", thread.tid));
    if (thread.waits == record::Waits::nothing || thread.since_ns == 0) return;
    Json args{{"waits", "still, at the verdict"}};
    if (!thread.label.view().empty()) args["label"] = on_one_line(std::string(thread.label.view()));
    if (thread.communicator < snapshot.communicators.size()) {
      args["communicator"] = snapshot.communicators[thread.communicator].name;
    }
    bar(std::string(to_string(thread.call)), "wait", thread.since_ns,
        std::max(end_ns_, thread.since_ns), process, track, args);
  }

  void add_stream(const record::Snapshot& snapshot, std::uint32_t stream, std::int64_t process) {
    std::vector<const record::Operation*> operations;
    for (const record::Operation& operation : snapshot.operations) {
      if (operation.stream == stream) operations.push_back(&operation);
    }
    if (operations.empty()) return;
    std::stable_sort(operations.begin(), operations.end(), [](const auto* one, const auto* other) {
      return one->time_ns < other->time_ns;
    });
    const std::int64_t track = kFirstStream + stream;
    const record::Stream& of = snapshot.streams[stream];
    name("thread_name", process, track,
         of.mpi      ? fmt::format("calls of MPI {}", stream)
         : of.legacy ? fmt::format("legacy default stream of device {}", of.device)
                     : fmt::format("stream {} of device {}", stream, of.device));
    for (std::size_t i = 0; i < operations.size(); ++i) {
      const record::Operation& operation = *operations[i];
      const Reach reach = reach_of(snapshot, operation);
      const bool is_past = reach == Reach::completed || reach == Reach::failed;
      const std::int64_t next_ns = i + 1 < operations.size() ? operations[i + 1]->time_ns : end_ns_;
      add_operation(snapshot, operation, reach, process, track,
                    std::max(is_past ? next_ns : end_ns_, operation.time_ns));
    }
  }

  void add_operation(const record::Snapshot& snapshot, const record::Operation& operation,
                     Reach reach, std::int64_t process, std::int64_t track, std::int64_t end_ns) {
    const bool is_sent = record::is_communication(operation.call);
    std::string text = is_sent ? detect::call_text(operation.call, operation.slot)
                               : std::string(to_string(operation.call));
    if (!operation.label.view().empty()) text += quoted(operation.label.view());
    Json args{{"state", to_string(reach)}, {"count", operation.count}};
    if (operation.peer >= 0) args["root_or_peer"] = operation.peer;
    if (operation.communicator < snapshot.communicators.size()) {
      const record::Communicator& communicator = snapshot.communicators[operation.communicator];
      args["communicator"] =
          communicator.name.empty() ? fmt::format("{:016x}", communicator.id) : communicator.name;
      if (record::is_collective(operation.call) && reach != Reach::failed) {
        flows_[{communicator.id, operation.slot}].push_back(
            {.ns = operation.time_ns, .process = process, .track = track});
      }
    }
    if (const std::string at = caller_(snapshot, operation); !at.empty()) args["caller"] = at;
    bar(text, is_sent ? "communication" : "stream", operation.time_ns, end_ns, process, track,
        args);
  }

  // From the member that called first to the one that called last.
  void add_flows() {
    for (auto& [key, points] : flows_) {
      if (points.size() < 2) continue;
      std::stable_sort(points.begin(), points.end(),
                       [](const FlowPoint& one, const FlowPoint& other) {
                         return std::tie(one.ns, one.process) < std::tie(other.ns, other.process);
                       });
      ++flow_;
      for (std::size_t i = 0; i < points.size(); ++i) {
        const bool is_last = i + 1 == points.size();
        Json event{{"ph", i == 0    ? "s"
                          : is_last ? "f"
                                    : "t"},
                   {"name", "collective"},
                   {"cat", "members"},
                   {"id", flow_},
                   {"ts", us(points[i].ns)},
                   {"pid", points[i].process},
                   {"tid", points[i].track}};
        if (is_last) event["bp"] = "e";
        write(event);
      }
    }
    flows_.clear();
  }

  void add_verdict(const Run& run, std::int64_t first_process) {
    if (run.status != Status::judged || run.moments.decided_ns == 0) return;
    Json culprits = run.verdict.culprits;
    write({{"ph", "i"},
           {"s", "g"},
           {"name", fmt::format("{}: {}", full_name(run), detect::headline(run.verdict))},
           {"cat", "verdict"},
           {"ts", us(run.moments.decided_ns)},
           {"pid", first_process},
           {"tid", 0},
           {"args",
            {{"outcome", to_string(run.verdict.outcome)},
             {"cause", to_string(run.verdict.cause)},
             {"culprits", culprits},
             {"text", printable(detect::verdict_text(run.verdict))}}}});
  }

  std::int64_t zero_ns_;
  const CallerOf& caller_;
  std::int64_t end_ns_ = 0;
  std::uint64_t flow_ = 0;
  std::map<FlowKey, std::vector<FlowPoint>> flows_;
  std::string events_;
};

// The earliest moment of all runs; 0 if none is known.
std::int64_t zero_of(const std::vector<Run>& runs) {
  std::int64_t zero = 0;
  for (const Run& run : runs) {
    const std::int64_t begun = run.moments.begun_ns;
    if (begun != 0 && (zero == 0 || begun < zero)) zero = begun;
  }
  return zero;
}

}  // namespace

std::string to_trace(const Results& results, const BoxesOf& boxes, const CallerOf& caller) {
  Trace trace(zero_of(results.runs), caller);
  for (std::size_t i = 0; i < results.runs.size(); ++i) {
    trace.add({.run = &results.runs[i], .snapshots = boxes(i)},
              1 + static_cast<std::int64_t>(i) * kMaxRanks);
  }
  return std::move(trace).text();
}

}  // namespace gridlock::report
