// Shows what one rank prints while it runs. It shows whole lines, so that the lines of several
// ranks do not mix.
#pragma once

#include <string>
#include <string_view>

namespace gridlock::processes {

class ShownLines {
 public:
  // With "[rank 3] " before every line, or, `rank` being negative, as they were printed.
  explicit ShownLines(int rank) : rank_(rank) {}

  // Takes what has been printed and returns what can be shown now. A carriage return ends a line
  // too: a progress bar has no other end. So does a length beyond all reason.
  std::string add(std::string_view printed);
  // The line that was begun and will not be ended.
  std::string rest();

 private:
  std::string shown(std::size_t size);

  int rank_;
  std::string begun_;
  bool after_return_ = false;  // the last that was shown ended with one
};

}  // namespace gridlock::processes
