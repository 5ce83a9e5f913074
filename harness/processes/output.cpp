// Keeps the head and tail of a rank's output, and adds prefixes.
#include "harness/processes/output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>

namespace gridlock::processes {

void Output::append(std::string_view bytes) {
  const std::size_t fits = std::min(bytes.size(), half_ - head_.size());
  head_.append(bytes.substr(0, fits));
  tail_.append(bytes.substr(fits));
  // Cuts rarely, because each cut moves the rest.
  if (tail_.size() > 2 * half_) {
    const std::size_t cut = tail_.size() - half_;
    tail_.erase(0, cut);
    dropped_ += cut;
  }
}

std::string Output::text() const {
  if (dropped_ == 0) return head_ + tail_;
  return fmt::format("{}\n... {} bytes left out ...\n{}", head_, dropped_, tail_);
}

bool drain(int descriptor, std::string& into) {
  std::array<char, 1 << 14> buffer{};
  // A rank that writes faster than we read must not keep us here.
  constexpr int kReadsAtOnce = 8;
  for (int i = 0; i < kReadsAtOnce; ++i) {
    const ssize_t size = read(descriptor, buffer.data(), buffer.size());
    if (size == 0) return false;
    if (size < 0) return errno == EAGAIN || errno == EINTR;
    into.append(buffer.data(), static_cast<std::size_t>(size));
  }
  return true;
}

std::string prefixed(std::string_view text, int rank) {
  std::string lines;
  char before = '\n';
  while (!text.empty()) {
    const std::size_t size = std::min(text.find_first_of("\r\n"), text.size());
    const char end = size < text.size() ? text[size] : '\n';
    // "\r\n" is one line end. A progress bar may begin its lines with the carriage return.
    const bool is_line = size > 0 || (end == '\n' && before == '\n');
    if (is_line) lines += fmt::format("[rank {}] {}\n", rank, text.substr(0, size));
    text.remove_prefix(std::min(size + 1, text.size()));
    before = end;
  }
  return lines;
}

}  // namespace gridlock::processes
