// What an agent remembers of the programs that own its ranks' boxes.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace gridlock::run {

struct Owner {
  std::uint64_t claim = 0;     // record::Snapshot::claim; 0: none has claimed the box
  bool shows_program = false;  // whether executed_program() has ever told
  std::int64_t gone_ns = 0;    // when its process was first seen to be gone; 0: not yet
  // A process of the rank that lives on after it; 0: there was none.
  std::optional<pid_t> heir = {};
};

class Owners {
 public:
  explicit Owners(std::size_t boxes) : owners_(boxes) {}
  // The owner that has claimed the box. Two boxes may be claimed at the same time, so a claim tells
  // apart the owners of one box only.
  Owner& of(std::size_t box, std::uint64_t claim) {
    Owner& owner = owners_[box];
    if (owner.claim != claim) owner = {.claim = claim};
    return owner;
  }

 private:
  std::vector<Owner> owners_;
};

}  // namespace gridlock::run
