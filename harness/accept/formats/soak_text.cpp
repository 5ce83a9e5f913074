// A soak's report: for a terminal, for a page, for tools.
#include <fmt/format.h>

#include "harness/accept/soak.h"
#include "harness/report/figures/statistics.h"
#include "harness/report/formats/json_values.h"
#include "harness/report/formats/markdown.h"
#include "harness/report/formats/text.h"

namespace gridlock::accept {
namespace {

using Json = report::OrderedJson;

std::string counts_text(const Soaked& soaked) {
  return fmt::format(
      "{} runs: {} as declared, {} false alarms, {} others not as declared, {} in error",
      soaked.runs, soaked.as_declared, soaked.false_alarms, soaked.others, soaked.errors);
}

std::string drift_text(const std::optional<Slope>& drift) {
  if (!drift) return "drift of step time: too few runs with one";
  const bool is_none = drift->lower <= 0 && drift->upper >= 0;
  return fmt::format(
      "drift of step time: {:+.1f} % of its median per hour (95 %: {:+.1f} to {:+.1f}, {} points, "
      "Theil-Sen){}",
      drift->median * 100, drift->lower * 100, drift->upper * 100, drift->points,
      is_none ? ": none to be seen" : "");
}

std::string how_text(const Soaking& soaking) {
  return fmt::format("{:.0f} s, seed {}, {} delays of a rank ({:.1f} s together)", soaking.seconds,
                     soaking.seed, soaking.delays, soaking.delayed_s);
}

std::vector<std::string> sentences_of(const Soaking& soaking) {
  std::vector<std::string> all{how_text(soaking), counts_text(soaking.tally.total()),
                               alarm_text(soaking.tally), drift_text(soaking.tally.drift())};
  if (!soaking.ended.empty()) all.push_back("Ended early: " + soaking.ended);
  return all;
}

std::optional<report::Spread> step_of(const Soaked& soaked) {
  std::vector<double> steps;
  for (const Point& point : soaked.step_us) steps.push_back(point.value);
  return report::spread(std::move(steps));
}

Json json_of(const std::optional<Slope>& drift) {
  if (!drift) return nullptr;
  return {{"unit", "share of the median per hour"},
          {"median", drift->median},
          {"lower_95", drift->lower},
          {"upper_95", drift->upper},
          {"points", drift->points}};
}

Json json_of(const Soaked& soaked) {
  return {{"runs", soaked.runs},
          {"as_declared", soaked.as_declared},
          {"false_alarms", soaked.false_alarms},
          {"others", soaked.others},
          {"errors", soaked.errors}};
}

}  // namespace

std::string to_text(const Soaking& soaking) {
  std::string text;
  for (const std::string& odd : soaking.tally.odd()) text += odd;
  return text + fmt::format("\n{}\n", fmt::join(sentences_of(soaking), "\n"));
}

std::string to_markdown(const Soaking& soaking) {
  std::string text =
      fmt::format("# Soak\n\n{} on {}, {}.\n\n- {}\n", soaking.context.date, soaking.context.host,
                  report::machine_text(soaking.context), fmt::join(sentences_of(soaking), "\n- "));
  text +=
      "\n| variant | runs | as declared | false alarms | others | step, us: median "
      "(least-greatest) |\n|---|---|---|---|---|---|\n";
  for (const auto& [name, soaked] : soaking.tally.variants()) {
    text +=
        fmt::format("| `{}` | {} | {} | {} | {} | {} |\n", name, soaked.runs, soaked.as_declared,
                    soaked.false_alarms, soaked.others, report::to_text(step_of(soaked)));
  }
  for (const std::string& odd : soaking.tally.odd()) text += "\n```\n" + odd + "```\n";
  return text;
}

std::string to_json(const Soaking& soaking) {
  Json variants = Json::object();
  for (const auto& [name, soaked] : soaking.tally.variants()) {
    variants[name] = json_of(soaked);
    variants[name]["step_us"] = report::spread_to_json(step_of(soaked));
  }
  const Json all{{"schema", "gridlock.soak/2"},
                 {"context", report::context_to_json(soaking.context)},
                 {"summary", sentences_of(soaking)},
                 {"seconds", soaking.seconds},
                 {"seed", soaking.seed},
                 {"delays", soaking.delays},
                 {"delayed_seconds", soaking.delayed_s},
                 {"ended", report::or_null(soaking.ended)},
                 {"rank_hours", soaking.tally.rank_hours()},
                 {"total", json_of(soaking.tally.total())},
                 {"step_time_drift", json_of(soaking.tally.drift())},
                 {"odd", soaking.tally.odd()},
                 {"variants", variants}};
  return report::file_text(all);
}

}  // namespace gridlock::accept
