// Keeps what one rank prints, up to a bound. A rank that prints without end must not fill the
// memory. Nor must it block on a full pipe, which would look like a hang.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace gridlock::processes {

class Output {
 public:
  explicit Output(std::size_t bound) : half_(bound / 2) {}

  void append(std::string_view bytes);
  // The beginning and the end of the output, each up to half the bound. If something is missing, a
  // line between them says so.
  std::string text() const;
  std::size_t dropped() const { return dropped_; }

 private:
  std::size_t half_;
  std::string head_;
  std::string tail_;
  std::size_t dropped_ = 0;
};

// Reads all that is available now. Returns false if the writers are gone and the pipe is empty.
bool drain(int descriptor, std::string& into);

// `text` with "[rank 3] " before every line. A carriage return also ends a line, but leaves no
// empty one.
std::string prefixed(std::string_view text, int rank);

}  // namespace gridlock::processes
