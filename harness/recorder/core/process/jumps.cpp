// longjmp() and its kin: a signal's handler may jump out of a call that the recorder is in.
#include <dlfcn.h>

#include <cstdint>
#include <cstring>

#include "harness/recorder/core/interpose.h"
#include "harness/recorder/core/process/handles.h"

namespace {

using Jump = void (*)(void* buffer, int value);

// Found at the start, because a handler must not ask the loader.
struct Jumps {
  Jump plain = find("longjmp");
  Jump quick = find("_longjmp");
  Jump of_signals = find("siglongjmp");
  Jump checked = find("__longjmp_chk");

 private:
  static Jump find(const char* name) {
    return reinterpret_cast<Jump>(gridlock::recorder::symbol_of(RTLD_NEXT, name));
  }
};
const Jumps& jumps() {
  static const Jumps found;
  return found;
}
[[gnu::constructor]] void find_jumps() { jumps(); }

// Where the stack pointer will be. Where that is not known, as high as can be.
std::uintptr_t stack_in(const void* buffer) {
#if defined(__x86_64__) && defined(__GLIBC__)
  // glibc hides it by a number of the thread's, and rotates it.
  constexpr std::size_t kAt = 6;
  std::uintptr_t words[kAt + 1];
  std::memcpy(words, buffer, sizeof words);
  std::uintptr_t guard = 0;
  asm("mov %%fs:0x30, %0" : "=r"(guard));
  return (words[kAt] >> 17U | words[kAt] << 47U) ^ guard;
#else
  static_cast<void>(buffer);
  return UINTPTR_MAX;
#endif
}

[[noreturn]] void leave(Jump forward, void* buffer, int value) {
  gridlock::recorder::jump(stack_in(buffer));
  forward(buffer, value);
  __builtin_unreachable();
}

}  // namespace

// Not those of <setjmp.h>, which the C library may redirect to each other.
GRIDLOCK_INTERPOSE __attribute__((noreturn)) void longjmp(void* buffer, int value) {
  leave(jumps().plain, buffer, value);
}
GRIDLOCK_INTERPOSE __attribute__((noreturn)) void _longjmp(void* buffer, int value) {
  leave(jumps().quick, buffer, value);
}
GRIDLOCK_INTERPOSE __attribute__((noreturn)) void siglongjmp(void* buffer, int value) {
  leave(jumps().of_signals, buffer, value);
}
GRIDLOCK_INTERPOSE __attribute__((noreturn)) void __longjmp_chk(void* buffer, int value) {
  leave(jumps().checked, buffer, value);
}
