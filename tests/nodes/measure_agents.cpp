// The catalogue over two hosts, two ranks each, beside one host with four:
//   measure_agents same [ARGUMENTS of run]     compares the verdicts, run by run
//   measure_agents detect [ARGUMENTS of run]   time to detect, with 1 ms of delay between the hosts
// Prints one line of figures; differences go to the standard error.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "tests/nodes/results.h"
#include "tests/nodes/world.h"

namespace gridlock::nodes {
namespace {

// Running a catalogue many times takes long.
constexpr Limit kSession{1'800'000};

nlohmann::json over_two(const Field& field, const Command& arguments) {
  forget_noted();
  Job job(field, 0, over_hosts(field, noted(run_of(arguments, "two"))), only_by_wire());
  const bool ended = wait_until([&] { return noted_status(0).has_value(); }, kSession);
  if (!ended || noted_status(0) > 1) throw std::runtime_error("over two hosts: " + job.output());
  job.finish();
  return results("two");
}

nlohmann::json on_one(const Field& field, const Command& arguments) {
  Job job(field, 0, run_of(arguments, "one"));
  if (job.finish(kSession).value_or(3) > 1)
    throw std::runtime_error("on one host: " + job.output());
  return results("one");
}

std::string summary_of(const nlohmann::json& results) {
  const nlohmann::json& summary = results.at("summary");
  return fmt::format("{} of {} as declared", summary.at("as_declared").dump(),
                     summary.at("runs").dump());
}

void same(const Command& arguments) {
  const Field field(2);
  const nlohmann::json one = on_one(field, arguments);
  const nlohmann::json two = over_two(field, arguments);
  const std::multiset<std::string> expected = verdicts(one);
  const std::multiset<std::string> seen = verdicts(two);
  std::vector<std::string> missing;
  std::vector<std::string> added;
  std::set_difference(expected.begin(), expected.end(), seen.begin(), seen.end(),
                      std::back_inserter(missing));
  std::set_difference(seen.begin(), seen.end(), expected.begin(), expected.end(),
                      std::back_inserter(added));
  // A variant that cannot run over two hosts has no verdict there to compare.
  const auto is_skipped = [](const std::string& line) {
    return line.find(R"("status":"skipped")") != std::string::npos;
  };
  const auto skipped = std::count_if(added.begin(), added.end(), is_skipped);
  fmt::print(
      "{} verdicts, {} differ, {} skipped over two hosts alone; over two hosts {}, on one {}\n",
      two.at("summary").at("runs").dump(), static_cast<std::ptrdiff_t>(added.size()) - skipped,
      skipped, summary_of(two), summary_of(one));
  for (const std::string& line : missing) fmt::print(stderr, "one host only: {}\n", line);
  for (const std::string& line : added) fmt::print(stderr, "two hosts only: {}\n", line);
}

void detect(const Command& arguments) {
  const Field field(2, std::chrono::milliseconds(1));
  const nlohmann::json all = over_two(field, arguments);
  std::vector<double> times;
  for (const nlohmann::json& run : all.at("runs")) {
    const auto time = run.find("time_to_detect_ms");
    const bool counts = run.value("outcome", "") == "deadlock" && time != run.end();
    if (counts && time->is_number()) times.push_back(time->get<double>());
  }
  if (times.empty()) throw std::runtime_error("no deadlock was detected");
  std::sort(times.begin(), times.end());
  const auto at = [&](double share) {
    return times[static_cast<std::size_t>(
        std::lround(share * static_cast<double>(times.size() - 1)))];
  };
  fmt::print(
      "median {:.2f} ms, 99th percentile {:.2f} ms, greatest {:.2f} ms (n = {}, delay by {}); {}\n",
      at(0.5), at(0.99), times.back(), times.size(), field.delayed_by(), summary_of(all));
}

}  // namespace
}  // namespace gridlock::nodes

int main(int count, char** arguments) {
  using namespace gridlock::nodes;
  const std::string_view what = count > 1 ? arguments[1] : "";
  if (what != "same" && what != "detect") {
    fmt::print(stderr,
               "measure_agents: say what to measure: measure_agents same|detect [ARGUMENTS]\n");
    return 2;
  }
  if (const std::string why = enter_world(); !why.empty()) {
    fmt::print(stderr, "measure_agents: {}\n", why);
    return 77;
  }
  try {
    const Command rest(arguments + 2, arguments + count);
    what == "same" ? same(rest) : detect(rest);
  } catch (const std::exception& error) {
    fmt::print(stderr, "measure_agents: {}\n", error.what());
    return 3;
  }
}
