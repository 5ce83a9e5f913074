// A function is a tool's if it follows the recorder's and lies in another library than the
// vendor's.
#include "harness/recorder/core/process/tools.h"

#include <dlfcn.h>

#include <atomic>

#include "harness/recorder/core/process/handles.h"

namespace gridlock::recorder {
namespace {

std::atomic<bool> g_mpi_has_a_tool = false;

// Room for every function of CUDA's that the recorder intercepts.
std::atomic<const void*> g_cudas_tools[256];

void note_cudas_tool(const void* function) {
  for (std::atomic<const void*>& place : g_cudas_tools) {
    const void* free = nullptr;
    if (place.compare_exchange_strong(free, function) || free == function) return;
  }
}

}  // namespace

void* find_next_nccl(const char* name) {
  void* const next = symbol_of(RTLD_NEXT, name + 1);
  if (next == nullptr) return find_nccl(name);
  // A library may load NCCL only when it is called.
  void* const vendor = find_loaded_nccl(name);
  return vendor == nullptr || is_elsewhere(next, vendor) ? next : vendor;
}

void* find_next_cuda(const char* name) {
  void* const vendor = find_cuda(name);
  void* const next = symbol_of(RTLD_NEXT, name);
  if (!is_elsewhere(next, vendor)) return vendor;
  note_cudas_tool(next);
  return next;
}

void* find_next_mpi(const char* name) {
  void* const vendor = find_mpi(name);
  void* const next = symbol_of(RTLD_NEXT, name + 1);
  return is_elsewhere(next, vendor) ? next : vendor;
}

bool is_a_tools(const void* function) {
  for (const std::atomic<const void*>& place : g_cudas_tools) {
    const void* const tool = place.load(std::memory_order_relaxed);
    if (tool == nullptr) return false;
    if (tool == function) return true;
  }
  return false;
}

void note_mpis_tool() { g_mpi_has_a_tool.store(true, std::memory_order_relaxed); }

bool mpi_has_a_tool() { return g_mpi_has_a_tool.load(std::memory_order_relaxed); }

}  // namespace gridlock::recorder
