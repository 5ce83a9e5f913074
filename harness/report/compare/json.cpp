// The comparison for other programs.
#include "harness/report/compare/formats.h"
#include "harness/report/formats/json_values.h"

namespace gridlock::report {
namespace {

using Json = OrderedJson;

Json json_of(const std::vector<Row>& rows) {
  Json all = Json::array();
  for (const Row& row : rows) {
    Json cells = Json::array();
    for (const std::string& cell : row.cells) cells.push_back(or_null(cell));
    all.push_back({{"name", row.name}, {"differs", row.differs}, {"sessions", cells}});
  }
  return all;
}

Json json_of(const Change& change) {
  Json json{{"kind", to_string(change.kind)},   {"worse", is_worse(change.kind)},
            {"variant", change.name},           {"ranks", change.ranks},
            {"before", or_null(change.before)}, {"after", or_null(change.after)},
            {"figure", or_null(change.figure)}};
  if (change.moved) {
    json["median_before"] = change.moved->before;
    json["median_after"] = change.moved->after;
    json["p"] = change.moved->p;
    json["greater"] = change.moved->greater;
    json["repetitions_before"] = change.moved->count_before;
    json["repetitions_after"] = change.moved->count_after;
  }
  return json;
}

Json json_of(const Changes& changes) {
  Json all = Json::array();
  for (const Change& change : changes.all) all.push_back(json_of(change));
  return {{"worse", changes.got_worse()},
          {"variants", changes.variants},
          {"figures", changes.figures},
          {"too_few_repetitions", changes.too_few},
          {"changes", all}};
}

}  // namespace

std::string to_json(const Comparison& comparison) {
  Json against = Json::array();
  for (const Changes& each : comparison.changes) against.push_back(json_of(each));
  return file_text(
      Json{{"schema", "gridlock.comparison/1"},
           {"sessions", comparison.sessions.sessions},
           {"worse", comparison.got_worse()},
           {"threshold", comparison.noise.threshold},
           {"p", comparison.noise.p},
           {"contexts", json_of(comparison.sessions.contexts)},
           {"verdicts", json_of(shown(comparison.sessions.verdicts, comparison.all_rows))},
           {comparison.in_steps ? "against_previous" : "against_first", against}});
}

}  // namespace gridlock::report
