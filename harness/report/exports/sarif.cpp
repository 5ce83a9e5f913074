// Source: OASIS, Static Analysis Results Interchange Format 2.1.0.
#include "harness/report/exports/sarif.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <set>

#include "harness/base/text.h"
#include "harness/detect/words/calls.h"
#include "harness/detect/words/verdict_text.h"
#include "harness/report/figures/groups.h"
#include "harness/report/formats/json_values.h"

namespace gridlock::report {
namespace {

using Json = OrderedJson;

constexpr const char* kSarifSchema =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

std::string rule_of(const detect::Verdict& verdict) {
  const std::string outcome(to_string(verdict.outcome));
  return verdict.cause == detect::Cause::none
             ? outcome
             : fmt::format("{}/{}", outcome, to_string(verdict.cause));
}

// A path as a URI. Letters, digits and harmless characters stay; all others are escaped.
std::string uri_of(std::string_view path, std::string_view root) {
  std::string uri;
  if (!root.empty() && path.starts_with(root) && path.size() > root.size() &&
      path[root.size()] == '/') {
    path.remove_prefix(root.size() + 1);
  } else if (path.starts_with("/")) {
    uri = "file://";
  }
  for (const char letter : path) {
    const auto byte = static_cast<unsigned char>(letter);
    const bool is_plain = (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
                          (byte >= 'a' && byte <= 'z') ||
                          std::string_view("/-._~+").find(letter) != std::string_view::npos;
    uri += is_plain ? std::string(1, letter) : fmt::format("%{:02X}", byte);
  }
  return uri;
}

std::optional<Json> location_of(const Run& run, const detect::Wait& wait, const std::string& root) {
  const auto known = run.sources.find(wait.caller);
  if (known == run.sources.end()) return {};
  const std::string& source = known->second;
  const auto colon = source.rfind(':');
  if (colon == std::string::npos || colon == 0) return {};
  int line = 0;
  std::from_chars(&source[colon] + 1, source.data() + source.size(), line);
  if (line < 1) return {};
  const std::string where =
      fmt::format("{} {} in {}", ranks_text(wait.ranks), wait.ranks.size() == 1 ? "waits" : "wait",
                  detect::place_text(wait));
  return Json{
      {"physicalLocation",
       {{"artifactLocation", {{"uri", uri_of(std::string_view(source).substr(0, colon), root)}}},
        {"region", {{"startLine", line}}}}},
      {"message", {{"text", on_one_line(where)}}}};
}

// The culprits' locations come first, because code hosts show only the first one.
Json locations_of(const Run& run, const std::string& root) {
  const detect::Verdict& verdict = run.verdict;
  std::vector<const detect::Wait*> waits;
  for (const detect::Wait& wait : verdict.waiting) waits.push_back(&wait);
  const auto is_culprit = [&](const detect::Wait* wait) {
    return std::find_first_of(wait->ranks.begin(), wait->ranks.end(), verdict.culprits.begin(),
                              verdict.culprits.end()) != wait->ranks.end();
  };
  std::stable_partition(waits.begin(), waits.end(), is_culprit);
  Json locations = Json::array();
  for (const detect::Wait* wait : waits) {
    if (auto location = location_of(run, *wait, root)) locations.push_back(std::move(*location));
  }
  return locations;
}

const char* level_of(const Run& run) {
  if (run.as_declared) return "none";
  return run.verdict.outcome == detect::Outcome::stall ? "warning" : "error";
}

Json result_of(const Run& run, const std::string& root) {
  Json result{{"ruleId", rule_of(run.verdict)},
              {"kind", run.as_declared ? "informational" : "fail"},
              {"level", level_of(run)},
              {"message",
               {{"text", printable(fmt::format("{} ({} ranks): {}", full_name(run), run.ranks,
                                               detect::verdict_text(run.verdict)))}}},
              {"locations", locations_of(run, root)},
              {"partialFingerprints",
               {{"gridlockVerdict/v1",
                 fmt::format("{}@{}:{}", full_name(run), run.ranks, rule_of(run.verdict))}}},
              {"properties", {{"ranks", run.ranks}, {"culprits", run.verdict.culprits}}}};
  if (run.time_to_detect_ms) result["properties"]["timeToDetectMs"] = *run.time_to_detect_ms;
  return result;
}

}  // namespace

std::string to_sarif(const Results& results, const std::string& root) {
  std::set<std::string> rules;
  Json found = Json::array();
  for (const Run& run : results.runs) {
    if (run.status != Status::judged || run.verdict.outcome == detect::Outcome::completes) continue;
    rules.insert(rule_of(run.verdict));
    found.push_back(result_of(run, root));
  }
  Json described = Json::array();
  for (const std::string& rule : rules) {
    described.push_back({{"id", rule}, {"shortDescription", {{"text", "A run ended as " + rule}}}});
  }
  const bool has_faults = std::any_of(results.runs.begin(), results.runs.end(),
                                      [](const Run& run) { return run.status == Status::error; });
  const Json run{
      {"tool", {{"driver", {{"name", "Gridlock"}, {"rules", described}}}}},
      {"invocations", Json::array({{{"executionSuccessful", !has_faults}}})},
      {"results", found},
      {"properties", {{"backend", results.context.backend}, {"date", results.context.date}}}};
  return file_text(
      Json{{"$schema", kSarifSchema}, {"version", "2.1.0"}, {"runs", Json::array({run})}});
}

}  // namespace gridlock::report
