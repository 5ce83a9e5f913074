// Writes and reads scenarios.json.
#include "harness/report/page/sources.h"

#include "harness/report/formats/json.h"
#include "harness/report/formats/json_values.h"

namespace gridlock::report {
namespace {

constexpr const char* kScenariosSchema = "gridlock.scenarios/1";
using Json = nlohmann::ordered_json;

}  // namespace

std::string to_json(const std::vector<ScenarioText>& scenarios) {
  Json all = Json::array();
  for (const ScenarioText& one : scenarios) {
    Json variants = Json::array();
    for (const ScenarioText::Variant& variant : one.variants) {
      variants.push_back(
          {{"name", variant.name}, {"role", variant.role}, {"summary", variant.summary}});
    }
    all.push_back({{"name", one.name},
                   {"summary", one.summary},
                   {"lesson", one.lesson},
                   {"source_file", one.source_file},
                   {"source", one.source},
                   {"claims", one.claims},
                   {"variants", variants}});
  }
  return file_text({{"schema", kScenariosSchema}, {"scenarios", all}});
}

std::vector<ScenarioText> scenarios_from_json(std::string_view text) {
  try {
    const Json all = Json::parse(text);
    if (!all.is_object() || all.value("schema", "") != kScenariosSchema) {
      throw BadResults("it is not of the schema gridlock.scenarios/1");
    }
    std::vector<ScenarioText> scenarios;
    for (const Json& json : all.at("scenarios")) {
      ScenarioText& one = scenarios.emplace_back();
      one.name = json.at("name");
      one.summary = json.at("summary");
      one.lesson = json.at("lesson");
      one.source_file = json.at("source_file");
      one.source = json.at("source");
      one.claims = json.at("claims").get<std::vector<std::string>>();
      for (const Json& variant : json.at("variants")) {
        one.variants.push_back({.name = variant.at("name"),
                                .role = variant.at("role"),
                                .summary = variant.at("summary")});
      }
    }
    return scenarios;
  } catch (const Json::exception& error) {
    throw BadResults(error.what());
  }
}

}  // namespace gridlock::report
