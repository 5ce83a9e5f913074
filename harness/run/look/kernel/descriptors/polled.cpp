// Reads the caller's arrays and sets.
#include "harness/run/look/kernel/descriptors/polled.h"

#include <poll.h>
#include <sys/syscall.h>

#include <array>
#include <cstddef>
#include <map>
#include <span>

#include "harness/run/look/kernel/address_space.h"

namespace gridlock::run {
namespace {

// Those that a poll asks about, without those that it skips.
std::optional<std::vector<PolledDescriptor>> of_poll(std::int64_t pid, const SystemCall& call) {
  constexpr std::uint64_t kMost = 4096;
  if (call.arguments[1] > kMost) return {};
  std::vector<pollfd> polled(call.arguments[1]);
  if (!read_memory(pid, call.arguments[0], std::as_writable_bytes(std::span(polled)))) return {};
  std::vector<PolledDescriptor> all;
  for (const pollfd& one : polled) {
    const auto events = static_cast<std::uint16_t>(one.events);
    if (one.fd >= 0) all.push_back({.number = one.fd, .wanted = wanted_by(events)});
  }
  return all;
}

std::optional<std::vector<PolledDescriptor>> of_select(std::int64_t pid, const SystemCall& call) {
  constexpr std::uint64_t kMost = 1024;
  const std::uint64_t count = call.arguments[0];
  if (count > kMost) return {};
  constexpr std::size_t kToRead = 1;
  constexpr std::size_t kToWrite = 2;
  constexpr std::size_t kExceptional = 3;
  std::map<int, Wanted> numbers;
  for (const std::size_t set : {kToWrite, kToRead, kExceptional}) {
    if (call.arguments[set] == 0) continue;
    std::array<std::uint64_t, kMost / 64> bits{};
    const std::size_t bytes = (count + 63) / 64 * sizeof(std::uint64_t);
    if (!read_memory(pid, call.arguments[set],
                     std::as_writable_bytes(std::span(bits)).first(bytes))) {
      return {};
    }
    for (std::uint64_t number = 0; number < count; ++number) {
      if ((bits[number / 64] >> (number % 64) & 1U) == 0) continue;
      numbers.try_emplace(static_cast<int>(number),
                          set == kToWrite ? Wanted::any_events : Wanted::events);
    }
  }
  std::vector<PolledDescriptor> all;
  all.reserve(numbers.size());
  for (const auto& [number, wanted] : numbers) all.push_back({.number = number, .wanted = wanted});
  return all;
}

}  // namespace

std::optional<std::vector<PolledDescriptor>> polled_by(std::int64_t pid, const SystemCall& call) {
  const bool polls = call.number == SYS_poll || call.number == SYS_ppoll;
  return polls ? of_poll(pid, call) : of_select(pid, call);
}

}  // namespace gridlock::run
