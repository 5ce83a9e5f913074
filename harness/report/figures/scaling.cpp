// Medians by number of ranks, compared with the promise.
#include "harness/report/figures/scaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <set>

#include "harness/report/figures/groups.h"
#include "harness/report/formats/text.h"

namespace gridlock::report {
namespace {

constexpr const char* kWhatIsMeasured =
    "Weak scaling: each rank's batch stays the same, so with more ranks a step takes in more "
    "samples. Speed-up is their rate over that of one rank alone, efficiency the speed-up over the "
    "ranks. Strong scaling (one batch cut up among the ranks) is not measured.";

// Each run counts once, with its ranks' median, because the ranks take their steps together.
std::optional<Spread> speed_up_of(const Group& group) {
  std::vector<double> medians;
  for (const Run* run : group.runs) {
    const auto figure = run->figures.find("speed_up");
    if (figure == run->figures.end()) continue;
    if (const auto ranks = spread(figure->second)) medians.push_back(ranks->median);
  }
  return spread(std::move(medians));
}

// The sum over the ranks of one run. It is equal in all runs.
std::optional<double> samples_per_step(const Group& group) {
  for (const Run* run : group.runs) {
    const auto figure = run->figures.find("samples_per_step");
    if (figure == run->figures.end()) continue;
    return std::accumulate(figure->second.begin(), figure->second.end(), 0.0);
  }
  return {};
}

std::optional<Promise> promise_for(int ranks) {
  const auto* found = std::find_if(std::begin(kPromisedSpeedUps), std::end(kPromisedSpeedUps),
                                   [&](const Promise& promise) { return promise.ranks == ranks; });
  return found == std::end(kPromisedSpeedUps) ? std::nullopt : std::optional(*found);
}

Standing standing_of(double speed_up, const Promise& promise) {
  if (speed_up < promise.least) return Standing::below;
  return speed_up > promise.greatest ? Standing::above : Standing::inside;
}

std::string name_of(const Scaling& row) { return row.scenario + "/" + row.variant; }

// Whether some variant was run with several numbers of ranks. Each number has its own row.
bool is_comparison(const std::vector<Scaling>& rows) {
  std::set<std::string> names;
  return std::any_of(rows.begin(), rows.end(),
                     [&](const Scaling& row) { return !names.insert(name_of(row)).second; });
}

constexpr std::size_t kColumns = 7;
using Row = std::array<std::string, kColumns>;
const Row kScalingHeads{"ranks",      "step us",     "samples/s",  "speed-up (quartiles)",
                        "efficiency", "C8 promises", "measured is"};

Row cells_of(const Scaling& row, bool is_of_gpus) {
  const Spread& speed_up = row.speed_up;
  return {
      std::to_string(row.ranks),
      row.step_time_us ? fmt::format("{:.0f}", row.step_time_us->median) : "-",
      row.samples_per_second ? fmt::format("{:.0f}", *row.samples_per_second) : "-",
      fmt::format("{:.2f}x ({:.2f}-{:.2f}, n={})", speed_up.median, speed_up.lower, speed_up.upper,
                  speed_up.count),
      fmt::format("{:.0f} %", 100 * row.efficiency()),
      row.promise ? fmt::format("{:.1f}-{:.1f}x", row.promise->least, row.promise->greatest) : "-",
      row.standing                 ? std::string(to_string(*row.standing))
      : row.promise && !is_of_gpus ? "no GPU figure"
                                   : "-"};
}

}  // namespace

std::string_view to_string(Standing standing) {
  switch (standing) {
    case Standing::inside:
      return "inside";
    case Standing::below:
      return "below";
    case Standing::above:
      break;
  }
  return "above";
}

std::string why_no_gpu_scaling(const Context& context) {
  if (context.backend != "cuda") return "the simulation's ranks share this machine's processors";
  return context.shared_gpu ? "ranks shared a GPU" : "";
}

std::vector<Scaling> scaling_of(const Results& results) {
  const bool is_of_gpus = why_no_gpu_scaling(results.context).empty();
  std::vector<Scaling> rows;
  for (const Group& group : groups_of(results.runs)) {
    const auto speed_up = speed_up_of(group);
    if (!speed_up) continue;
    Scaling row{.scenario = group.runs.front()->scenario,
                .variant = group.runs.front()->variant,
                .ranks = group.ranks,
                .step_time_us = spread_of(group, &Run::step_time_us),
                .samples_per_second = {},
                .speed_up = *speed_up,
                .promise = promise_for(group.ranks),
                .standing = {}};
    const auto samples = samples_per_step(group);
    if (samples && row.step_time_us && row.step_time_us->median > 0) {
      row.samples_per_second = 1e6 * *samples / row.step_time_us->median;
    }
    if (row.promise && is_of_gpus) row.standing = standing_of(speed_up->median, *row.promise);
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string scaling_text(const Results& results) {
  const std::vector<Scaling> rows = scaling_of(results);
  if (!is_comparison(rows)) return {};
  const std::string why_not = why_no_gpu_scaling(results.context);
  std::vector<Row> table{kScalingHeads};
  for (const Scaling& row : rows) table.push_back(cells_of(row, why_not.empty()));
  std::array<std::size_t, kColumns> widths{};
  for (const Row& cells : table) {
    for (std::size_t i = 0; i < kColumns; ++i) widths[i] = std::max(widths[i], width(cells[i]));
  }
  std::string text = "Scaling\n";
  for (std::size_t at = 0; at < table.size(); ++at) {
    // Each variant gets a heading, because different variants do different work.
    const bool is_next = at == 1 || (at > 1 && name_of(rows[at - 1]) != name_of(rows[at - 2]));
    if (is_next) text += fmt::format("  {}\n", name_of(rows[at - 1]));
    std::string line = "    ";
    for (std::size_t i = 0; i < kColumns; ++i) line += padded(table[at][i], widths[i] + 2);
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  if (!why_not.empty()) text += fmt::format("  No figure of GPUs: {}.\n", why_not);
  return text + "  " + wrapped(kWhatIsMeasured, kReportColumns, 2);
}

std::string scaling_markdown(const Results& results) {
  const std::vector<Scaling> rows = scaling_of(results);
  if (!is_comparison(rows)) return {};
  const std::string why_not = why_no_gpu_scaling(results.context);
  std::string text = fmt::format("\n## Scaling\n\n{}\n\n", kWhatIsMeasured);
  if (!why_not.empty()) text += fmt::format("**No figure of GPUs:** {}.\n\n", why_not);
  text += fmt::format("| variant | {} |\n|---|---|---|---|---|---|---|---|\n",
                      fmt::join(kScalingHeads, " | "));
  static_assert(kColumns == 7);
  for (const Scaling& row : rows) {
    text += fmt::format("| `{}` | {} |\n", name_of(row),
                        fmt::join(cells_of(row, why_not.empty()), " | "));
  }
  return text;
}

}  // namespace gridlock::report
