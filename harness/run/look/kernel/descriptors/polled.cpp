// Reads the caller's arrays and sets.
#include "harness/run/look/kernel/descriptors/polled.h"

#include <poll.h>
#include <sys/syscall.h>

#include <array>
#include <cstddef>
#include <set>
#include <span>

#include "harness/run/look/kernel/address_space.h"

namespace gridlock::run {
namespace {

// Those that a poll asks about, without those that it skips.
std::optional<std::vector<int>> of_poll(std::int64_t pid, const SystemCall& call) {
  constexpr std::uint64_t kMost = 4096;
  if (call.arguments[1] > kMost) return {};
  std::vector<pollfd> polled(call.arguments[1]);
  if (!read_memory(pid, call.arguments[0], std::as_writable_bytes(std::span(polled)))) return {};
  std::vector<int> numbers;
  for (const pollfd& one : polled) {
    if (one.fd >= 0) numbers.push_back(one.fd);
  }
  return numbers;
}

std::optional<std::vector<int>> of_select(std::int64_t pid, const SystemCall& call) {
  constexpr std::uint64_t kMost = 1024;
  const std::uint64_t count = call.arguments[0];
  if (count > kMost) return {};
  std::set<int> numbers;
  for (const std::size_t set : {1U, 2U, 3U}) {
    if (call.arguments[set] == 0) continue;
    std::array<std::uint64_t, kMost / 64> bits{};
    const std::size_t bytes = (count + 63) / 64 * sizeof(std::uint64_t);
    if (!read_memory(pid, call.arguments[set],
                     std::as_writable_bytes(std::span(bits)).first(bytes))) {
      return {};
    }
    for (std::uint64_t number = 0; number < count; ++number) {
      if ((bits[number / 64] >> (number % 64) & 1U) != 0) numbers.insert(static_cast<int>(number));
    }
  }
  return std::vector<int>(numbers.begin(), numbers.end());
}

}  // namespace

std::optional<std::vector<int>> polled_by(std::int64_t pid, const SystemCall& call) {
  const bool polls = call.number == SYS_poll || call.number == SYS_ppoll;
  return polls ? of_poll(pid, call) : of_select(pid, call);
}

}  // namespace gridlock::run
