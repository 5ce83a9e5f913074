// Searches the libraries that follow the recorder in the loader's order, then those that were
// loaded privately (as Python loads NCCL).
#include "harness/recorder/core/process/vendor.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <cstdio>
#include <cstring>

#include "harness/recorder/core/process/handles.h"

namespace gridlock::recorder {
namespace {

struct Search {
  const char* stem;  // beginning of the library's file name
  std::array<char, PATH_MAX> path;
};

int visit(dl_phdr_info* info, std::size_t /*size*/, void* argument) {
  auto* search = static_cast<Search*>(argument);
  const char* slash = std::strrchr(info->dlpi_name, '/');
  const char* file = slash == nullptr ? info->dlpi_name : slash + 1;
  if (std::strncmp(file, search->stem, std::strlen(search->stem)) != 0) return 0;
  const std::size_t length = std::strlen(info->dlpi_name);
  if (length >= search->path.size()) return 0;
  std::memcpy(search->path.data(), info->dlpi_name, length + 1);
  return 1;
}

// In the first loaded library of that name.
void* find_in(const char* stem, const char* name) {
  Search search{.stem = stem, .path = {}};
  if (dl_iterate_phdr(visit, &search) == 0) return nullptr;
  // Not during the walk, which holds a loader lock that another thread's dlopen takes last.
  void* library = dlopen(search.path.data(), RTLD_LAZY | RTLD_NOLOAD);
  return library == nullptr ? nullptr : symbol_of(library, name);
}

void* find(const char* name, const char* stem) {
  void* function = dlsym(RTLD_NEXT, name);
  return function != nullptr ? function : find_in(stem, name);
}

const void* library_of(const void* function) {
  Dl_info info{};
  return function != nullptr && dladdr(function, &info) != 0 ? info.dli_fbase : nullptr;
}

bool stands_before(const void* next, const void* vendor) {
  return next != nullptr && vendor != nullptr && library_of(next) != library_of(vendor);
}

std::atomic<bool> g_mpi_has_a_tool = false;
std::atomic<const void*> g_tools[256];

// REQUIRES: the table has room for the functions that the recorder intercepts and that wait
void note_tool(const void* function) {
  for (std::atomic<const void*>& place : g_tools) {
    const void* free = nullptr;
    if (place.compare_exchange_strong(free, function) || free == function) return;
  }
}

// NCCL's function of this name, ncclX, which lies where pncclX does.
void* past_tools(const char* name) {
  void* const first = find(name, "libnccl.so");
  std::array<char, 64> for_tools{};
  std::snprintf(for_tools.data(), for_tools.size(), "p%s", name);
  void* const vendor = find(for_tools.data(), "libnccl.so");
  Dl_info info{};
  if (!stands_before(first, vendor) || dladdr(vendor, &info) == 0) return first;
  void* library = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  return library == nullptr ? first : symbol_of(library, name);
}

// CUDA has no other name for tools. So its function is that of the library with its name, if that
// library is loaded; a program may also have CUDA linked in. Names of the driver begin with cu
// and a capital.
void* cuda_function(const char* name) {
  const bool is_runtimes = std::strncmp(name, "cuda", 4) == 0 || name[0] != 'c';
  void* function = find_in(is_runtimes ? "libcudart" : "libcuda.so", name);
  return function != nullptr ? function : find_in("libgridlock_cuda", name);  // the simulation's
}

// The call returns ncclInvalidUsage, which does not say why. Once, also if the program calls again.
void say_too_old(const char* name) {
  static std::atomic<const char*> last = nullptr;
  auto* version_of = reinterpret_cast<int (*)(int*)>(find("pncclGetVersion", "libnccl.so"));
  const char* before = last.exchange(name, std::memory_order_relaxed);
  if (version_of == nullptr || (before != nullptr && std::strcmp(before, name) == 0)) return;
  int version = 0;
  version_of(&version);
  std::array<char, 160> text{};
  const int length = std::snprintf(text.data(), text.size(),
                                   "gridlock: NCCL %d.%d.%d has no %s; the call returns "
                                   "ncclInvalidUsage\n",
                                   version / 10000, version / 100 % 100, version % 100, name);
  static_cast<void>(write(STDERR_FILENO, text.data(), static_cast<std::size_t>(length)));
}

}  // namespace

void* find_nccl(const char* name) {
  if (name[0] == 'n') return past_tools(name);
  void* function = find(name, "libnccl.so");
  if (function == nullptr && name[0] == 'p') say_too_old(name + 1);  // the p of PMPI's names
  return function;
}

void* find_cuda(const char* name) {
  void* function = cuda_function(name);
  return function != nullptr ? function : dlsym(RTLD_NEXT, name);
}

void* find_mpi(const char* name) { return find(name, "libmpi"); }

void* find_next_nccl(const char* name) {
  void* const next = dlsym(RTLD_NEXT, name + 1);
  // A library may load NCCL only when it is called.
  void* const vendor = next == nullptr ? find_nccl(name) : find(name, "libnccl.so");
  if (vendor == nullptr && next != nullptr) return next;
  return stands_before(next, vendor) ? next : vendor;
}

void* find_next_cuda(const char* name) {
  void* const vendor = find_cuda(name);
  void* const next = dlsym(RTLD_NEXT, name);
  if (!stands_before(next, vendor)) return vendor;
  note_tool(next);
  return next;
}

void* find_next_mpi(const char* name) {
  void* const vendor = find_mpi(name);
  void* const next = dlsym(RTLD_NEXT, name + 1);
  if (!stands_before(next, vendor)) return vendor;
  g_mpi_has_a_tool = true;
  return next;
}

bool mpi_has_a_tool() { return g_mpi_has_a_tool.load(std::memory_order_relaxed); }

bool is_a_tools(const void* function) {
  for (const std::atomic<const void*>& place : g_tools) {
    const void* const tool = place.load(std::memory_order_relaxed);
    if (tool == nullptr) return false;
    if (tool == function) return true;
  }
  return false;
}

const char* backend() {
  if (find_cuda("simLaunch") == nullptr) return "cuda";
  return find_nccl("simOwnNccl") != nullptr ? kSimulated.data() : "simnccl";
}

}  // namespace gridlock::recorder
