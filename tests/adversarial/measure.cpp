// Runs every program many times and prints a table: how often healthy ones are accused, how many
// deadlocks are proven, and how soon. A proof with an assumption must stand for a while, so its
// time is not among those.
//
//   adversarial_measure [--repeat N] [--strict] [--busy] [--nccl VERSION | --gpu] [--alone]
//   [--verdicts] [--said FILE] [NAME…]
//
// `--busy`: with twice as many busy processes as there are processors. `--nccl`: on a real NCCL
// that is built for the simulation. The programs declare how they end on ours, so one that is
// accused there is run without Gridlock too: it may hang. `--gpu`: on GPUs, with the programs of
// the target adversarial_cuda_programs. `--alone`: only without Gridlock; says
// who does not end as declared. `--verdicts`: a line for each verdict. `--said`: what watch printed
// of each wrong verdict is added to the file. NAME: a part of a name.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <map>
#include <stdexcept>

#include "tests/adversarial/driver.h"

namespace gridlock::adversarial {
namespace {

struct Options {
  int repeat = 1;
  Mode mode = Mode::lenient;
  Conditions conditions;
  bool alone = false;
  bool verdicts = false;
  std::string said;  // a file; "": none
  std::vector<std::string> names;
};

Options parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--repeat" && i + 1 < argc) {
      options.repeat = std::atoi(argv[++i]);
    } else if (argument == "--strict") {
      options.mode = Mode::strict;
    } else if (argument == "--busy") {
      options.conditions.busy = true;
    } else if (argument == "--nccl" && i + 1 < argc) {
      options.conditions.nccl = argv[++i];
    } else if (argument == "--gpu") {
      options.conditions.gpu = true;
    } else if (argument == "--alone") {
      options.alone = true;
    } else if (argument == "--said" && i + 1 < argc) {
      options.said = argv[++i];
    } else if (argument == "--verdicts") {
      options.verdicts = true;
    } else if (argument.starts_with("-")) {
      throw std::invalid_argument(fmt::format(
          "{} is no option; give [--repeat N] [--strict] [--busy] [--nccl VERSION | --gpu] "
          "[--alone] [--verdicts] [--said FILE] [NAME…]",
          argument));
    } else {
      options.names.emplace_back(argument);
    }
  }
  return options;
}

constexpr int kEnough = 30;  // seconds in which a healthy program ends

struct Row {
  int runs = 0;
  int accused = 0;  // but not those that hang without Gridlock too
  int hanging = 0;  // healthy on our NCCL, and hang on this one
  int right = 0;
  int assumed = 0;                // proofs with an assumption
  std::vector<double> detect_ms;  // of the other proofs
  std::map<std::string, int> verdicts;
};

double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

Row run_often(const Program& program, const Options& options) {
  Row row;
  for (int i = 0; i < options.repeat; ++i) {
    const Said said = watch(program, options.mode, options.conditions);
    // On another NCCL than ours it may hang in earnest.
    const bool is_ours = options.conditions.nccl.empty() && !options.conditions.gpu;
    const bool hangs =
        said.accused && !is_ours && !run_alone(program, kEnough, options.conditions).ended;
    if (!said.wrong.empty() && !options.said.empty()) {
      std::ofstream(options.said, std::ios::app) << fmt::format(
          "==== {}: {}: {}\n{}\n", program.name, said.verdict, said.wrong, said.output);
    }
    ++row.runs;
    row.accused += said.accused && !hangs ? 1 : 0;
    row.hanging += hangs ? 1 : 0;
    row.right += said.wrong.empty() ? 1 : 0;
    if (!program.is_healthy() && said.outcome == "deadlock") {
      const bool assumes = said.verdict.find("assuming") != std::string::npos;
      if (assumes) ++row.assumed;
      if (!assumes) row.detect_ms.push_back(said.detect_ms);
    }
    const std::string fault = hangs ? "it hangs without Gridlock too" : said.wrong;
    ++row.verdicts[fault.empty() ? said.verdict : said.verdict + " -- " + fault];
  }
  return row;
}

// Whether a stall is an accepted answer. Nothing can prove such a deadlock, so it has a total of
// its own.
bool may_stall(const Program& program) {
  return std::ranges::any_of(program.expect.at("answers"), [](const nlohmann::json& answer) {
    return answer.at("outcome") == "stall";
  });
}

