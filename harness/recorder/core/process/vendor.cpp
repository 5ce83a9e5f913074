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
#include <cstdlib>
#include <cstring>

#include "harness/recorder/core/process/handles.h"

namespace gridlock::recorder {
namespace {

constexpr const char* kNccl = "libnccl.so";

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
  void* function = symbol_of(RTLD_NEXT, name);
  return function != nullptr ? function : find_in(stem, name);
}

// NCCL's function of this name, ncclX, which lies where pncclX does.
void* past_tools(const char* name) {
  void* const first = find(name, kNccl);
  void* const vendor = find(name_for_tools(name).data(), kNccl);
  Dl_info info{};
  if (!is_elsewhere(first, vendor) || dladdr(vendor, &info) == 0) return first;
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

std::atomic<bool> g_is_early = false;

// The call returns ncclInvalidUsage, which does not say why. Once, also if the program calls again.
void say_too_old(const char* name) {
  static std::atomic<const char*> last = nullptr;
  auto* version_of = reinterpret_cast<int (*)(int*)>(find("pncclGetVersion", kNccl));
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

std::array<char, 64> name_for_tools(const char* name) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "p%s", name);
  return text;
}

// dladdr() walks through all symbols of the library. At a hundred functions, that was a seventh of
// a short process's time.
const void* library_of(const void* function) {
  if (function == nullptr) return nullptr;
#if __GLIBC_PREREQ(2, 35)
  dl_find_object found{};
  return _dl_find_object(const_cast<void*>(function), &found) == 0 ? found.dlfo_map_start : nullptr;
#else
  Dl_info info{};
  return dladdr(function, &info) != 0 ? info.dli_fbase : nullptr;
#endif
}

bool is_elsewhere(const void* one, const void* other) {
  return one != nullptr && other != nullptr && library_of(one) != library_of(other);
}

void* find_nccl(const char* name) {
  if (name[0] == 'n') return past_tools(name);
  void* function = find_loaded_nccl(name);
  if (function == nullptr && name[0] == 'p' && !g_is_early)
    say_too_old(name + 1);  // the p of PMPI's names
  return function;
}

void* find_loaded_nccl(const char* name) { return find(name, kNccl); }

void* find_cuda(const char* name) {
  void* function = cuda_function(name);
  return function != nullptr ? function : symbol_of(RTLD_NEXT, name);
}

void* find_mpi(const char* name) { return find(name, "libmpi"); }

// The linker's names for the ends of the section.
extern "C" __attribute__((visibility("hidden"))) Lookup __start_gridlock_lookups[];
extern "C" __attribute__((visibility("hidden"))) Lookup __stop_gridlock_lookups[];

namespace {

// Most processes of a job are helpers, and have none of these libraries.
bool has_vendors() {
  for (const char* name : {"cudaGetDevice", "pncclGetVersion", "PMPI_Init"}) {
    if (symbol_of(RTLD_NEXT, name) != nullptr) return true;
  }
  return false;
}

[[gnu::constructor]] void look_up_at_start() {
  if (std::getenv("GRIDLOCK_BOXES") != nullptr && has_vendors()) look_up_once();
}

const char* find_backend() {
  if (find_cuda("simLaunch") == nullptr) return "cuda";
  return find_nccl("simOwnNccl") != nullptr ? kSimulated.data() : "simnccl";
}

std::atomic<const char*> g_backend = nullptr;

}  // namespace

void look_up_once() {
  static std::atomic_flag was_done;
  if (was_done.test_and_set()) return;
  g_is_early = true;
  for (Lookup* one = __start_gridlock_lookups; one != __stop_gridlock_lookups; ++one) one->get();
  g_is_early = false;
  if (find_loaded_nccl("pncclGetVersion") != nullptr) g_backend = find_backend();
  dlerror();  // what was not found is no error of the program's
}

const char* backend() {
  const char* const known = g_backend;
  return known != nullptr ? known : find_backend();
}

}  // namespace gridlock::recorder
