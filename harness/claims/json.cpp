// Writes answers as JSON.
#include "harness/claims/text.h"
#include "harness/report/formats/json_values.h"

namespace gridlock::claims {
namespace {

using Json = report::OrderedJson;

Json json_of(const report::Group& group) {
  return {{"variant", group.name},
          {"role", group.role},
          {"ranks", group.ranks},
          {"repetitions", group.runs.size()},
          {"verdict", verdicts_text(group)},
          {"as_declared", as_declared(group)}};
}

Json json_of(const Decided& decided) {
  Json runs = Json::array();
  for (const report::Group& group : decided.shown_by) runs.push_back(json_of(group));
  return {{"id", decided.claim->id},
          {"claim", decided.claim->says},
          {"predicted", to_string(decided.claim->predicted)},
          {"answer", to_string(decided.answer.kind)},
          {"found", decided.answer.found},
          {"as_predicted", report::or_null(decided.as_predicted)},
          {"variants", decided.claim->variants},
          {"runs", runs}};
}

}  // namespace

std::string to_json(const std::vector<Decided>& decided, const report::Context& context) {
  Json claims = Json::array();
  for (const Decided& each : decided) claims.push_back(json_of(each));
  const Json all{{"schema", "gridlock.claims/1"},
                 {"context",
                  {{"date", context.date},
                   {"host", context.host},
                   {"backend", context.backend},
                   {"shared_gpu", context.shared_gpu},
                   {"commit", context.commit},
                   {"cpu", context.cpu}}},
                 {"claims", claims}};
  return report::file_text(all);
}

}  // namespace gridlock::claims
