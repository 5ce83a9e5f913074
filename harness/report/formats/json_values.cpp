// Values that several JSON files have: the context of a session, and spreads.
#include "harness/report/formats/json_values.h"

namespace gridlock::report {
namespace {

OrderedJson json_of(const std::vector<Agent>& agents) {
  OrderedJson all = OrderedJson::array();
  for (const Agent& agent : agents) {
    all.push_back({{"host", agent.host}, {"ranks", agent.ranks}});
  }
  return all;
}

}  // namespace

OrderedJson spread_to_json(const std::optional<Spread>& spread) {
  if (!spread) return nullptr;
  return {{"median", spread->median},
          {"least", spread->least},
          {"greatest", spread->greatest},
          {"count", spread->count}};
}

std::optional<Spread> spread_from_json(const nlohmann::json& json) {
  if (json.is_null()) return {};
  return Spread{.median = json.at("median"),
                .least = json.at("least"),
                .greatest = json.at("greatest"),
                .count = json.at("count")};
}

OrderedJson context_to_json(const Context& context) {
  return {{"date", context.date},
          {"host", context.host},
          {"backend", context.backend},
          {"ranks", context.ranks},
          {"transport", or_null(context.transport)},
          {"shared_gpu", context.shared_gpu},
          {"gpu", or_null(context.gpu)},
          {"driver", or_null(context.driver)},
          {"cuda", or_null(context.cuda)},
          {"nccl", or_null(context.nccl)},
          {"nccl_origin", or_null(context.nccl_origin)},
          {"environment", context.environment},
          {"mpi", or_null(context.mpi)},
          {"compiler", context.compiler},
          {"commit", or_null(context.commit)},
          {"dirty", or_null(context.dirty)},
          {"cpu", or_null(context.cpu)},
          {"agents", json_of(context.agents)},
          {"clock_error_us", or_null(context.clock_error_us)}};
}

Context context_from_json(const nlohmann::json& json) {
  Context context;
  read_field(json, "date", context.date);
  read_field(json, "host", context.host);
  read_field(json, "backend", context.backend);
  read_field(json, "ranks", context.ranks);
  read_field(json, "transport", context.transport);
  read_field(json, "shared_gpu", context.shared_gpu);
  read_field(json, "gpu", context.gpu);
  read_field(json, "driver", context.driver);
  read_field(json, "cuda", context.cuda);
  read_field(json, "nccl", context.nccl);
  read_field(json, "nccl_origin", context.nccl_origin);
  read_field(json, "environment", context.environment);
  read_field(json, "mpi", context.mpi);
  read_field(json, "compiler", context.compiler);
  read_field(json, "commit", context.commit);
  read_field(json, "dirty", context.dirty);
  read_field(json, "cpu", context.cpu);
  for (const nlohmann::json& agent : json.value("agents", nlohmann::json::array())) {
    context.agents.push_back({.host = agent.at("host"), .ranks = agent.at("ranks")});
  }
  read_field(json, "clock_error_us", context.clock_error_us);
  return context;
}

}  // namespace gridlock::report
