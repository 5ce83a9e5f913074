// Reads and writes a baseline as JSON.
#include "harness/accept/judge/baseline.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/base/error.h"

namespace gridlock::accept {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "gridlock.baseline/1";

report::Spread spread_of(const Json& json) {
  report::Spread spread;
  spread.median = json.at("median");
  spread.least = json.at("least");
  spread.greatest = json.at("greatest");
  spread.count = json.at("repetitions");
  return spread;
}

}  // namespace

Baseline begin_baseline(const report::Context& context) {
  return {.date = context.date,
          .host = context.host,
          .backend = context.backend,
          .gpu = context.gpu,
          .nccl = context.nccl,
          .commit = context.commit,
          .figures = {}};
}

std::string to_json(const Baseline& baseline) {
  Json figures = Json::object();
  for (const auto& [id, spread] : baseline.figures) {
    figures[id] = {{"median", spread.median},
                   {"least", spread.least},
                   {"greatest", spread.greatest},
                   {"repetitions", spread.count}};
  }
  const Json all{
      {"schema", kSchema},           {"date", baseline.date},        {"host", baseline.host},
      {"backend", baseline.backend}, {"gpu", baseline.gpu},          {"nccl", baseline.nccl},
      {"commit", baseline.commit},   {"unit", "bytes/s of the bus"}, {"figures", figures}};
  return all.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

Baseline baseline_from_json(const std::string& text, const std::string& file) {
  try {
    const Json json = Json::parse(text);
    if (json.at("schema") != kSchema) {
      throw UsageError(
          fmt::format("{} is not a baseline: its schema is not {}; make one with --write-baseline",
                      file, kSchema));
    }
    Baseline baseline;
    baseline.date = json.at("date");
    baseline.host = json.at("host");
    baseline.backend = json.at("backend");
    baseline.gpu = json.at("gpu");
    baseline.nccl = json.at("nccl");
    baseline.commit = json.at("commit");
    for (const auto& [id, figure] : json.at("figures").items()) {
      baseline.figures[id] = spread_of(figure);
    }
    return baseline;
  } catch (const Json::exception& error) {
    throw UsageError(fmt::format("{} is not a baseline ({}); make one with --write-baseline", file,
                                 error.what()));
  }
}

}  // namespace gridlock::accept
