// A set of small numbers.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace gridlock::recorder {

template <std::uint32_t size>
class Bits {
 public:
  void set(std::uint32_t bit) { words_[bit / 64] |= std::uint64_t{1} << (bit % 64); }
  bool has(std::uint32_t bit) const { return (words_[bit / 64] >> (bit % 64) & 1U) != 0; }

  template <class Visit>
  void for_each(Visit visit) const {
    for (std::uint32_t word = 0; word < size / 64; ++word) {
      for (std::uint64_t left = words_[word]; left != 0; left &= left - 1) {
        visit(word * 64 + static_cast<std::uint32_t>(std::countr_zero(left)));
      }
    }
  }

 private:
  static_assert(size % 64 == 0);
  std::uint64_t words_[size / 64] = {};
};

}  // namespace gridlock::recorder
