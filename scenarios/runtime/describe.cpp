// A scenario's declaration as JSON.
#include "scenarios/runtime/describe.h"

#include <fmt/core.h>

#include <array>
#include <nlohmann/json.hpp>

namespace gridlock {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 4> kRoles{"broken", "fix", "remedy", "control"};
constexpr std::array<std::string_view, 6> kOutcomes{"completes", "deadlock", "stall",
                                                    "fails",     "crashes",  "corrupts"};
constexpr std::array<std::string_view, 10> kCauses{
    "none",       "missing_rank", "rank_exited", "mismatch", "cycle",
    "host_stuck", "device_stuck", "network",     "init",     "self"};
constexpr std::array<std::string_view, 25> kOperations{"",
                                                       "all_reduce",
                                                       "broadcast",
                                                       "reduce",
                                                       "all_gather",
                                                       "reduce_scatter",
                                                       "send",
                                                       "recv",
                                                       "host_function",
                                                       "device_synchronize",
                                                       "stream_synchronize",
                                                       "event_synchronize",
                                                       "memcpy_sync",
                                                       "device_malloc",
                                                       "device_free",
                                                       "comm_init",
                                                       "comm_destroy",
                                                       "comm_abort",
                                                       "group_end",
                                                       "mpi_barrier",
                                                       "mpi_bcast",
                                                       "mpi_recv",
                                                       "mpi_send",
                                                       "mpi_ssend",
                                                       "mpi_allreduce"};

template <typename Enum, std::size_t Size>
std::string_view name_of(const std::array<std::string_view, Size>& names, Enum value) {
  return names.at(static_cast<std::size_t>(value));
}

Json describe(const Expectation::Wait& wait) {
  const Place& place = wait.place;
  return Json{{"operation", name_of(kOperations, place.operation)},
              {"communicator", place.communicator},
              {"slot", place.slot ? Json(*place.slot) : Json(nullptr)},
              {"label", place.label},
              {"caller", place.caller},
              {"ranks", wait.ranks.empty() ? Json(nullptr) : Json(wait.ranks)}};
}

Json describe(const Expectation& expectation, Backend backend) {
  Json outcomes = Json::array();
  for (const Outcome outcome : expectation.outcomes(backend)) {
    outcomes.push_back(name_of(kOutcomes, outcome));
  }
  if (expectation.only_outcome(backend)) {
    return Json{{"outcomes", outcomes},
                {"cause", name_of(kCauses, Cause::none)},
                {"culprits", Json::array()},
                {"waiting", Json::array()}};
  }
  Json waiting = Json::array();
  for (const Expectation::Wait& wait : expectation.waits()) waiting.push_back(describe(wait));
  return Json{{"outcomes", outcomes},
              {"cause", name_of(kCauses, expectation.cause())},
              {"culprits", expectation.culprits()},
              {"waiting", waiting}};
}

Json describe_older(const Expectation& expectation, Backend backend) {
  Json all = Json::array();
  for (const Expectation& older : expectation.older()) {
    all.push_back(Json{{"before", older.end()}, {"expect", describe(older, backend)}});
  }
  return all;
}

Json describe(const Variant& variant, Backend backend, int ranks) {
  const Expectation expected = variant.expect(ranks);
  Json settings = Json::object();
  for (const Setting& setting : variant.settings) {
    settings[std::string(setting.name)] = setting.value;
  }
  return Json{{"name", variant.name},
              {"role", name_of(kRoles, variant.role)},
              {"control", variant.control},
              {"summary", variant.summary},
              {"min_ranks", variant.min_ranks},
              {"max_ranks", variant.max_ranks},
              {"settings", settings},
              {"hosts", variant.hosts},
              {"needs_real_nccl", variant.needs_real_nccl},
              {"needs", cannot_run(variant, backend, ranks)},
              {"expect", describe(expected, backend)},
              {"expect_older", describe_older(expected, backend)}};
}

}  // namespace

std::string cannot_run(const Variant& variant, Backend backend, int ranks) {
  if (backend != Backend::cuda && !variant.needs_gpu.empty()) {
    return fmt::format("needs a GPU: {}", variant.needs_gpu);
  }
  if (backend == Backend::cuda && !variant.needs_simulation.empty()) {
    return fmt::format("needs the simulation: {}", variant.needs_simulation);
  }
  const std::string because = variant.needs.empty() ? "" : fmt::format(": {}", variant.needs);
  if (ranks < variant.min_ranks) {
    return fmt::format("needs at least {} ranks{}", variant.min_ranks, because);
  }
  if (ranks > variant.max_ranks) {
    return fmt::format("takes at most {} ranks{}", variant.max_ranks, because);
  }
  return "";
}

std::string describe(const Scenario& which, std::string_view name, std::string_view lesson_text,
                     Backend backend, int ranks, const Versions& versions, const Source& source) {
  Json claims = Json::array();
  for (const std::string_view claim : which.claims) claims.push_back(claim);
  Json variants = Json::array();
  for (const Variant& variant : which.variants) {
    variants.push_back(describe(variant, backend, ranks));
  }
  return Json{{"schema", "gridlock.scenario/1"},
              {"name", name},
              {"backend", backend == Backend::cuda ? "cuda" : "sim"},
              {"summary", which.summary},
              {"lesson", lesson_text},
              {"source", {{"file", source.file}, {"text", source.text}}},
              {"claims", claims},
              {"launcher", which.launcher},
              {"cuda_version", versions.cuda},
              {"nccl_version", versions.nccl},
              {"ranks", which.ranks},
              {"variants", variants}}
      .dump(2);
}

}  // namespace gridlock
