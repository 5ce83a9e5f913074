// Host memory that the program registered. It counts as pinned.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <optional>

namespace sim {

struct Registration {
  unsigned int flags = 0;
  int device = 0;  // the current one when it was made
};

cudaError_t register_host(void* base, std::size_t bytes, const Registration& registration);
cudaError_t unregister_host(void* base);

// The registration that contains `pointer`.
std::optional<Registration> find_registered(const void* pointer);

}  // namespace sim
