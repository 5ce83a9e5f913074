// What one rank prints, kept within a bound. A rank that prints without end must neither fill the
// memory nor block on a full pipe, which would look like a hang.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gridlock::processes {

class Output {
 public:
  explicit Output(std::size_t bound) : half_(bound / 2) {}

  void append(std::string_view bytes);
  // The first and the last half of the bound, with a line between them when something is missing.
  std::string text() const;
  std::size_t dropped() const { return dropped_; }

 private:
  std::size_t half_;
  std::string head_;
  std::string tail_;
  std::size_t dropped_ = 0;
};

// Reads all that is there now. Returns false when the writers are gone and the pipe is empty.
bool drain(int descriptor, std::string& into);

// `text` with "[rank 3] " before every line. A carriage return ends a line too, and leaves no empty
// one.
std::string prefixed(std::string_view text, int rank);

}  // namespace gridlock::processes
