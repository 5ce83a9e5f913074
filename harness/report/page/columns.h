// Columns of whole numbers as short text: differences, seven bits a byte, base64. A million
// operations of a job have to fit into a page.
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

// How many values `text` holds; nothing where it is no such text.
std::optional<std::size_t> encoded_count(std::string_view text);

// Texts that are kept once, by number. Columns of ranks that do the same are equal.
class Interned {
 public:
  std::size_t number(std::string text);
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::vector<std::string> texts_;
  std::unordered_map<std::string, std::size_t> numbers_;
};

}  // namespace gridlock::report
