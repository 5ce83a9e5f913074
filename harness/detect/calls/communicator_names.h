// What tells communicators apart to which the program gave no name: who is in them, and in which
// order they were made.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/record/snapshot.h"

namespace gridlock::detect {

struct CommunicatorName {
  std::string given = {};       // ncclConfig_t::commName; the rest is empty where there is one
  std::int32_t size = 0;        // 0: nothing is known of it
  std::vector<int> ranks = {};  // of the job, that were seen in it; sorted
  int number = 0;  // among the nameless ones of the same ranks, 1 the oldest; 0: it is the only one
  auto operator<=>(const CommunicatorName&) const = default;
};

class CommunicatorNames {
 public:
  // Takes in what a rank shows. A communicator that it no longer shows is remembered.
  void add(const record::Snapshot& snapshot);

  CommunicatorName name(std::uint64_t id) const;

 private:
  struct Known {
    std::string given;
    std::int32_t size = 0;
    std::vector<int> ranks;  // sorted
    std::uint64_t made = 0;  // which it was in the box of its lowest rank
  };

  std::unordered_map<std::uint64_t, Known> known_;
  struct Shown {
    std::uint64_t sum = 0;   // of its communicators' ids and sizes: most looks show nothing new
    std::uint64_t made = 0;  // how many it has shown
  };
  std::unordered_map<int, Shown> shown_;
};

}  // namespace gridlock::detect
