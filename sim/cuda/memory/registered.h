// Host memory that the program registered. It counts as pinned.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

namespace sim {

cudaError_t register_host(void* base, std::size_t bytes, unsigned int flags);
cudaError_t unregister_host(void* base);

// The flags of the registration that contains `pointer`. False if there is none.
bool find_registered(const void* pointer, unsigned int& flags);

}  // namespace sim
