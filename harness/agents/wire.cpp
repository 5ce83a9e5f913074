// Encodes numbers in base 128, and checks bounds.
#include "harness/agents/wire.h"

#include <fmt/format.h>

#include <bit>

namespace gridlock::agents {
namespace {

constexpr unsigned kBits = 7;
constexpr std::uint64_t kMore = 1U << kBits;

}  // namespace

void Writer::put_number(std::uint64_t number) {
  for (; number >= kMore; number >>= kBits) {
    bytes_ += static_cast<char>(number % kMore | kMore);
  }
  bytes_ += static_cast<char>(number);
}

void Writer::put(double value) { put_number(std::bit_cast<std::uint64_t>(value)); }

void Reader::fail(const char* what) { throw WireError(fmt::format("a message holds {}", what)); }

std::uint64_t Reader::get_number() {
  std::uint64_t number = 0;
  for (unsigned shift = 0;; shift += kBits) {
    if (rest_.empty()) fail("less than it says");
    const auto byte = static_cast<std::uint8_t>(rest_.front());
    rest_.remove_prefix(1);
    constexpr unsigned kLastShift = 63;  // of the tenth byte, which has one bit of the number
    if (shift == kLastShift && byte > 1) fail("a number that is too large");
    number |= static_cast<std::uint64_t>(byte % kMore) << shift;
    if (byte >= kMore) continue;
    if (byte == 0 && shift > 0) fail("a number that is longer than it needs to be");
    return number;
  }
}

std::size_t Reader::get_size() {
  const std::uint64_t size = get_number();
  if (size > rest_.size()) fail("less than it says");
  return size;
}

std::string_view Reader::get_text() {
  const std::size_t size = get_size();
  const std::string_view text = rest_.substr(0, size);
  rest_.remove_prefix(size);
  return text;
}

void Reader::get(double& value) { value = std::bit_cast<double>(get_number()); }

void Reader::get_time(std::int64_t& time_ns) {
  get(time_ns);
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max() / 4;
  if (time_ns > kMost || time_ns < -kMost) fail("an impossible time");
  if (time_ns != 0) time_ns += offset_;
}

void Reader::end() const {
  if (!rest_.empty()) fail("more than it should");
}

}  // namespace gridlock::agents
