// Encodes columns of integers as short text: differences, seven bits per byte, base64. A page must
// hold a million operations of a job.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace gridlock::report {

std::string encoded(const std::vector<std::int64_t>& values);

// How many values `text` holds; nothing if it is not such a text.
std::optional<std::size_t> encoded_count(std::string_view text);

// Numbers texts and keeps each only once. Ranks that do the same have equal columns.
class Interned {
 public:
  std::size_t number(std::string text);
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::vector<std::string> texts_;
  std::unordered_map<std::string, std::size_t> numbers_;
};

}  // namespace gridlock::report
