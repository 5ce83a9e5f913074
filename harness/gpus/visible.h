// The rules by which CUDA decides which GPUs a process sees.
#pragma once

#include <vector>

#include "harness/gpus/nvml.h"

namespace gridlock::gpus {

// Of `all`, in the order of their PCI buses, those that CUDA shows to a process with
// CUDA_VISIBLE_DEVICES=`list` (null: not set, all of them), in CUDA's order: up to the first entry
// that names no GPU; one that is named twice leaves none.
// Where the first entry names an instance of a GPU (MIG-…), that is the only device, under the name
// of the GPU that it is a part of. Of which one, only an old name says (MIG-GPU-<uuid>/<gi>/<ci>):
// else it gets the first one's name, and no serial number where there are several.
//   Source  CUDA programming guide, CUDA_VISIBLE_DEVICES; MIG user guide, device names and CUDA
std::vector<Gpu> visible(const char* list, const std::vector<Gpu>& all);

}  // namespace gridlock::gpus
