// CUDA's rules for which GPUs a process sees.
#pragma once

#include <vector>

#include "harness/gpus/nvml.h"

namespace gridlock::gpus {

// The GPUs that CUDA shows to a process with CUDA_VISIBLE_DEVICES=`list`, in CUDA's order. `all` is
// in the order of the PCI buses. A null `list` means that the variable is not set, and shows all.
// Otherwise the list ends at the first entry that names no GPU. If a GPU is named twice, none is
// visible. If the first entry names an instance of a GPU (MIG-…), that instance is the only device,
// under its GPU's name. Only old instance names say which GPU that is (MIG-GPU-<uuid>/<gi>/<ci>).
// Any other instance gets the first GPU's name, and no serial number if there are several GPUs.
//   Source  CUDA programming guide, CUDA_VISIBLE_DEVICES; MIG user guide, device names and CUDA
std::vector<Gpu> visible(const char* list, const std::vector<Gpu>& all);

}  // namespace gridlock::gpus
