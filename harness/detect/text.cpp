// Small texts of verdicts.
#include "harness/detect/text.h"

#include <fmt/core.h>

namespace gridlock::detect {

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
  std::string text = fmt::format("{} ({} bytes, type {}", record::to_string(shape.call),
                                 shape.bytes, static_cast<int>(shape.datatype));
  if (has_reduction(shape.call)) {
    text += fmt::format(", reduction {}", static_cast<int>(shape.reduction));
  }
  if (shape.root >= 0) text += fmt::format(", root {}", shape.root);
  return text + ")";
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
