// Reads results.json.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/base/text.h"
#include "harness/report/formats/json.h"
#include "harness/report/formats/json_names.h"

namespace gridlock::report {
namespace {

using ParsedJson = nlohmann::json;

constexpr const char* kKnownSchema = "gridlock.results/1";

template <typename Value>
void read(const ParsedJson& from, const char* name, Value& into) {
  const auto found = from.find(name);
  if (found != from.end() && !found->is_null()) into = found->get<Value>();
}

// Anybody may have written the file, and terminals show its text, so only printable characters are
// kept.
void read(const ParsedJson& from, const char* name, std::string& into) {
  const auto found = from.find(name);
  if (found != from.end() && !found->is_null()) into = printable(found->get<std::string>());
}

template <typename Value>
void read(const ParsedJson& from, const char* name, std::optional<Value>& into) {
  const auto found = from.find(name);
  if (found != from.end() && !found->is_null()) into = found->get<Value>();
}

Context context_from(const ParsedJson& json) {
  Context context;
  read(json, "date", context.date);
  read(json, "host", context.host);
  read(json, "backend", context.backend);
  read(json, "ranks", context.ranks);
  read(json, "transport", context.transport);
  read(json, "shared_gpu", context.shared_gpu);
  read(json, "gpu", context.gpu);
  read(json, "driver", context.driver);
  read(json, "cuda", context.cuda);
  read(json, "nccl", context.nccl);
  read(json, "nccl_origin", context.nccl_origin);
  read(json, "environment", context.environment);
  read(json, "mpi", context.mpi);
  read(json, "compiler", context.compiler);
  read(json, "commit", context.commit);
  read(json, "dirty", context.dirty);
  read(json, "cpu", context.cpu);
  for (const ParsedJson& agent : json.value("agents", ParsedJson::array())) {
    context.agents.push_back({.host = agent.at("host"), .ranks = agent.at("ranks")});
  }
  read(json, "clock_error_us", context.clock_error_us);
  return context;
}

detect::Wait wait_from(const ParsedJson& json) {
  detect::Wait wait;
  std::string host_call = "none";
  read(json, "ranks", wait.ranks);
  wait.operation = call_from(json.at("operation").get<std::string>());
  read(json, "host_call", host_call);
  wait.host_call = call_from(host_call);
  read(json, "communicator", wait.communicator);
  read(json, "communicator_id", wait.communicator_id);
  read(json, "slot", wait.slot);
  read(json, "label", wait.label);
  read(json, "caller", wait.caller);
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
  read(json, "outcome", outcome);
  read(json, "cause", cause);
  verdict.outcome = outcome_from(outcome);
  verdict.cause = cause_from(cause);
  read(json, "culprits", verdict.culprits);
  for (const ParsedJson& wait : json.value("waiting", ParsedJson::array())) {
    verdict.waiting.push_back(wait_from(wait));
  }
  for (const ParsedJson& fault : json.value("faults", ParsedJson::array())) {
    verdict.faults.push_back(
        {.ranks = fault.at("ranks"),
         .what = detect::phrase::Said{printable(fault.at("what").get<std::string>())}});
  }
  std::string divergence;
  read(json, "divergence", divergence);
  verdict.cycle = said_in(json, "cycle");
  verdict.assumptions = said_in(json, "assumptions");
  read(json, "explanation", verdict.told);
  // The explanation begins with the divergence.
  if (!divergence.empty() && verdict.told.starts_with(divergence)) {
    verdict.divergence = detect::phrase::Said{divergence};
    verdict.told.erase(0, std::min(verdict.told.size(), divergence.size() + 1));
  }
  return verdict;
}

Run run_from(const ParsedJson& json) {
  Run run;
  read(json, "scenario", run.scenario);
  read(json, "variant", run.variant);
  read(json, "role", run.role);
  read(json, "repetition", run.repetition);
  read(json, "ranks", run.ranks);
  std::string status = "judged";
  read(json, "status", status);
  run.status = status == "skipped" ? Status::skipped
               : status == "error" ? Status::error
                                   : Status::judged;
  read(json, "reason", run.reason);
  run.verdict = verdict_from(json);
  std::vector<std::string> expected;
  read(json, "expected", expected);
  for (const std::string& outcome : expected) run.expected.push_back(outcome_from(outcome));
  read(json, "as_declared", run.as_declared);
  read(json, "time_to_hang_ms", run.time_to_hang_ms);
  read(json, "time_to_detect_ms", run.time_to_detect_ms);
  read(json, "time_to_recover_ms", run.time_to_recover_ms);
  read(json, "step_time_us", run.step_time_us);
  read(json, "fix_cost", run.fix_cost);
  read(json, "control", run.control);
  read(json, "numbers_checked", run.numbers_checked);
  read(json, "numbers_detail", run.numbers_detail);
  if (const auto found = json.find("observer"); found != json.end() && !found->is_null()) {
    run.observer = Observer{.recorded = found->at("recorded"),
                            .unrecorded = found->at("unrecorded"),
                            .agrees = found->at("agrees")};
  }
  read(json, "score", run.score);
  read(json, "noise", run.noise);
  read(json, "figures", run.figures);
  if (const auto found = json.find("moments_ns"); found != json.end() && !found->is_null()) {
    read(*found, "begun", run.moments.begun_ns);
    read(*found, "last_progress", run.moments.last_progress_ns);
    read(*found, "proven", run.moments.proven_ns);
    read(*found, "decided", run.moments.decided_ns);
    read(*found, "killed", run.moments.killed_ns);
    read(*found, "ended", run.moments.ended_ns);
  }
  read(json, "sources", run.sources);
  read(json, "kept", run.kept);
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
    Results results{.context = context_from(all.at("context")), .runs = {}};
    for (const ParsedJson& run : all.at("runs")) results.runs.push_back(run_from(run));
    return results;
  } catch (const ParsedJson::parse_error& error) {
    throw BadResults(torn(text, error.byte));
  } catch (const ParsedJson::exception& error) {
    throw BadResults(fmt::format("it holds what it should not ({})", error.what()));
  }
}

}  // namespace gridlock::report
