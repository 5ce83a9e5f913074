// Parses a report, which is one JSON object.
#include "harness/run/start/rank_report.h"

#include <nlohmann/json.hpp>

namespace gridlock::run {

RankReport parse_report(const std::string& text) {
  using Json = nlohmann::json;
  RankReport report;
  if (text.empty()) return report;
  const Json json = Json::parse(text, nullptr, false);
  if (!json.is_object()) {
    report.damage = "its report is no JSON object";
    return report;
  }
  const auto text_of = [&](const char* name) {
    const auto found = json.find(name);
    return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
  };
  const std::string status = text_of("status");
  if (status == "completed") report.status = RankReport::Status::completed;
  if (status == "failed") report.status = RankReport::Status::failed;
  if (status == "skipped") report.status = RankReport::Status::skipped;
  if (report.status == RankReport::Status::none) report.damage = "its report has no known status";
  report.reason = text_of("reason");
  const auto port_taken = json.find("port_taken");
  report.port_taken = port_taken != json.end() && *port_taken == true;
  const std::string numbers = text_of("numbers");
  if (numbers == "right") report.numbers = RankReport::Numbers::right;
  if (numbers == "wrong") report.numbers = RankReport::Numbers::wrong;
  report.numbers_detail = text_of("numbers_detail");
  const Json figures = json.value("figures", Json::object());
  for (const auto& [name, value] : figures.items()) {
    if (value.is_number()) report.figures[name] = value.get<double>();
  }
  return report;
}

}  // namespace gridlock::run
