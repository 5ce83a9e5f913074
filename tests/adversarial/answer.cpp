#include "tests/adversarial/answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

namespace gridlock::adversarial {

std::string text_of(const nlohmann::json& run) {
  std::string text = run.at("outcome");
  const std::string cause = run.value("cause", "");
  if (!cause.empty() && cause != "none") text += " (" + cause + ")";
  const std::vector<int> culprits = run.at("culprits");
  if (!culprits.empty()) text += fmt::format(" of {}", fmt::join(culprits, ", "));
  const std::vector<std::string> assumptions = run.value("assumptions", std::vector<std::string>{});
  if (!assumptions.empty()) text += fmt::format(", assuming: {}", fmt::join(assumptions, "; "));
  return text;
}

std::string fault_of(const nlohmann::json& run, const nlohmann::json& expect) {
  const std::string outcome = run.at("outcome");
  const bool hangs = outcome == "deadlock" || outcome == "stall";
  if (expect.at("healthy") && outcome == "deadlock") return "a healthy program is called dead";
  const bool is_right = std::ranges::any_of(expect.at("answers"), [&](const nlohmann::json& one) {
    if (one.at("outcome") != outcome) return false;
    const std::string cause = one.at("cause");
    if (cause.empty()) return true;
    return cause == run.value("cause", "") && one.at("culprits") == run.at("culprits");
  });
  if (!is_right) return "another verdict than the program declares";
  const std::string may_assume = expect.at("may_assume");
  const auto assumptions = run.value("assumptions", std::vector<std::string>{});
  for (const std::string& assumption : assumptions) {
    const bool allowed = !may_assume.empty() && assumption.find(may_assume) != std::string::npos;
    if (hangs && !allowed) return "rests on an assumption that need not be made";
  }
  return "";
}

std::string words_missing(const std::string& output, const nlohmann::json& run,
                          const nlohmann::json& expect) {
  const auto at = output.find("gridlock: ");
  const std::string verdict =
      (at == std::string::npos ? "" : output.substr(at)) + run.value("explanation", "");
  for (const std::string text : expect.at("says")) {
    if (verdict.find(text) == std::string::npos) return "does not say: " + text;
  }
  for (const std::string text : expect.at("says_not")) {
    if (verdict.find(text) != std::string::npos) return "says: " + text;
  }
  return "";
}

}  // namespace gridlock::adversarial
