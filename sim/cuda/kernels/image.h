// What a program hands over as device code: PTX as text, or a folder of PTX modules beside a
// library.
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

  // The program that has this kernel or variable; parsed at the first call. Throws ptx::Refused.
  virtual const ptx::Program& program_with(std::string_view symbol) = 0;
  // The same, or null where that would take long: modules that are made when they are first called.
  // Throws Refused like the other.
  virtual const ptx::Program* program_at_hand(std::string_view symbol) {
    return &program_with(symbol);
  }
};

// Device code at `data`: PTX, or the words "gridlock modules 1" and in the next line a folder,
// relative to the library that holds `data` (docs/sim.md).
// Throws ptx::Refused: it is something else.
std::unique_ptr<Image> image_at(const void* data);

// PTX. `name` is for messages.
std::unique_ptr<Image> image_of(std::string text, std::string name);

}  // namespace sim::kernels
