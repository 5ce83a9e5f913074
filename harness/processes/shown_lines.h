// Shows what one rank prints while it runs, in whole lines, so that ranks do not mix within a line.
#pragma once

#include <string>
#include <string_view>

namespace gridlock::processes {

class ShownLines {
 public:
  // Puts "[rank 3] " before every line, or nothing if `rank` is negative.
  explicit ShownLines(int rank) : rank_(rank) {}

  // Takes new output and returns what can be shown now. A carriage return also ends a line, because
  // a progress bar has no other line end. So does excessive length.
  std::string add(std::string_view printed);
  // The last line, if it has no end.
  std::string rest();

 private:
  std::string shown(std::size_t size);

  int rank_;
  std::string begun_;
  bool after_return_ = false;  // the last shown line ended with a carriage return
};

}  // namespace gridlock::processes
