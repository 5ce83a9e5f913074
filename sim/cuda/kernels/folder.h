// A folder of PTX modules, made by nccl/build.py. They are linked by name and loaded when they are
// needed.
#pragma once

#include <filesystem>
#include <memory>

#include "sim/cuda/kernels/image.h"

namespace sim::kernels {

// `folder` holds a file `index`, which has a symbol and its module on each line, and NAME.ptx for
// each module. If a module does not exist yet, the program `compile` in the parent folder makes it;
// its argument is the module's name.
// Throws ptx::Refused if there is no index.
std::unique_ptr<Image> image_of_folder(const std::filesystem::path& folder);

}  // namespace sim::kernels
