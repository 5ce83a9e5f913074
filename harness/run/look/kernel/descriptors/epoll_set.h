// What a set of epoll watches, by its text in /proc/<pid>/fdinfo, and who has it.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

namespace gridlock::run {

struct Watched {
  int number = -1;          // the descriptor under which it was added
  std::uint32_t which = 0;  // of those that were added under this number, in the text's order
  std::uint64_t inode = 0;
  std::uint32_t events = 0;  // EPOLLIN and others, for which it watches
};
std::vector<Watched> watched_by(const std::string& info);

// Whether the file that the set `set` of `pid` watches is still at the number under which it was
// added. False if that is not known.
bool is_still_there(pid_t pid, int set, const Watched& watched);

// Whether descriptor `number` of `pid` and `other_number` of `other` lead to one open file. True if
// that is not known.
bool may_be_same_file(pid_t pid, int number, pid_t other, int other_number);

}  // namespace gridlock::run
