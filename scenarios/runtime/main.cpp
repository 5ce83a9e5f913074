// The program around a scenario: `PROGRAM --describe [--ranks N] [--real-nccl]` or, as one rank,
// `PROGRAM VARIANT`. Only this file catches. A rank leaves by _Exit, so that no destructor of CUDA
// or NCCL state runs: any of them may wait for a peer.
#include <fmt/core.h>

#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>

#include "scenarios/runtime/check.h"
#include "scenarios/runtime/describe.h"
#include "scenarios/runtime/environment.h"
#include "scenarios/runtime/rank.h"
#include "scenarios/scenario.h"

namespace {

using gridlock::Backend;

enum Exit { kCompleted = 0, kFailed = 1, kUsage = 2, kSkipped = 77 };

constexpr Backend kBackend =
    std::string_view(GRIDLOCK_BACKEND) == "cuda" ? Backend::cuda : Backend::sim;

[[noreturn]] void leave(Exit code) {
  std::fflush(nullptr);
  std::_Exit(code);
}

[[noreturn]] void wrong_usage(const std::string& sentence) {
  fmt::print(stderr, "{} Usage: PROGRAM --describe [--ranks N] [--real-nccl] | PROGRAM VARIANT\n",
             sentence);
  leave(kUsage);
}

int rank_count(std::string_view text) {
  int ranks = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), ranks);
  if (error != std::errc{} || end != text.data() + text.size() || ranks < 1) {
    wrong_usage(fmt::format("--ranks takes a whole number from 1 on, not \"{}\".", text));
  }
  return ranks;
}

const gridlock::Variant& find_variant(std::string_view name) {
  std::string names;
  for (const gridlock::Variant& variant : gridlock::scenario.variants) {
    if (variant.name == name) return variant;
    names += fmt::format("{}{}", names.empty() ? "" : ", ", variant.name);
  }
  wrong_usage(fmt::format("There is no variant \"{}\" here, only: {}.", name, names));
}

// Neither call asks the driver. The simulation has no versions.
gridlock::Versions versions() {
  gridlock::Versions linked;
  if (kBackend == Backend::cuda) {
    gridlock::check(cudaRuntimeGetVersion(&linked.cuda));
    gridlock::check(ncclGetVersion(&linked.nccl));
  }
  return linked;
}

[[noreturn]] void skip(std::string_view variant, const std::string& reason) {
  fmt::print(stderr, "{} {}.\n", variant, reason);
  gridlock::send_report({}, "skipped", reason);
  leave(kSkipped);
}

[[noreturn]] void fail(const gridlock::Report& report, const std::exception& error) {
  fmt::print(stderr, "{}\n", error.what());
  gridlock::send_report(report, "failed", error.what());
  leave(kFailed);
}

[[noreturn]] void run(const gridlock::Variant& variant) {
  gridlock::Report unmeasured;
  gridlock::Report* report = &unmeasured;
  std::signal(SIGPIPE, SIG_IGN);  // a peer that has gone is an error to report, not a silent death
  try {
    const gridlock::Environment environment = gridlock::read_environment();
    const bool is_last = environment.rank == environment.world_size - 1;
    for (const auto& [name, value, only_last] : variant.settings) {
      if (is_last || !only_last) setenv(std::string(name).c_str(), std::string(value).c_str(), 1);
    }
    const std::string needs = gridlock::cannot_run(variant, kBackend, environment.world_size);
    if (!needs.empty()) skip(variant.name, needs);
    // Never destroyed: see the head of this file.
    auto* rank = new gridlock::Rank(environment);
    report = &rank->report();
    variant.run(*rank);
  } catch (const gridlock::CannotRunHere& missing) {
    skip(variant.name, missing.what());
  } catch (const gridlock::PortTaken& error) {
    report->port_taken();
    fail(*report, error);
  } catch (const std::exception& error) {
    fail(*report, error);
  }
  gridlock::send_report(*report, "completed", "");
  leave(kCompleted);
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 2) wrong_usage("Which variant?");
  const std::string_view first = arguments[1];
  if (first == "--describe") {
    int ranks = gridlock::scenario.ranks;
    Backend backend = kBackend;
    for (int i = 2; i < count; ++i) {
      const std::string_view option = arguments[i];
      if (option == "--ranks" && i + 1 < count) {
        ranks = rank_count(arguments[++i]);
      } else if (option == "--real-nccl" && kBackend == Backend::sim) {
        backend = Backend::source;
      } else {
        wrong_usage("--describe takes --ranks N, on the simulation --real-nccl, and nothing else.");
      }
    }
    const std::string name = std::filesystem::path(arguments[0]).filename().string();
    fmt::print("{}\n", gridlock::describe(
                           gridlock::scenario, name, gridlock::lesson, backend, ranks, versions(),
                           {.file = gridlock::source_file, .text = gridlock::source_text}));
    leave(kCompleted);
  }
  if (count != 2) wrong_usage("One variant at a time.");
  run(find_variant(first));
}
