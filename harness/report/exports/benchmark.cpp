// compare.py wants the fields of an iteration run. Processor time is not measured, so both times
// are equal.
#include "harness/report/exports/benchmark.h"

#include <fmt/format.h>

#include <array>

#include "harness/report/figures/groups.h"
#include "harness/report/figures/statistics.h"
#include "harness/report/formats/json_values.h"

namespace gridlock::report {
namespace {

using Json = OrderedJson;

struct Timed {
  const char* name;
  std::optional<double> Run::*value;
  const char* unit;
};

constexpr std::array<Timed, 4> kTimes{{{"time_to_hang", &Run::time_to_hang_ms, "ms"},
                                       {"time_to_detect", &Run::time_to_detect_ms, "ms"},
                                       {"time_to_recover", &Run::time_to_recover_ms, "ms"},
                                       {"step_time", &Run::step_time_us, "us"}}};

Json context_of(const Context& context) {
  return {{"date", context.date},
          {"host_name", context.host},
          {"executable", "gridlock"},
          {"num_cpus", 0},
          {"mhz_per_cpu", 0},
          {"cpu_scaling_enabled", false},
          {"caches", Json::array()},
          {"load_avg", Json::array()},
          {"library_build_type", "release"},
          {"gridlock_backend", context.backend},
          {"gridlock_commit", context.commit},
          {"gridlock_cpu", context.cpu},
          {"gridlock_gpu", context.gpu},
          {"gridlock_driver", context.driver},
          {"gridlock_nccl", context.nccl}};
}

// Each figure becomes one counter: the median over the ranks. A figure is left out if its name is a
// field of the format.
void add_counters(const Run& run, Json& benchmark) {
  if (run.fix_cost) benchmark["fix_cost"] = *run.fix_cost;
  for (const auto& [name, values] : run.figures) {
    if (benchmark.contains(name) || name == "step_time_us") continue;
    if (const auto all = spread(values)) benchmark[name] = all->median;
  }
}

Json entry_of(const Run& run, const std::string& name, const Timed& timed, std::size_t family,
              int index, int repetitions) {
  const double value = *(run.*timed.value);
  Json benchmark{{"name", name},
                 {"family_index", family},
                 {"per_family_instance_index", 0},
                 {"run_name", name},
                 {"run_type", "iteration"},
                 {"repetitions", repetitions},
                 {"repetition_index", index},
                 {"threads", 1},
                 {"iterations", 1},
                 {"real_time", value},
                 {"cpu_time", value},
                 {"time_unit", timed.unit}};
  if (timed.value == &Run::step_time_us) add_counters(run, benchmark);
  return benchmark;
}

}  // namespace

std::string to_benchmark(const Results& results) {
  Json benchmarks = Json::array();
  std::size_t family = 0;
  for (const Group& group : groups_of(results.runs)) {
    for (const Timed& timed : kTimes) {
      const auto values = spread_of(group, timed.value);
      if (!values) continue;
      const std::string name = fmt::format("{}/ranks:{}/{}", group.name, group.ranks, timed.name);
      int index = 0;
      for (const Run* run : group.runs) {
        if (!(run->*timed.value)) continue;
        benchmarks.push_back(
            entry_of(*run, name, timed, family, index++, static_cast<int>(values->count)));
      }
      ++family;
    }
  }
  return file_text(Json{{"context", context_of(results.context)}, {"benchmarks", benchmarks}});
}

}  // namespace gridlock::report
