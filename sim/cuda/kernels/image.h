// A program's device code: PTX text, or a folder of PTX modules beside a library.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "sim/ptx/load/program.h"

namespace sim::kernels {

// Thread-safe.
class Image {
 public:
  Image() = default;
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;
  virtual ~Image() = default;

  // The program with this kernel or variable. It is parsed at the first call. Throws ptx::Refused.
  virtual const ptx::Program& program_with(std::string_view symbol) = 0;
  // The same, or null if that would take long, because the module is made when it is first called.
  // Throws ptx::Refused.
  virtual const ptx::Program* program_at_hand(std::string_view symbol) {
    return &program_with(symbol);
  }
  // Whether CUDA would load a kernel of it at its first launch. If not, a library that has many
  // modules loads them before it needs them.
  virtual bool loads_lazily() { return true; }
};

// The device code at `data`: PTX, or the line "gridlock modules 1" and then a line with a folder,
// relative to the library that holds `data` (docs/sim.md).
// Throws ptx::Refused if it is something else.
std::unique_ptr<Image> image_at(const void* data);

// An image of PTX text. `name` is for messages.
std::unique_ptr<Image> image_of(std::string text, std::string name);

}  // namespace sim::kernels
