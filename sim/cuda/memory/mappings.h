// Device memory outside the arena: mappings of the virtual memory calls, memory shared by other
// processes, and variables of device code.
#pragma once

#include <cstddef>
#include <cstdint>

namespace sim {

struct Mapping {
  void* base = nullptr;
  std::size_t bytes = 0;
  int device = 0;
  std::uint64_t memory = 0;  // handle of the virtual memory calls; 0 for other memory
  unsigned char access = 0;  // CUmemAccess_flags
};

void add_mapping(const Mapping& mapping);
// False if no mapping begins at `base`.
bool remove_mapping(void* base);
bool set_mapping_access(void* base, unsigned char access);

// The mapping that contains `pointer`. False if there is none.
bool find_mapping(const void* pointer, Mapping& found);

// Whether all `bytes` from `pointer` on are mapped and accessible.
bool is_mapped(const void* pointer, std::size_t bytes);

}  // namespace sim
