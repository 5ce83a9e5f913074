// Writes scenarios as JSON. A field that does not apply is null.
#include "harness/catalogue/listing.h"

#include <nlohmann/json.hpp>

namespace gridlock::catalogue {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson or_null(const std::string& text) {
  return text.empty() ? OrderedJson(nullptr) : OrderedJson(text);
}

OrderedJson json_of(const detect::Expectation::Wait& wait) {
  return {
      {"ranks", wait.ranks ? OrderedJson(*wait.ranks) : OrderedJson(nullptr)},
      {"operation", wait.operation == record::Call::none ? OrderedJson(nullptr)
                                                         : OrderedJson(to_string(wait.operation))},
      {"communicator", or_null(wait.communicator)},
      {"slot", wait.slot ? OrderedJson(*wait.slot) : OrderedJson(nullptr)},
      {"label", or_null(wait.label)},
      {"caller", or_null(wait.caller)}};
}

OrderedJson json_of(const detect::Expectation& expectation) {
  OrderedJson outcomes = OrderedJson::array();
  for (const detect::Outcome outcome : expectation.outcomes) outcomes.push_back(to_string(outcome));
  OrderedJson waiting = OrderedJson::array();
  for (const auto& wait : expectation.waiting) waiting.push_back(json_of(wait));
  const bool has_cause = expectation.cause != detect::Cause::none;
  return {{"outcomes", outcomes},
          {"cause", has_cause ? OrderedJson(to_string(expectation.cause)) : OrderedJson(nullptr)},
          {"culprits", expectation.culprits},
          {"waiting", waiting}};
}

OrderedJson json_of(const Variant& variant) {
  return {{"name", variant.name},
          {"role", variant.role},
          {"summary", variant.summary},
          {"needs", or_null(variant.needs)},
          {"control", or_null(variant.control)},
          {"expected", json_of(variant.expectation)}};
}

OrderedJson json_of(const Scenario& scenario) {
  return {{"name", scenario.name},
          {"summary", scenario.summary},
          {"lesson", scenario.lesson},
          {"claims", scenario.claims},
          {"ranks", scenario.ranks},
          {"launcher", scenario.by_mpiexec ? "mpiexec" : "own"},
          {"fault", or_null(scenario.fault)},
          {"variants", OrderedJson::array()}};
}

}  // namespace

std::string to_json(const std::vector<Planned>& plan, const std::string& backend) {
  OrderedJson scenarios = OrderedJson::array();
  const Scenario* previous = nullptr;
  for (const Planned& planned : plan) {
    if (planned.scenario != previous) scenarios.push_back(json_of(*planned.scenario));
    previous = planned.scenario;
    if (planned.variant != nullptr) {
      scenarios.back()["variants"].push_back(json_of(*planned.variant));
    }
  }
  const OrderedJson all{
      {"schema", "gridlock.catalogue/1"}, {"backend", backend}, {"scenarios", scenarios}};
  // A program's texts may hold any bytes. Those that are not UTF-8 are replaced.
  return all.dump(1, ' ', false, OrderedJson::error_handler_t::replace) + "\n";
}

}  // namespace gridlock::catalogue
