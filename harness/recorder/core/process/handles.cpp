// dlsym: programs that reach NCCL and CUDA through a handle of their own (Python's ctypes, plugins)
// get the recorder's functions too. Symbols of the program that are bound by the loader need no
// help.
#include "harness/recorder/core/process/handles.h"

#include <dlfcn.h>
#include <link.h>

#include <array>
#include <atomic>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "harness/recorder/core/process/tools.h"

extern "C" void* gridlock_find_dlsym();

namespace gridlock::recorder {

// See gridlock_find_dlsym().
__attribute__((no_sanitize("address"), no_sanitize("undefined"), no_sanitize("thread"))) void*
symbol_of(void* handle, const char* name) {
  return reinterpret_cast<void* (*)(void*, const char*)>(gridlock_find_dlsym())(handle, name);
}

namespace {

bool begins_with(const char* name, const char* beginning) {
  return std::strncmp(name, beginning, std::strlen(beginning)) == 0;
}
bool is_ncclx(const char* name) { return begins_with(name, "nccl"); }
bool is_mpis(const char* name) { return begins_with(name, "MPI_") || begins_with(name, "PMPI_"); }
bool is_alarm(const char* name) {
  return std::strcmp(name, "alarm") == 0 || std::strcmp(name, "ualarm") == 0 ||
         std::strcmp(name, "setitimer") == 0;
}
bool may_be_ours(const char* name) {
  return is_ncclx(name) || begins_with(name, "pnccl") || begins_with(name, "cuda") ||
         is_mpis(name) || is_alarm(name);
}

// The recorder's own function of that name; null if it has none.
void* own_function(const char* name) {
  static std::atomic<void*> self = nullptr;
  if (self.load(std::memory_order_relaxed) == nullptr) {
    Dl_info info{};
    if (dladdr(reinterpret_cast<void*>(&own_function), &info) == 0) return nullptr;
    self.store(dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD), std::memory_order_relaxed);
  }
  void* library = self.load(std::memory_order_relaxed);
  if (library == nullptr) return nullptr;
  void* function = symbol_of(library, name);
  // A handle also finds what the libraries that it needs have.
  return is_elsewhere(function, reinterpret_cast<const void*>(&own_function)) ? nullptr : function;
}

// What a program, or a tool, gets instead of what it has found: the recorder's function that
// forwards to it, and to nothing that stands before it. For ncclX that is pncclX. Null: it keeps
// what it has found. A library may lack what the recorder has, and of several NCCLs in a process,
// one is recorded.
void* instead_of(const char* name, const void* found) {
  void* own = nullptr;
  const void* forwards_to = nullptr;
  if (is_ncclx(name)) {
    own = own_function(name_for_tools(name).data());
    forwards_to = own == nullptr ? nullptr : find_nccl(name);
  } else if ((own = own_function(name)) != nullptr) {
    forwards_to = is_alarm(name)               ? symbol_of(RTLD_NEXT, name)
                  : begins_with(name, "pnccl") ? find_nccl(name)
                  : is_mpis(name)              ? find_mpi(name)
                                               : find_next_cuda(name);
  }
  return found != nullptr && found == forwards_to ? own : nullptr;
}

// As library_of(), of an entry of the loader's list.
const void* base_of(const dl_phdr_info& info) {
  constexpr ElfW(Addr) kPage = 4096;
  for (ElfW(Half) i = 0; i < info.dlpi_phnum; ++i) {
    if (info.dlpi_phdr[i].p_type != PT_LOAD) continue;
    const ElfW(Addr) base = info.dlpi_addr + info.dlpi_phdr[i].p_vaddr / kPage * kPage;
    return reinterpret_cast<const void*>(base);  // NOLINT(performance-no-int-to-ptr)
  }
  return nullptr;
}

// The libraries that were loaded after the one that begins at `base`. The loader's list is walked
// under its lock, because other threads may unload some; what is gone then cannot be opened.
std::vector<std::string> libraries_behind(const void* base) {
  struct Walk {
    const void* base;
    bool is_behind = false;
    std::vector<std::string> names;
  } walk{.base = base, .names = {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* argument) {
        auto* all = static_cast<Walk*>(argument);
        if (all->is_behind) all->names.emplace_back(info->dlpi_name);
        all->is_behind = all->is_behind || base_of(*info) == all->base;
        return 0;
      },
      &walk);
  return std::move(walk.names);
}

// A library that the program has loaded while it ran finds NCCL also if NCCL was loaded before,
// because it needs it.
void* of_needed_library(const void* caller, const char* name) {
  Dl_info info{};
  if (dladdr(caller, &info) == 0) return nullptr;
  void* const handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
  if (handle == nullptr) return nullptr;
  void* const found = symbol_of(handle, name);
  dlclose(handle);
  return is_elsewhere(found, caller) ? instead_of(name, found) : nullptr;
}

}  // namespace
}  // namespace gridlock::recorder

