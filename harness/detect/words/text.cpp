// Small texts of verdicts.
#include "harness/detect/words/text.h"

#include <fmt/core.h>

#include <array>

namespace gridlock::detect {
namespace {

// As ncclDataType_t and ncclRedOp_t number them.
std::string type_text(std::uint8_t type) {
  constexpr std::array<std::string_view, 12> kNames = {
      "int8",    "uint8",   "int32",   "uint32",   "int64",      "uint64",
      "float16", "float32", "float64", "bfloat16", "float8e4m3", "float8e5m2"};
  return type < kNames.size() ? std::string(kNames[type]) : fmt::format("type {}", type);
}
std::string reduction_text(std::uint8_t reduction) {
  constexpr std::array<std::string_view, 5> kNames = {"sum", "product", "max", "min", "average"};
  return reduction < kNames.size() ? std::string(kNames[reduction])
                                   : fmt::format("reduction {} of its own", reduction);
}

}  // namespace

std::string range_text(const std::vector<int>& ranks) {
  std::string text;
  for (std::size_t first = 0; first < ranks.size();) {
    std::size_t last = first;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    if (!text.empty()) text += ", ";
    text += fmt::format("{}", ranks[first]);
    if (last > first) text += fmt::format("{}{}", last == first + 1 ? ", " : "–", ranks[last]);
    first = last + 1;
  }
  return text;
}

std::string ranks_text(const std::vector<int>& ranks) {
  return fmt::format("{} {}", ranks.size() == 1 ? "rank" : "ranks", range_text(ranks));
}

std::string call_text(record::Call call, std::uint64_t slot) {
  if (!record::is_communication(call)) return std::string(record::to_string(call));
  return fmt::format("{} #{}", record::to_string(call), slot);
}

std::string shape_text(const Shape& shape) {
  std::string details;
  // What MPI's ranks pass may differ; of a message only the size must agree.
  if (!record::is_mpi(shape.call)) {
    details += fmt::format(", {} bytes", shape.bytes);
    if (!record::is_message(shape.call)) details += " of " + type_text(shape.datatype);
    if (has_reduction(shape.call)) details += ", " + reduction_text(shape.reduction);
  }
  if (shape.root >= 0) details += fmt::format(", root {}", shape.root);
  const std::string call(record::to_string(shape.call));
  return details.empty() ? call : fmt::format("{} ({})", call, details.substr(2));
}

std::string join_text(const std::vector<std::string>& parts, std::string_view last) {
  std::string text;
  for (std::size_t index = 0; index < parts.size(); ++index) {
    if (index > 0) text += index + 1 == parts.size() ? last : std::string_view(", ");
    text += parts[index];
  }
  return text;
}

}  // namespace gridlock::detect
