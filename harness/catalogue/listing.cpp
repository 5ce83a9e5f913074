// Writes scenarios as JSON. A field that does not apply is null.
#include "harness/catalogue/listing.h"

#include <nlohmann/json.hpp>

namespace gridlock::catalogue {
namespace {

using Json = nlohmann::ordered_json;

Json or_null(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json json_of(const detect::Expectation::Wait& wait) {
  return {{"ranks", wait.ranks ? Json(*wait.ranks) : Json(nullptr)},
          {"operation",
           wait.operation == record::Call::none ? Json(nullptr) : Json(to_string(wait.operation))},
          {"communicator", or_null(wait.communicator)},
          {"slot", wait.slot ? Json(*wait.slot) : Json(nullptr)},
          {"label", or_null(wait.label)},
          {"caller", or_null(wait.caller)}};
}

Json json_of(const detect::Expectation& expectation) {
  Json outcomes = Json::array();
  for (const detect::Outcome outcome : expectation.outcomes) outcomes.push_back(to_string(outcome));
  Json waiting = Json::array();
  for (const auto& wait : expectation.waiting) waiting.push_back(json_of(wait));
  const bool has_cause = expectation.cause != detect::Cause::none;
  return {{"outcomes", outcomes},
          {"cause", has_cause ? Json(to_string(expectation.cause)) : Json(nullptr)},
          {"culprits", expectation.culprits},
          {"waiting", waiting}};
}

Json json_of(const Variant& variant) {
  return {{"name", variant.name},
          {"role", variant.role},
          {"summary", variant.summary},
          {"needs", or_null(variant.needs)},
          {"control", or_null(variant.control)},
          {"expected", json_of(variant.expectation)}};
}

Json json_of(const Scenario& scenario) {
  return {{"name", scenario.name},
          {"summary", scenario.summary},
          {"lesson", scenario.lesson},
          {"claims", scenario.claims},
          {"ranks", scenario.ranks},
          {"launcher", scenario.by_mpiexec ? "mpiexec" : "own"},
          {"fault", or_null(scenario.fault)},
          {"variants", Json::array()}};
}

}  // namespace

std::string to_json(const std::vector<Planned>& plan, const std::string& backend) {
  Json scenarios = Json::array();
  const Scenario* previous = nullptr;
  for (const Planned& planned : plan) {
    if (planned.scenario != previous) scenarios.push_back(json_of(*planned.scenario));
    previous = planned.scenario;
    if (planned.variant != nullptr) {
      scenarios.back()["variants"].push_back(json_of(*planned.variant));
    }
  }
  const Json all{
      {"schema", "gridlock.catalogue/1"}, {"backend", backend}, {"scenarios", scenarios}};
  // A program's texts may hold any bytes. Those that are not UTF-8 are replaced.
  return all.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace gridlock::catalogue
