// Included by programs that use only what cuda_runtime.h declares. Cooperative groups are not
// simulated.
#pragma once

#include <cuda_runtime.h>
