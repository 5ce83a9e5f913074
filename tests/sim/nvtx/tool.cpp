// An NVTX tool for the test. It asks for the export tables that NVTX 3's header offers, and puts a
// few of its own functions into the tables of function pointers.
#include <nvtx3/nvToolsExt.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace {

using Function = void (*)();

struct Callbacks {
  std::size_t struct_size;
  int (*get_table)(int module, Function*** table, unsigned int* size);
};

std::string log;
int depth = 0;

int push(const char* message) {
  log += std::string("+") + message;
  return depth++;
}
int pop() {
  log += "-";
  return --depth;
}
nvtxDomainHandle_t create_domain(const char* name) {
  log += name;
  return reinterpret_cast<nvtxDomainHandle_t>(&log);
}
int push_in_domain(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
  if (domain != reinterpret_cast<nvtxDomainHandle_t>(&log)) return -1;
  return push(attributes->message.ascii);
}

template <class Implementation>
void put(Function** table, unsigned int index, Implementation* implementation) {
  *table[index] = reinterpret_cast<Function>(implementation);
}

}  // namespace

extern "C" const char* seen() { return log.c_str(); }

extern "C" int InitializeInjectionNvtx2(const void* (*get_export_table)(std::uint32_t)) {
  constexpr int kCore = 1;
  constexpr int kCore2 = 5;
  const auto* callbacks = static_cast<const Callbacks*>(get_export_table(1));
  if (callbacks == nullptr || callbacks->struct_size < sizeof(Callbacks)) return 0;
  Function** core = nullptr;
  Function** core2 = nullptr;
  unsigned int core_size = 0;
  unsigned int core2_size = 0;
  if (callbacks->get_table(kCore, &core, &core_size) == 0 || core_size < 16) return 0;
  if (callbacks->get_table(kCore2, &core2, &core2_size) == 0 || core2_size < 16) return 0;
  put(core, 9, &push);
  put(core, 11, &pop);
  put(core2, 4, &push_in_domain);
  put(core2, 12, &create_domain);
  return 1;
}
