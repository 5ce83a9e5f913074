// A best-fit allocator over a range of offsets. It never touches the memory itself.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace sim {

// Not thread-safe.
class Heap {
 public:
  Heap(std::size_t begin, std::size_t size);

  // An offset aligned to 512 bytes, or nothing if no gap is large enough.
  std::optional<std::size_t> allocate(std::size_t bytes);
  // Frees [offset, offset + bytes), which must have been allocated in one piece.
  void free(std::size_t offset, std::size_t bytes);

  // How many bytes `allocate(bytes)` takes.
  static std::size_t rounded(std::size_t bytes);

 private:
  void insert(std::size_t offset, std::size_t bytes);
  void erase(std::map<std::size_t, std::size_t>::iterator gap);

  std::map<std::size_t, std::size_t> by_offset_;           // gaps: offset -> bytes
  std::set<std::pair<std::size_t, std::size_t>> by_size_;  // the same: (bytes, offset)
};

}  // namespace sim
