// Parses the JSON of --describe, schema gridlock.scenario/1.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

#include "harness/base/error.h"
#include "harness/catalogue/catalogue.h"

namespace gridlock::catalogue {
namespace {

using Json = nlohmann::json;

// The enumerator (up to `last`) for which to_string gives `name`.
template <typename Enum>
Enum from_name(const std::string& name, Enum last) {
  for (int value = 0; value <= static_cast<int>(last); ++value) {
    if (to_string(static_cast<Enum>(value)) == name) return static_cast<Enum>(value);
  }
  throw MachineError(fmt::format("it uses the unknown name \"{}\"", name));
}

detect::Expectation::Wait wait_from(const Json& json) {
  detect::Expectation::Wait wait;
  const std::string operation = json.at("operation");
  if (!operation.empty()) wait.operation = from_name(operation, record::kLastCall);
  wait.communicator = json.value("communicator", "");
  if (!json.at("slot").is_null()) wait.slot = json.at("slot").get<std::uint64_t>();
  wait.label = json.value("label", "");
  wait.caller = json.value("caller", "");
  if (!json.at("ranks").is_null()) wait.ranks = json.at("ranks").get<std::vector<int>>();
  return wait;
}

detect::Expectation expectation_from(const Json& json) {
  detect::Expectation expectation;
  for (const Json& outcome : json.at("outcomes")) {
    expectation.outcomes.push_back(
        from_name(outcome.get<std::string>(), detect::Outcome::corrupts));
  }
  if (expectation.outcomes.empty()) throw MachineError("a variant declares no outcome");
  expectation.cause = from_name(json.at("cause").get<std::string>(), detect::Cause::self);
  expectation.culprits = json.at("culprits").get<std::vector<int>>();
  for (const Json& wait : json.at("waiting")) expectation.waiting.push_back(wait_from(wait));
  return expectation;
}

Variant variant_from(const Json& json) {
  Variant variant;
  variant.name = json.at("name");
  variant.role = json.at("role");
  variant.summary = json.value("summary", "");
  variant.needs = json.value("needs", "");
  variant.hosts = json.value("hosts", 1);
  variant.needs_real_nccl = json.value("needs_real_nccl", "");
  variant.control = json.value("control", "");
  variant.expectation = expectation_from(json.at("expect"));
  for (const Json& older : json.value("expect_older", Json::array())) {
    variant.older.push_back(
        {.before = older.at("before"), .expectation = expectation_from(older.at("expect"))});
  }
  static constexpr std::array kRoles{"broken", "fix", "remedy", "control"};
  if (std::find(kRoles.begin(), kRoles.end(), variant.role) == kRoles.end()) {
    throw MachineError(fmt::format("it uses the unknown role \"{}\"", variant.role));
  }
  return variant;
}

// A fix may name the control that its cost is measured against.
void check_controls(const Scenario& scenario) {
  for (const Variant& fix : scenario.variants) {
    const bool is_there = std::any_of(
        scenario.variants.begin(), scenario.variants.end(), [&](const Variant& variant) {
          return variant.role == "control" && variant.name == fix.control;
        });
    if (!fix.control.empty() && !is_there) {
      throw MachineError(fmt::format(
          "the cost of {} is measured against \"{}\", which is not a control of the scenario",
          fix.name, fix.control));
    }
  }
}

}  // namespace

const detect::Expectation& Variant::expectation_for(int version) const {
  for (const OlderExpectation& each : older) {
    if (version > 0 && version < each.before) return each.expectation;
  }
  return expectation;
}

Scenario parse_description(const std::string& text) {
  try {
    const Json json = Json::parse(text);
    if (json.at("schema") != "gridlock.scenario/1") {
      throw MachineError("its schema is not gridlock.scenario/1");
    }
    Scenario scenario;
    scenario.name = json.at("name");
    scenario.backend = json.at("backend");
    scenario.summary = json.value("summary", "");
    scenario.lesson = json.value("lesson", "");
    if (const auto source = json.find("source"); source != json.end()) {
      scenario.source_file = source->value("file", "");
      scenario.source = source->value("text", "");
    }
    scenario.claims = json.value("claims", std::vector<std::string>{});
    const std::string launcher = json.value("launcher", "");
    if (!launcher.empty() && launcher != "mpiexec") {
      throw MachineError(fmt::format("it uses the unknown launcher \"{}\"", launcher));
    }
    scenario.by_mpiexec = launcher == "mpiexec";
    scenario.cuda_version = json.value("cuda_version", 0);
    scenario.nccl_version = json.value("nccl_version", 0);
    scenario.ranks = json.at("ranks");
    for (const Json& variant : json.at("variants")) {
      scenario.variants.push_back(variant_from(variant));
    }
    check_controls(scenario);
    return scenario;
  } catch (const Json::exception& error) {
    throw MachineError(fmt::format("it is not a description: {}", error.what()));
  }
}

}  // namespace gridlock::catalogue
