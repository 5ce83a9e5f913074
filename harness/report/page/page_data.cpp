// Turns a session into the JSON of its page.
#include "harness/report/page/page_data.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/base/text.h"
#include "harness/detect/words/calls.h"
#include "harness/detect/words/phrases.h"
#include "harness/detect/words/verdict_text.h"
#include "harness/report/figures/detection.h"
#include "harness/report/figures/differing.h"
#include "harness/report/figures/groups.h"
#include "harness/report/formats/json_values.h"
#include "harness/report/page/wait_graph.h"

namespace gridlock::report {
namespace {

using Json = nlohmann::ordered_json;

// Consecutive equal outcomes are one entry, so that a thousand repetitions make a short list.
Json strip_of(const std::vector<const Run*>& runs) {
  Json strip = Json::array();
  for (const Run* run : runs) {
    const std::string what = run->status == Status::skipped ? "skipped"
                             : run->status == Status::error
                                 ? "error"
                                 : std::string(to_string(run->verdict.outcome));
    const bool good = run->status == Status::judged && run->as_declared;
    if (!strip.empty() && strip.back()[0] == what && strip.back()[1] == good) {
      strip.back()[2] = strip.back()[2].get<int>() + 1;
    } else {
      strip.push_back({what, good, 1});
    }
  }
  return strip;
}

Json json_of(const detect::Verdict& verdict) {
  Json waiting = Json::array();
  for (const detect::Wait& wait : verdict.waiting) {
    waiting.push_back({{"ranks", ranks_text(wait.ranks)}, {"at", place_text(wait)}});
  }
  Json faults = Json::array();
  for (const auto& fault : verdict.faults) {
    faults.push_back({{"ranks", ranks_text(fault.ranks)},
                      {"what", detect::text_of(fault.what, fault.ranks.size())}});
  }
  const auto texts = [](const std::vector<detect::Phrase>& phrases) {
    Json all = Json::array();
    for (const detect::Phrase& phrase : phrases) all.push_back(detect::text_of(phrase));
    return all;
  };
  return {{"headline", headline(verdict)},
          {"outcome", to_string(verdict.outcome)},
          {"cause", to_string(verdict.cause)},
          {"culprits", verdict.culprits},
          {"waiting", waiting},
          {"faults", faults},
          {"cycle", texts(verdict.cycle)},
          {"assumptions", texts(verdict.assumptions)},
          {"divergence",
           verdict.divergence ? Json(detect::text_of(*verdict.divergence)) : Json(nullptr)},
          {"explanation", explanation(verdict)}};
}

WaitDrawing drawing_of(const Json& graph) {
  WaitDrawing drawing;
  for (const Json& node : graph.at("nodes")) {
    drawing.nodes.push_back({.name = ranks_text(node.at("ranks").get<std::vector<int>>()),
                             .fault = node.at("fault"),
                             .culprit = node.at("culprit")});
  }
  for (const Json& edge : graph.at("edges")) {
    drawing.edges.push_back({.from = edge.at("from"),
                             .to = edge.at("to"),
                             .at = edge.at("at"),
                             .kind = edge.at("kind"),
                             .matters = edge.at("matters")});
  }
  return drawing;
}

// The picture of what matters, the whole picture if it shows more, and every edge in words.
Json graph_of(const Json& timeline) {
  const Json& graph = timeline.at("graph");
  if (graph.is_null()) return nullptr;
  const WaitDrawing all = drawing_of(graph);
  const WaitDrawing less = what_matters(all);
  Json words = Json::array();
  for (const WaitDrawing::Edge& edge : all.edges) {
    words.push_back({{"from", all.nodes[edge.from].name},
                     {"to", all.nodes[edge.to].name},
                     {"at", edge.at},
                     {"why", kind_text(edge.kind)},
                     {"matters", edge.matters}});
  }
  const bool shows_more =
      all.edges.size() > less.edges.size() || all.nodes.size() > less.nodes.size();
  return {{"svg", or_null(svg_of(less))},
          {"full", shows_more ? or_null(svg_of(all)) : Json(nullptr)},
          {"words", words}};
}

std::string status_text(const Run& run) {
  if (run.status == Status::skipped) return "skipped";
  if (run.status == Status::error) return "error";
  return std::string(to_string(run.verdict.outcome));
}

Json variant_of(const Group& group, const std::string& id, const Page& page) {
  const Run& run = told_of(group.runs);
  Json json{{"id", id},
            {"scenario", run.scenario},
            {"variant", run.variant},
            {"role", run.role},
            {"ranks", run.ranks},
            {"status", status_text(run)},
            {"reason", or_null(run.reason)},
            {"verdicts", verdicts_text(group)},
            {"declared", declared_text(run)},
            {"as_declared", as_declared(group)},
            {"judged", judged(group)},
            {"runs", group.runs.size()},
            {"repetition", run.repetition},
            {"strip", strip_of(group.runs)},
            {"hang", spread_to_json(spread_of(group, &Run::time_to_hang_ms))},
            {"detect", spread_to_json(spread_of(group, &Run::time_to_detect_ms))},
            {"recover", spread_to_json(spread_of(group, &Run::time_to_recover_ms))},
            {"step", spread_to_json(spread_of(group, &Run::step_time_us))},
            {"cost", spread_to_json(spread_of(group, &Run::fix_cost))},
            {"control", or_null(run.control)},
            {"numbers", or_null(run.numbers_detail)}};
  if (run.status == Status::judged) json["verdict"] = json_of(run.verdict);
  const auto timeline = page.timelines.find(id);
  if (timeline != page.timelines.end()) {
    json["timeline"] = Json::parse(timeline->second);
    json["graph"] = graph_of(json["timeline"]);
    json["timeline"].erase("graph");
  }
  const auto output = page.outputs.find(id);
  if (output != page.outputs.end()) json["output"] = output->second;
  return json;
}

Json context_of(const Context& context) {
  Json rows = Json::array();
  const auto row = [&](const char* name, const std::string& text) {
    if (!text.empty()) rows.push_back({name, text});
  };
  row("Date", context.date);
  row("Host", context.host);
  row("Back end", context.backend);
  row("GPU", context.gpu);
  row("Driver", context.driver);
  row("CUDA", context.cuda);
  row("NCCL", context.nccl);
  row("MPI", context.mpi);
  row("Transport", context.transport);
  row("CPU", context.cpu);
  row("Compiler", context.compiler);
  row("Commit", context.commit + (context.dirty.value_or(false) ? " with local changes" : ""));
  for (std::size_t i = 0; i < context.agents.size(); ++i) {
    row("Agent",
        fmt::format("{}: {}, {} ranks", i, context.agents[i].host, context.agents[i].ranks));
  }
  if (context.clock_error_us) {
    row("Clocks", fmt::format("known to {:.1f} us between agents", *context.clock_error_us));
  }
  return rows;
}

Json scenario_of(const ScenarioText& one) {
  Json variants = Json::object();
  for (const ScenarioText::Variant& variant : one.variants) {
    variants[variant.name] = {{"role", variant.role}, {"summary", variant.summary}};
  }
  return {{"summary", one.summary}, {"lesson", one.lesson}, {"file", one.source_file},
          {"source", one.source},   {"claims", one.claims}, {"variants", variants}};
}

Json summary_of(const std::vector<Run>& runs) {
  const Summary sums = summarise(runs);
  return {{"runs", sums.runs},
          {"as_declared", sums.as_declared},
          {"true_positive", sums.true_positive},
          {"true_negative", sums.true_negative},
          {"false_positive", sums.false_positive},
          {"false_negative", sums.false_negative},
          {"skipped", sums.skipped},
          {"errors", sums.errors},
          {"detection", spread_to_json(detection_of(runs))}};
}

}  // namespace

std::string page_id(const std::string& name, int ranks, bool with_ranks) {
  return with_ranks ? fmt::format("{}@{}", name, ranks) : name;
}

std::vector<std::pair<std::string, const Group*>> pages_of(const std::vector<Group>& groups) {
  std::map<std::string, int> named;
  for (const Group& group : groups) ++named[group.name];
  std::vector<std::pair<std::string, const Group*>> pages;
  pages.reserve(groups.size());
  for (const Group& group : groups) {
    pages.emplace_back(page_id(group.name, group.ranks, named[group.name] > 1), &group);
  }
  return pages;
}

const Run& told_of(const std::vector<const Run*>& runs) {
  const auto odd = std::find_if(runs.begin(), runs.end(), [](const Run* run) {
    return run->status == Status::judged && !run->as_declared;
  });
  return odd == runs.end() ? *runs.front() : **odd;
}

Json page_data(const Page& page, bool is_book) {
  const std::vector<Group> groups = groups_of(page.results.runs);
  Json variants = Json::array();
  for (const auto& [id, group] : pages_of(groups)) {
    variants.push_back(variant_of(*group, id, page));
  }
  Json scenarios = Json::object();
  for (const ScenarioText& one : page.scenarios) scenarios[one.name] = scenario_of(one);
  return {{"schema", "gridlock.page/1"},
          {"book", is_book},
          {"context", context_of(page.results.context)},
          {"simulated", page.results.context.backend == "sim"},
          {"summary", summary_of(page.results.runs)},
          {"answer", page.answer ? to_json(*page.answer) : Json(nullptr)},
          {"missing", page.missing},
          {"scenarios", scenarios},
          {"variants", variants}};
}

}  // namespace gridlock::report
