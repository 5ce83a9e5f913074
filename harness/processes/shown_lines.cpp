// Splits output into lines, and keeps the line that is not complete yet.
#include "harness/processes/shown_lines.h"

#include "harness/processes/output.h"

namespace gridlock::processes {

std::string ShownLines::add(std::string_view printed) {
  begun_ += printed;
  const std::size_t last = begun_.find_last_of("\r\n");
  if (last != std::string::npos) return shown(last + 1);
  constexpr std::size_t kLongestLine = 1U << 16U;
  return begun_.size() > kLongestLine ? shown(begun_.size()) : "";
}

std::string ShownLines::rest() {
  if (!begun_.empty()) begun_ += '\n';
  return shown(begun_.size());
}

std::string ShownLines::shown(std::size_t size) {
  std::string text = begun_.substr(0, size);
  begun_.erase(0, size);
  if (rank_ < 0 || text.empty()) return text;
  const bool ends_return = after_return_ && text.front() == '\n';
  after_return_ = text.back() == '\r';
  return prefixed(std::string_view(text).substr(ends_return ? 1 : 0), rank_);
}

}  // namespace gridlock::processes
