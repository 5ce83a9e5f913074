// What one rank prints, shown while it runs: in whole lines, so that the output of different ranks
// does not mix within a line.
#pragma once

#include <string>
#include <string_view>

namespace gridlock::processes {

class ShownLines {
 public:
  // Puts "[rank 3] " before every line, or nothing if `rank` is negative.
  explicit ShownLines(int rank) : rank_(rank) {}

  // Takes what has been printed and returns what can be shown now. A carriage return ends a line
  // too, because a progress bar has no other line end. So does an excessive length.
  std::string add(std::string_view printed);
  // The line that was begun and never ended.
  std::string rest();

 private:
  std::string shown(std::size_t size);

  int rank_;
  std::string begun_;
  bool after_return_ = false;  // the last shown line ended with a carriage return
};

}  // namespace gridlock::processes
