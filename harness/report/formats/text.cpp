// Ranks, times and places in words.
#include "harness/report/formats/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

namespace gridlock::report {

std::string ranks_text(const std::vector<int>& ranks) {
  if (ranks.empty()) return "no rank";
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  for (std::size_t first = 0; first < ranks.size();) {
    std::size_t last = first;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    if (first > 0) text += ", ";
    text += std::to_string(ranks[first]);
    if (last > first) text += fmt::format("{}{}", last == first + 1 ? ", " : "-", ranks[last]);
    first = last + 1;
  }
  return text;
}

std::string three_digits(double value) {
  // What rounds up to a digit more belongs to the next step.
  const int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return fmt::format("{:.{}f}", value, decimals);
}

std::string milliseconds(std::optional<double> value) {
  if (!value) return "-";
  return three_digits(*value) + " ms";
}

std::string place_text(const detect::Wait& wait) {
  std::string text(record::to_string(wait.operation));
  const bool in_host_call =
      wait.host_call != record::Call::none && wait.host_call != wait.operation;
  if (record::is_communication(wait.operation)) text += fmt::format(" #{}", wait.slot);
  if (!wait.label.empty()) text += fmt::format(" \"{}\"", wait.label);
  if (wait.communicator_id != 0) {
    text += wait.communicator.empty() ? fmt::format(" on communicator {:#x}", wait.communicator_id)
                                      : fmt::format(" on {}", wait.communicator);
  }
  if (!wait.caller.empty()) text += fmt::format(" at {}", wait.caller);
  if (in_host_call) text += fmt::format(", host in {}", record::to_string(wait.host_call));
  return text;
}

std::size_t width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char byte) { return (byte & 0xc0) != 0x80; }));
}

std::string padded(std::string_view text, std::size_t columns) {
  const std::size_t used = width(text);
  return std::string(text) + std::string(used < columns ? columns - used : 0, ' ');
}

std::string padded_left(std::string_view text, std::size_t columns) {
  const std::size_t used = width(text);
  return std::string(used < columns ? columns - used : 0, ' ') + std::string(text);
}

std::string cut(std::string_view text, std::size_t columns) {
  std::size_t end = 0;
  std::size_t used = 0;
  // A byte that continues a letter belongs to it.
  for (; end < text.size() && used + width(text.substr(end, 1)) <= columns; ++end) {
    used += width(text.substr(end, 1));
  }
  return std::string(text.substr(0, end));
}

std::string wrapped(std::string_view text, std::size_t columns, std::size_t indent) {
  std::string all;
  std::size_t used = 0;
  std::istringstream words{std::string(text)};
  for (std::string word; words >> word;) {
    const std::size_t wide = width(word);
    if (used > 0 && indent + used + 1 + wide > columns) {
      all += "\n" + std::string(indent, ' ');
      used = 0;
    }
    all += (used > 0 ? " " : "") + word;
    used += (used > 0 ? 1 : 0) + wide;
  }
  return all + "\n";
}

}  // namespace gridlock::report
