// Reads the results of an interrupted run from JSON.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "harness/accept/formats/json.h"
#include "harness/base/error.h"
#include "harness/report/formats/json_values.h"

namespace gridlock::accept {
namespace {

using ParsedJson = nlohmann::json;

std::string text_or_nothing(const ParsedJson& json, const char* key) {
  const ParsedJson& value = json.at(key);
  return value.is_null() ? "" : value.get<std::string>();
}

// The enumerator (up to `last`) for which to_string gives `name`.
template <typename Enum>
Enum from_name(const std::string& name, Enum last) {
  for (int value = 0; value <= static_cast<int>(last); ++value) {
    if (to_string(static_cast<Enum>(value)) == name) return static_cast<Enum>(value);
  }
  throw UsageError(fmt::format("it holds the unknown name \"{}\"", name));
}

Culprit culprit_of(const ParsedJson& json) {
  Culprit culprit{.rank = json.at("rank"), .host = json.at("host"), .gpu = {}};
  if (const ParsedJson& gpu = json.at("gpu"); !gpu.is_null()) {
    culprit.gpu = Gpu{.name = text_or_nothing(gpu, "name"),
                      .uuid = text_or_nothing(gpu, "uuid"),
                      .serial = text_or_nothing(gpu, "serial")};
  }
  return culprit;
}

std::optional<Figure> figure_of(const ParsedJson& json) {
  if (json.is_null()) return {};
  Figure figure{.unit = json.at("unit"), .spread = {}, .floor = {}};
  figure.spread.median = json.at("median");
  figure.spread.least = json.at("least");
  figure.spread.greatest = json.at("greatest");
  figure.spread.count = json.at("repetitions");
  if (!json.at("floor").is_null()) figure.floor = json.at("floor").get<double>();
  return figure;
}

std::optional<Excuse> excuse_of(const ParsedJson& json) {
  if (json.is_null()) return {};
  return Excuse{.kind = json.at("kind") == "waived" ? Excuse::Kind::waived : Excuse::Kind::expected,
                .why = json.at("why")};
}

Result result_of(const ParsedJson& json) {
  Result result;
  result.id = json.at("id");
  result.kind = from_name(json.at("kind").get<std::string>(), Kind::soak);
  result.ranks = json.at("ranks");
  result.tags = json.at("tags").get<std::vector<std::string>>();
  result.needed = json.at("needed");
  result.answer = from_name(json.at("answer").get<std::string>(), Answer::infrastructure);
  result.was_run = json.at("was_run");
  result.excuse = excuse_of(json.at("excuse"));
  result.runs = json.at("runs");
  result.passed = json.at("passed");
  result.reason = json.at("reason");
  result.evidence = text_or_nothing(json, "evidence");
  result.advice = text_or_nothing(json, "advice");
  for (const ParsedJson& culprit : json.at("culprits"))
    result.culprits.push_back(culprit_of(culprit));
  result.figure = figure_of(json.at("figure"));
  return result;
}

}  // namespace

Acceptance acceptance_from_json(const std::string& text, const std::string& file) {
  try {
    const ParsedJson json = ParsedJson::parse(text);
    if (json.at("schema") != "gridlock.acceptance/1") {
      throw UsageError("its schema is not gridlock.acceptance/1");
    }
    Acceptance acceptance;
    acceptance.context = report::context_from_json(json.at("context"));
    acceptance.profile = json.at("profile").at("name");
    acceptance.summary = json.at("profile").at("summary");
    acceptance.digest = json.at("profile").at("digest");
    acceptance.planned = json.at("planned");
    acceptance.ended = text_or_nothing(json, "ended");
    acceptance.seconds = json.at("seconds");
    for (const ParsedJson& check : json.at("checks"))
      acceptance.results.push_back(result_of(check));
    return acceptance;
  } catch (const ParsedJson::exception& error) {
    throw UsageError(fmt::format("{} is not an acceptance: {}", file, error.what()));
  } catch (const UsageError& error) {
    throw UsageError(fmt::format("{} is not an acceptance: {}", file, error.what()));
  }
}

}  // namespace gridlock::accept
