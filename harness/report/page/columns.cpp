// LEB128 of zigzag differences, in base64 without padding. view/10_columns.js decodes it.
#include "harness/report/page/columns.h"

#include <array>
#include <utility>

namespace gridlock::report {
namespace {

constexpr std::string_view kDigits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<int, 256> values_of_digits() {
  std::array<int, 256> values{};
  for (int& value : values) value = -1;
  for (std::size_t i = 0; i < kDigits.size(); ++i) {
    values[static_cast<unsigned char>(kDigits[i])] = static_cast<int>(i);
  }
  return values;
}
constexpr std::array<int, 256> kValues = values_of_digits();

std::string base64(const std::string& bytes) {
  std::string text;
  text.reserve(bytes.size() * 4 / 3 + 2);
  std::uint32_t bits = 0;
  unsigned have = 0;
  for (const char byte : bytes) {
    bits = bits << 8U | static_cast<unsigned char>(byte);
    for (have += 8; have >= 6; have -= 6) text += kDigits[bits >> (have - 6) & 63U];
  }
  if (have > 0) text += kDigits[bits << (6 - have) & 63U];
  return text;
}

}  // namespace

std::string encoded(const std::vector<std::int64_t>& values) {
  std::string bytes;
  std::uint64_t before = 0;
  for (const std::int64_t value : values) {
    const std::uint64_t step = static_cast<std::uint64_t>(value) - before;
    before = static_cast<std::uint64_t>(value);
    std::uint64_t rest = step << 1U ^ (step >> 63U != 0 ? ~std::uint64_t{0} : 0);
    for (; rest >= 0x80; rest >>= 7U) bytes += static_cast<char>(rest | 0x80U);
    bytes += static_cast<char>(rest);
  }
  return base64(bytes);
}

std::optional<std::size_t> encoded_count(std::string_view text) {
  std::size_t count = 0;
  std::uint32_t bits = 0;
  unsigned have = 0;
  bool is_open = false;
  for (const char digit : text) {
    const int value = kValues[static_cast<unsigned char>(digit)];
    if (value < 0) return {};
    bits = bits << 6U | static_cast<std::uint32_t>(value);
    have += 6;
    if (have < 8) continue;
    have -= 8;
    is_open = (bits >> have & 0x80U) != 0;
    if (!is_open) ++count;
  }
  if (is_open) return {};
  return count;
}

std::size_t Interned::number(std::string text) {
  const auto [known, is_new] = numbers_.try_emplace(text, texts_.size());
  if (is_new) texts_.push_back(std::move(text));
  return known->second;
}

}  // namespace gridlock::report