void print_row(const Program& program, const Row& row, bool verdicts) {
  fmt::print(
      "{:52} {:3}/{:<3} accused {:3}  assumed {:3}  proven {:3}  median {:7.2f} ms  p99 {:8.2f} "
      "ms\n",
      program.name, row.right, row.runs, row.accused, row.assumed, row.detect_ms.size(),
      quantile(row.detect_ms, 0.5), quantile(row.detect_ms, 0.99));
  for (const auto& [verdict, count] : row.verdicts) {
    if (verdicts) fmt::print("      {} x {}\n", count, verdict);
  }
  std::fflush(stdout);
}

// Whether the program ends as it declares without Gridlock.
int check_alone(const Program& program, const Options& options) {
  constexpr int kHangs = 4;  // seconds
  int wrong = 0;
  for (int i = 0; i < options.repeat; ++i) {
    const Alone alone =
        run_alone(program, program.is_healthy() ? kEnough : kHangs, options.conditions);
    const bool well = program.expect.at("answers").at(0).at("outcome") == "completes";
    if (alone.ended != program.is_healthy() || (well && alone.failed)) ++wrong;
  }
  fmt::print("{:52} {} {}\n", program.name, program.is_healthy() ? "ends" : "hangs",
             wrong == 0 ? "always" : fmt::format("NOT in {} of {}", wrong, options.repeat));
  std::fflush(stdout);
  return wrong;
}

// Those whose name contains one of the given parts; all if none is given.
//   Errors   std::invalid_argument if there are none such
std::vector<std::string> wanted_names(const Options& options) {
  const std::vector<std::string>& parts = options.names;
  std::vector<std::string> names = program_names(options.conditions.gpu);
  if (parts.empty()) return names;
  std::erase_if(names, [&](const std::string& name) {
    return std::ranges::none_of(
        parts, [&](const std::string& part) { return name.find(part) != std::string::npos; });
  });
  if (names.empty()) {
    throw std::invalid_argument(
        fmt::format("no program's name contains \"{}\"", fmt::join(parts, "\" or \"")));
  }
  return names;
}

int measure(const Options& options) {
  Row healthy;
  Row deadlocked;
  Row unprovable;
  int wrong = 0;
  for (const std::string& name : wanted_names(options)) {
    const Program program = find_program(name, options.conditions.gpu);
    if (!why_not(program).empty()) continue;
    if (options.alone) {
      wrong += check_alone(program, options);
      continue;
    }
    const Row row = run_often(program, options);
    print_row(program, row, options.verdicts);
    Row& sum = program.is_healthy() ? healthy : may_stall(program) ? unprovable : deadlocked;
    sum.runs += row.runs;
    sum.accused += row.accused;
    sum.hanging += row.hanging;
    sum.right += row.right;
    sum.assumed += row.assumed;
    sum.detect_ms.insert(sum.detect_ms.end(), row.detect_ms.begin(), row.detect_ms.end());
  }
  if (options.alone) return wrong == 0 ? 0 : 1;
  fmt::print("\nhealthy      {} runs, {} accused, {} right", healthy.runs, healthy.accused,
             healthy.right);
  if (healthy.hanging != 0) fmt::print(", {} hang without Gridlock too", healthy.hanging);
  fmt::print("\n");
  const std::size_t proven =
      deadlocked.detect_ms.size() + static_cast<std::size_t>(deadlocked.assumed);
  fmt::print(
      "deadlocked   {} runs, {} proven ({:.1f} %), {} right\n"
      "             {} with an assumption; the others: median {:.2f} ms, p99 {:.2f} ms\n",
      deadlocked.runs, proven, 100.0 * static_cast<double>(proven) / std::max(1, deadlocked.runs),
      deadlocked.right, deadlocked.assumed, quantile(deadlocked.detect_ms, 0.5),
      quantile(deadlocked.detect_ms, 0.99));
  if (unprovable.runs != 0) {
    fmt::print("unprovable   {} more runs of deadlocked ones that may be stalls, {} right\n",
               unprovable.runs, unprovable.right);
  }
  return 0;
}

}  // namespace
}  // namespace gridlock::adversarial

int main(int argc, char** argv) {
  try {
    return gridlock::adversarial::measure(gridlock::adversarial::parse(argc, argv));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "adversarial_measure: %s\n", error.what());
    return 1;
  }
}
