// Reads results.json.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/base/text.h"
#include "harness/report/formats/json.h"
#include "harness/report/formats/json_names.h"
#include "harness/report/formats/json_values.h"

namespace gridlock::report {
namespace {

using ParsedJson = nlohmann::json;

constexpr const char* kKnownSchema = "gridlock.results/1";

detect::Wait wait_from(const ParsedJson& json) {
  detect::Wait wait;
  std::string host_call = "none";
  read_field(json, "ranks", wait.ranks);
  wait.operation = call_from(json.at("operation").get<std::string>());
  read_field(json, "host_call", host_call);
  wait.host_call = call_from(host_call);
  read_field(json, "communicator", wait.communicator);
  read_field(json, "communicator_id", wait.communicator_id);
  read_field(json, "slot", wait.slot);
  read_field(json, "label", wait.label);
  read_field(json, "caller", wait.caller);
  return wait;
}

// The file holds only the finished text of a phrase.
std::vector<detect::Phrase> said_in(const ParsedJson& json, const char* name) {
  std::vector<detect::Phrase> phrases;
  for (const ParsedJson& text : json.value(name, ParsedJson::array())) {
    phrases.emplace_back(detect::phrase::Said{printable(text.get<std::string>())});
  }
  return phrases;
}

detect::Verdict verdict_from(const ParsedJson& json) {
  detect::Verdict verdict;
  std::string outcome = "running";
  std::string cause = "none";
  read_field(json, "outcome", outcome);
  read_field(json, "cause", cause);
  verdict.outcome = outcome_from(outcome);
  verdict.cause = cause_from(cause);
  read_field(json, "culprits", verdict.culprits);
  for (const ParsedJson& wait : json.value("waiting", ParsedJson::array())) {
    verdict.waiting.push_back(wait_from(wait));
  }
  for (const ParsedJson& fault : json.value("faults", ParsedJson::array())) {
    verdict.faults.push_back(
        {.ranks = fault.at("ranks"),
         .what = detect::phrase::Said{printable(fault.at("what").get<std::string>())}});
  }
  std::string divergence;
  read_field(json, "divergence", divergence);
  verdict.cycle = said_in(json, "cycle");
  verdict.assumptions = said_in(json, "assumptions");
  read_field(json, "explanation", verdict.told);
  // The explanation begins with the divergence.
  if (!divergence.empty() && verdict.told.starts_with(divergence)) {
    verdict.divergence = detect::phrase::Said{divergence};
    verdict.told.erase(0, std::min(verdict.told.size(), divergence.size() + 1));
  }
  return verdict;
}

Run run_from(const ParsedJson& json) {
  Run run;
  read_field(json, "scenario", run.scenario);
  read_field(json, "variant", run.variant);
  read_field(json, "role", run.role);
  read_field(json, "repetition", run.repetition);
  read_field(json, "ranks", run.ranks);
  std::string status = "judged";
  read_field(json, "status", status);
  run.status = status == "skipped" ? Status::skipped
               : status == "error" ? Status::error
                                   : Status::judged;
  read_field(json, "reason", run.reason);
  run.verdict = verdict_from(json);
  std::vector<std::string> expected;
  read_field(json, "expected", expected);
  for (const std::string& outcome : expected) run.expected.push_back(outcome_from(outcome));
  read_field(json, "as_declared", run.as_declared);
  read_field(json, "time_to_hang_ms", run.time_to_hang_ms);
  read_field(json, "time_to_detect_ms", run.time_to_detect_ms);
  read_field(json, "time_to_recover_ms", run.time_to_recover_ms);
  read_field(json, "step_time_us", run.step_time_us);
  read_field(json, "fix_cost", run.fix_cost);
  read_field(json, "control", run.control);
  read_field(json, "numbers_checked", run.numbers_checked);
  read_field(json, "numbers_detail", run.numbers_detail);
  if (const auto found = json.find("observer"); found != json.end() && !found->is_null()) {
    run.observer = Observer{.recorded = found->at("recorded"),
                            .unrecorded = found->at("unrecorded"),
                            .agrees = found->at("agrees")};
  }
  read_field(json, "score", run.score);
  read_field(json, "noise", run.noise);
  read_field(json, "figures", run.figures);
  if (const auto found = json.find("moments_ns"); found != json.end() && !found->is_null()) {
    read_field(*found, "begun", run.moments.begun_ns);
    read_field(*found, "last_progress", run.moments.last_progress_ns);
    read_field(*found, "proven", run.moments.proven_ns);
    read_field(*found, "decided", run.moments.decided_ns);
    read_field(*found, "killed", run.moments.killed_ns);
    read_field(*found, "ended", run.moments.ended_ns);
  }
  read_field(json, "sources", run.sources);
  read_field(json, "kept", run.kept);
  // It must be the name of a folder, not a path out of the results folder.
  if (run.kept.find('/') != std::string::npos || run.kept == ".." || run.kept == "." ||
      run.kept.find('\0') != std::string::npos) {
    throw BadResults("a run says that it is kept outside the results folder");
  }
  return run;
}

// Says where text stops being JSON.
std::string torn(std::string_view text, std::size_t byte) {
  if (text.find_first_not_of(" \n\r\t") == std::string_view::npos) return "it is empty";
  const std::size_t at = std::min(byte, text.size());
  const auto line =
      1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  return byte > text.size() ? fmt::format("it ends in the middle, at line {}", line)
                            : fmt::format("it is no JSON from line {} on", line);
}

}  // namespace

Results from_json(std::string_view text) {
  try {
    const ParsedJson all = ParsedJson::parse(text);
    const std::string schema = all.is_object() ? all.value("schema", "") : "";
    if (schema.starts_with("gridlock.results/") && schema != kKnownSchema) {
      throw BadResults(fmt::format(
          "it is of the schema {}, and this gridlock reads {}; run it again, or read it "
          "with the gridlock that wrote it",
          schema, kKnownSchema));
    }
    if (schema != kKnownSchema)
      throw BadResults(fmt::format("it is not of the schema {}", kKnownSchema));
    Results results{.context = context_from_json(all.at("context")), .runs = {}};
    for (const ParsedJson& run : all.at("runs")) results.runs.push_back(run_from(run));
    return results;
  } catch (const ParsedJson::parse_error& error) {
    throw BadResults(torn(text, error.byte));
  } catch (const ParsedJson::exception& error) {
    throw BadResults(fmt::format("it holds what it should not ({})", error.what()));
  }
}

}  // namespace gridlock::report
