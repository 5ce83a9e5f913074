// The calls that clang's (and nvcc's) host code makes before main(): __cudaRegister…. They parse
// nothing.
#include "sim/cuda/kernels/registry.h"

#include <cuda.h>

#include <algorithm>
#include <mutex>
#include <unordered_map>

#include "sim/cuda/devices/device.h"
#include "sim/cuda/memory/mappings.h"

namespace sim::kernels {
namespace {

constexpr int kMagic = 0x466243b1;

// The argument of __cudaRegisterFatBinary, in the compiler's layout.
struct Wrapper {
  int magic;
  int version;
  const void* data;
  void* unused;
};

// Loads embedded code at the first use, so that the first launch reports a bad image.
class Embedded final : public Image {
 public:
  explicit Embedded(const void* data) : data_(data) {}
  const ptx::Program& program_with(std::string_view symbol) override {
    return image().program_with(symbol);
  }
  const ptx::Program* program_at_hand(std::string_view symbol) override {
    return image().program_at_hand(symbol);
  }
  bool loads_lazily() override { return image().loads_lazily(); }

 private:
  Image& image() {
    const std::scoped_lock lock(mutex_);
    if (!image_) image_ = image_at(data_);
    return *image_;
  }

  const void* data_;
  std::mutex mutex_;
  std::unique_ptr<Image> image_;
};

struct Binary {
  std::shared_ptr<Image> image;
};

struct Variable {
  std::shared_ptr<Image> image;
  std::string name;
};

struct Registry {
  std::mutex mutex;
  std::unordered_map<const void*, Function> functions;  // by stand-in
  std::unordered_map<const void*, Variable> variables;
};

Registry& registry() {
  static Registry& value = *new Registry;
  return value;
}

// Between the push and the pop of a <<<>>>.
struct Pushed {
  dim3 grid;
  dim3 block;
  std::size_t shared;
  cudaStream_t stream;
};
thread_local Pushed pushed{{}, {}, 0, nullptr};

}  // namespace

Function* registered(const void* symbol) {
  Registry& all = registry();
  const std::lock_guard lock(all.mutex);
  const auto found = all.functions.find(symbol);
  return found == all.functions.end() ? nullptr : &found->second;
}

void expose(const ptx::Program::Variable& variable) {
  Mapping known;
  if (find_mapping(variable.address, known)) return;
  add_mapping({.base = variable.address,
               .bytes = std::max<std::size_t>(variable.bytes, 1),
               .device = current_device(),
               .memory = 0,
               .access = CU_MEM_ACCESS_FLAGS_PROT_READWRITE});
}

cudaError_t find_variable(const void* symbol, void** address, std::size_t* bytes) {
  Variable wanted;
  {
    Registry& all = registry();
    const std::lock_guard lock(all.mutex);
    const auto found = all.variables.find(symbol);
    if (found == all.variables.end()) return cudaErrorInvalidSymbol;
    wanted = found->second;
  }
  return explained(cudaErrorInvalidSymbol, [&] {
    const auto variable = wanted.image->program_with(wanted.name).variable(wanted.name);
    if (!variable) return cudaErrorInvalidSymbol;
    expose(*variable);
    if (address != nullptr) *address = variable->address;
    if (bytes != nullptr) *bytes = variable->bytes;
    return cudaSuccess;
  });
}

}  // namespace sim::kernels

using sim::kernels::Binary;
using sim::kernels::registry;

#pragma GCC visibility push(default)
extern "C" {

void** __cudaRegisterFatBinary(void* wrapper) {
  const auto* given = static_cast<const sim::kernels::Wrapper*>(wrapper);
  const void* data = given->magic == sim::kernels::kMagic ? given->data : nullptr;
  auto* binary = new Binary{std::make_shared<sim::kernels::Embedded>(data)};
  return reinterpret_cast<void**>(binary);
}

void __cudaRegisterFatBinaryEnd(void**) {}

// Does nothing: libraries are unloaded when the process exits, and their kernels may still run.
void __cudaUnregisterFatBinary(void**) {}

int __cudaRegisterFunction(void** handle, const char* stand_in, char*, const char* name, int, void*,
                           void*, void*, void*, int*) {
  const std::lock_guard lock(registry().mutex);
  sim::kernels::Function& function = registry().functions[stand_in];
  function.image = reinterpret_cast<Binary*>(handle)->image;
  function.name = name;
  return 0;
}

void __cudaRegisterVar(void** handle, char* stand_in, char*, const char* name, int, std::size_t,
                       int, int) {
  const std::lock_guard lock(registry().mutex);
  registry().variables[stand_in] = {reinterpret_cast<Binary*>(handle)->image, name};
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, std::size_t shared, void* stream) {
  sim::kernels::pushed = {grid, block, shared, static_cast<cudaStream_t>(stream)};
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, std::size_t* shared, void* stream) {
  *grid = sim::kernels::pushed.grid;
  *block = sim::kernels::pushed.block;
  *shared = sim::kernels::pushed.shared;
  *static_cast<cudaStream_t*>(stream) = sim::kernels::pushed.stream;
  return cudaSuccess;
}

}  // extern "C"
#pragma GCC visibility pop
