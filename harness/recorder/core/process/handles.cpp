// dlsym: programs that reach NCCL and CUDA through a handle of their own (Python's ctypes, plugins)
// get the recorder's functions too. Symbols of the program that are bound by the loader need no
// help.
#include "harness/recorder/core/process/handles.h"

#include <dlfcn.h>

#include <atomic>
#include <cstring>

#include "harness/recorder/core/process/vendor.h"

extern "C" void* gridlock_find_dlsym();

namespace gridlock::recorder {

void* symbol_of(void* handle, const char* name) {
  return reinterpret_cast<void* (*)(void*, const char*)>(gridlock_find_dlsym())(handle, name);
}

namespace {

bool may_be_ours(const char* name) {
  return std::strncmp(name, "nccl", 4) == 0 || std::strncmp(name, "pnccl", 5) == 0 ||
         std::strncmp(name, "cuda", 4) == 0;
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
  // A library's handle also finds what the libraries that it needs have.
  Dl_info info{};
  Dl_info own{};
  const bool is_own = function != nullptr && dladdr(function, &info) != 0 &&
                      dladdr(reinterpret_cast<void*>(&own_function), &own) != 0 &&
                      info.dli_fbase == own.dli_fbase;
  return is_own ? function : nullptr;
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
  void* const own = own_function(name);
  void* const used = own == nullptr ? nullptr : name[0] == 'c' ? find_cuda(name) : find_nccl(name);
  void* const found = symbol_of(handle, name);
  // A library may lack what the recorder has. Of several NCCLs in a process, one is recorded.
  return own != nullptr && found != nullptr && found == used ? own : found;
}

// RTLD_NEXT (-1) and RTLD_DEFAULT (0) mean what they mean to the caller, whom glibc knows by the
// return address. So these calls are passed on by a jump.
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
  call gridlock_find_dlsym
  addq $8, %rsp
  popq %rsi
  popq %rdi
  jmp *%rax
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
  bl gridlock_find_dlsym
  mov x9, x0
  ldp x0, x1, [sp, #16]
  ldp x29, x30, [sp], #32
  br x9
.size dlsym, . - dlsym
)");
#endif
