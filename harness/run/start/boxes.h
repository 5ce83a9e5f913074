// The black boxes of a run: for each rank a memory file without a name, which vanishes with the
// last process that holds it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "harness/base/file_descriptor.h"

namespace gridlock::run {

class Boxes {
 public:
  // Makes `ranks` empty boxes, open at consecutive descriptors of this process. `first_local`: the
  // first rank's LOCAL_RANK.
  //   Errors   MachineError if descriptors or memory run out
  explicit Boxes(int ranks, int first_local = 0);
  Boxes(const Boxes&) = delete;
  Boxes& operator=(const Boxes&) = delete;
  ~Boxes();

  int ranks() const { return static_cast<int>(files_.size()); }
  // Value of GRIDLOCK_BOXES: where a rank of this run finds its box. `first`: how many ranks are on
  // simulated hosts before the rank's.
  std::string address(int first = 0) const;
  // The box of a rank, counted from 0 here; empty until the rank has begun. The rank may be writing
  // this memory, so only the record's reader may look into it.
  std::span<const std::byte> bytes(int rank);

 private:
  struct Mapping {
    const std::byte* begin = nullptr;
    std::size_t size = 0;
  };
  int base_ = 0;  // descriptor that the box of LOCAL_RANK 0 would have
  std::vector<FileDescriptor> files_;
  std::vector<Mapping> mappings_;
};

}  // namespace gridlock::run
