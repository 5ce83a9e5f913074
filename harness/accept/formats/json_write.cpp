// Writes results as JSON. A field that does not apply is null.
#include "harness/accept/formats/json.h"
#include "harness/report/formats/json_values.h"

namespace gridlock::accept {
namespace {

using report::or_null;
using Json = report::OrderedJson;

Json json_of(const Culprit& culprit) {
  Json gpu = nullptr;
  if (culprit.gpu) {
    gpu = {{"name", or_null(culprit.gpu->name)},
           {"uuid", or_null(culprit.gpu->uuid)},
           {"serial", or_null(culprit.gpu->serial)}};
  }
  return {{"rank", culprit.rank}, {"host", culprit.host}, {"gpu", gpu}};
}

Json json_of(const std::optional<Figure>& figure) {
  if (!figure) return nullptr;
  return {{"unit", figure->unit},
          {"median", figure->spread.median},
          {"least", figure->spread.least},
          {"greatest", figure->spread.greatest},
          {"repetitions", figure->spread.count},
          {"floor", or_null(figure->floor)}};
}

Json json_of(const std::optional<Excuse>& excuse) {
  if (!excuse) return nullptr;
  return {{"kind", excuse->kind == Excuse::Kind::waived ? "waived" : "expected_failure"},
          {"why", excuse->why}};
}

Json json_of(const Result& result) {
  Json culprits = Json::array();
  for (const Culprit& culprit : result.culprits) culprits.push_back(json_of(culprit));
  return {{"id", result.id},
          {"kind", to_string(result.kind)},
          {"ranks", result.ranks},
          {"tags", result.tags},
          {"needed", result.needed},
          {"answer", to_string(result.answer)},
          {"was_run", result.was_run},
          {"excuse", json_of(result.excuse)},
          {"counts", !is_excused(result)},
          {"runs", result.runs},
          {"passed", result.passed},
          {"reason", result.reason},
          {"evidence", or_null(result.evidence)},
          {"advice", or_null(result.advice)},
          {"culprits", culprits},
          {"figure", json_of(result.figure)}};
}

Json json_of(const report::Context& context) {
  Json json = report::context_to_json(context);
  json["simulated"] = context.backend != "cuda";
  return json;
}

}  // namespace

std::string to_json(const Acceptance& acceptance) {
  Json checks = Json::array();
  for (const Result& result : acceptance.results) checks.push_back(json_of(result));
  const Counts counts = count(acceptance.results);
  const Answer answer = answer_of(acceptance);
  const Json all{{"schema", "gridlock.acceptance/1"},
                 {"context", json_of(acceptance.context)},
                 {"profile",
                  {{"name", acceptance.profile},
                   {"summary", acceptance.summary},
                   {"digest", acceptance.digest}}},
                 {"answer", to_string(answer)},
                 {"exit_code", exit_code(answer)},
                 {"planned", acceptance.planned},
                 {"ended", or_null(acceptance.ended)},
                 {"seconds", acceptance.seconds},
                 {"caution", or_null(caution(acceptance))},
                 {"checks", checks},
                 {"summary",
                  {{"pass", counts.pass},
                   {"fail", counts.fail},
                   {"inconclusive", counts.inconclusive},
                   {"infrastructure", counts.infrastructure},
                   {"excused", counts.excused},
                   {"skipped", counts.skipped}}}};
  return report::file_text(all);
}

}  // namespace gridlock::accept
