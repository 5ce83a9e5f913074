// Device memory outside of the arena: what the virtual memory calls have mapped, what other
// processes have shared, and variables of device code.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sim {

struct Mapping {
  void* base = nullptr;
  std::size_t bytes = 0;
  int device = 0;
  std::uint64_t memory = 0;  // handle of the virtual memory calls; 0: none of theirs
  unsigned char access = 0;  // CUmemAccess_flags
};

void add_mapping(const Mapping& mapping);
// False if none begins at `base`.
bool remove_mapping(void* base);
bool set_mapping_access(void* base, unsigned char access);

// The mapping that `pointer` lies in. False when there is none.
bool find_mapping(const void* pointer, Mapping& found);

// Whether `bytes` from `pointer` on are all mapped and accessible.
bool is_mapped(const void* pointer, std::size_t bytes);

}  // namespace sim