using namespace gridlock::recorder;

// glibc's dlsym. It has had another version since 2.34. A sanitizer asks for functions before it
// can bear to be called itself.
extern "C" [[gnu::used, gnu::visibility("hidden")]] __attribute__((no_sanitize("address"),
                                                                   no_sanitize("undefined"),
                                                                   no_sanitize("thread"))) void*
gridlock_find_dlsym() {
#ifdef __x86_64__
  constexpr const char* kFirst = "GLIBC_2.2.5";
#else
  constexpr const char* kFirst = "GLIBC_2.17";
#endif
  static void* found = nullptr;
  void* function = __atomic_load_n(&found, __ATOMIC_RELAXED);
  if (function != nullptr) return function;
  function = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34");
  if (function == nullptr) function = dlvsym(RTLD_NEXT, "dlsym", kFirst);
  __atomic_store_n(&found, function, __ATOMIC_RELAXED);
  return function;
}

// The vendor's own lookup comes last, so that dlerror() tells what became of that one.
extern "C" [[gnu::used, gnu::visibility("hidden")]] void* gridlock_dlsym_of_handle(
    void* handle, const char* name) {
  if (!may_be_ours(name)) return symbol_of(handle, name);
  void* const own = instead_of(name, symbol_of(handle, name));
  void* const found = symbol_of(handle, name);
  return own != nullptr ? own : found;
}

// For a tool that asks for the function behind its own: libraries are searched in the order in
// which they were loaded. Null if NCCL is not the first that has it.
extern "C" [[gnu::used, gnu::visibility("hidden")]] void* gridlock_next_of(const void* caller,
                                                                           const char* name) {
  if (!is_ncclx(name) && !begins_with(name, "pnccl")) return nullptr;
  const void* const asks = library_of(caller);
  if (asks == library_of(reinterpret_cast<const void*>(&gridlock_next_of))) return nullptr;
  // An NCCL that was loaded privately is not behind it.
  if (symbol_of(RTLD_NEXT, name) == nullptr) return nullptr;
  for (const std::string& library : libraries_behind(asks)) {
    void* const handle = dlopen(library.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (handle == nullptr) continue;
    void* const found = symbol_of(handle, name);
    link_map* map = nullptr;
    dlinfo(handle, RTLD_DI_LINKMAP, &map);
    // A handle also finds what the libraries that it needs have.
    const bool is_its = found != nullptr && !is_elsewhere(found, map->l_ld);
    void* const own = is_its ? instead_of(name, found) : nullptr;
    dlclose(handle);
    if (is_its) return own;
  }
  return of_needed_library(caller, name);
}

// RTLD_NEXT (-1) and RTLD_DEFAULT (0) mean what they mean to the caller, whom glibc knows by the
// return address. So these calls are passed on by a jump, unless a tool asks for NCCL's function.
#ifdef __x86_64__
asm(R"(
.text
.globl dlsym
.type dlsym, @function
dlsym:
  leaq 1(%rdi), %rax
  cmpq $1, %rax
  ja gridlock_dlsym_of_handle
  pushq %rdi
  pushq %rsi
  subq $8, %rsp
  testq %rax, %rax
  jnz 1f
  movq 24(%rsp), %rdi
  call gridlock_next_of
  testq %rax, %rax
  jnz 2f
1:
  call gridlock_find_dlsym
  addq $8, %rsp
  popq %rsi
  popq %rdi
  jmp *%rax
2:
  addq $24, %rsp
  ret
.size dlsym, . - dlsym
)");
#elif defined(__aarch64__)
asm(R"(
.text
.globl dlsym
.type dlsym, @function
dlsym:
  add x9, x0, #1
  cmp x9, #1
  b.hi gridlock_dlsym_of_handle
  stp x29, x30, [sp, #-32]!
  stp x0, x1, [sp, #16]
  cbnz x9, 1f
  mov x0, x30
  bl gridlock_next_of
  cbnz x0, 2f
1:
  bl gridlock_find_dlsym
  mov x9, x0
  ldp x0, x1, [sp, #16]
  ldp x29, x30, [sp], #32
  br x9
2:
  ldp x29, x30, [sp], #32
  ret
.size dlsym, . - dlsym
)");
#endif
