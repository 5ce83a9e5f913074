// A file in a results folder may hold anything. A timeline that passes this check can be drawn.
#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "harness/base/limits.h"
#include "harness/report/formats/json.h"
#include "harness/report/page/columns.h"
#include "harness/report/page/timeline.h"

namespace gridlock::report {
namespace {

using ParsedJson = nlohmann::json;

constexpr std::array kColumns{"time",  "call",   "label",  "communicator", "slot", "peer",
                              "count", "stream", "thread", "caller",       "stage"};

//   Errors   BadResults: the fault
void check_rank(const ParsedJson& rank, const std::vector<std::size_t>& lengths) {
  const auto length = rank.at("length").get<std::size_t>();
  for (const char* name : kColumns) {
    const auto column = rank.at("operations").at(name).get<std::size_t>();
    if (column >= lengths.size() || lengths[column] != length) {
      throw BadResults(fmt::format("the column {} of rank {} has not {} values", name,
                                   rank.at("rank").get<int>(), length));
    }
  }
  for (const char* name : {"threads", "streams"}) {
    if (!rank.at(name).is_array()) throw BadResults(fmt::format("{} is no list", name));
  }
}

void check_graph(const ParsedJson& graph) {
  if (graph.is_null()) return;
  const std::size_t nodes = graph.at("nodes").size();
  for (const ParsedJson& node : graph.at("nodes")) {
    static_cast<void>(node.at("ranks").get<std::vector<int>>());
    static_cast<void>(node.at("culprit").get<bool>());
    static_cast<void>(node.at("fault").get_ref<const std::string&>());
  }
  for (const ParsedJson& edge : graph.at("edges")) {
    const bool inside =
        edge.at("from").get<std::size_t>() < nodes && edge.at("to").get<std::size_t>() < nodes;
    if (!inside) throw BadResults("an edge of the wait-for graph leads nowhere");
    static_cast<void>(edge.at("at").get_ref<const std::string&>());
    static_cast<void>(edge.at("kind").get_ref<const std::string&>());
    static_cast<void>(edge.at("matters").get<bool>());
  }
}

}  // namespace

std::string timeline_fault(std::string_view text) {
  if (text.size() > kMostTimelineBytes) {
    return fmt::format("it is larger than {} MiB", kMostTimelineBytes >> 20U);
  }
  try {
    const ParsedJson all = ParsedJson::parse(text);
    if (!all.is_object() || all.value("schema", "") != "gridlock.timeline/1") {
      return "it is not of the schema gridlock.timeline/1";
    }
    if (all.at("tick_ns").get<std::int64_t>() <= 0) return "its clock does not tick";
    if (!all.at("marks").is_object()) return "its marks are no object";
    static_cast<void>(all.at("words").get<std::vector<std::string>>());
    for (const ParsedJson& one : all.at("communicators")) {
      static_cast<void>(one.at("name").get_ref<const std::string&>());
    }
    std::vector<std::size_t> lengths;
    for (const ParsedJson& column : all.at("columns")) {
      const auto count = encoded_count(column.get_ref<const std::string&>());
      if (!count) return fmt::format("its column {} is damaged", lengths.size());
      lengths.push_back(*count);
    }
    const ParsedJson& ranks = all.at("ranks");
    if (!ranks.is_array() || ranks.size() > static_cast<std::size_t>(kMaxRanks)) {
      return fmt::format("it does not have 0 to {} ranks", kMaxRanks);
    }
    for (const ParsedJson& rank : ranks) check_rank(rank, lengths);
    check_graph(all.at("graph"));
    return {};
  } catch (const BadResults& error) {
    return error.what();
  } catch (const ParsedJson::exception& error) {
    return error.what();
  }
}

}  // namespace gridlock::report
