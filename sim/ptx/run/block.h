// A block's state and the memory of its warps. The next block reuses it.
#pragma once

#include <cstddef>
#include <memory>

#include "sim/ptx/state/warp.h"

namespace sim::ptx {

// Zeroed pages, which cost nothing until they are touched. Throws std::bad_alloc.
class Pages {
 public:
  explicit Pages(std::size_t bytes);
  ~Pages();
  Pages(const Pages&) = delete;
  Pages& operator=(const Pages&) = delete;
  std::byte* data() const { return data_; }

 private:
  std::byte* data_;
  std::size_t bytes_;
};

class ResidentBlock {
 public:
  // Room for a block of the launch.
  ResidentBlock(Launched& launched, std::uint32_t shared_bytes, std::uint32_t local_bytes);

  // Sets the block with this number (x counts fastest) to its first instruction.
  void begin(std::uint64_t number);
  bool ended() const { return block_.alive == 0; }
  Block& block() { return block_; }

 private:
  void begin_warp(unsigned number);
  void set_specials(Warp& warp) const;

  Launched& launched_;
  std::uint32_t threads_;
  std::uint32_t local_bytes_;
  Pages registers_;
  Pages local_;
  Pages shared_;
  Block block_;
};

}  // namespace sim::ptx
