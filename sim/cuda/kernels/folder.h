// A folder of PTX modules that are linked by name and loaded when they are needed, as nccl/build.py
// makes it.
#pragma once

#include <filesystem>
#include <memory>

#include "sim/cuda/kernels/image.h"

namespace sim::kernels {

// `folder` holds a file `index`, with a symbol and the module that defines it in each line, and
// NAME.ptx for each module; a module that is not there yet is made by the program `compile` in the
// folder above, which gets its name.
// Throws ptx::Refused: there is no index.
std::unique_ptr<Image> image_of_folder(const std::filesystem::path& folder);

}  // namespace sim::kernels
