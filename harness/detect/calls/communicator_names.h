// What tells apart communicators that the program gave no name: their members, and the order in
// which they were made.
#pragma once

#include <compare>
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "harness/record/snapshot.h"

namespace gridlock::detect {

struct CommunicatorName {
  std::string given = {};       // ncclConfig_t::commName; if set, the rest is empty
  std::int32_t size = 0;        // 0: nothing is known of it
  std::int32_t least = 0;       // that a member announced; 0: all announced `size`
  std::vector<int> ranks = {};  // of the job, seen in it; sorted
  int number = 0;  // among unnamed ones of the same ranks, 1 is the oldest; 0: the only one
  auto operator<=>(const CommunicatorName&) const = default;
};

class CommunicatorNames {
 public:
  // Adds what a rank shows. Communicators that it no longer shows are remembered.
  void add(const record::Snapshot& snapshot);

  CommunicatorName name(std::uint64_t id) const;

 private:
  struct Known {
    std::string given;
    std::int32_t size = 0;
    std::int32_t least = 0;
    std::vector<int> ranks;  // sorted
    std::uint64_t made = 0;  // its place in the box of its lowest rank
  };

  std::unordered_map<std::uint64_t, Known> known_;
  struct Shown {
    std::uint64_t sum = 0;   // of its ids and sizes, because most looks show nothing new
    std::uint64_t made = 0;  // how many it has shown so far
  };
  std::unordered_map<int, Shown> shown_;
};

}  // namespace gridlock::detect
