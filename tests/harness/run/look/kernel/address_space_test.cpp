// What on a sleeper's stack counts as a call of a vendor's.
#include "harness/run/look/kernel/address_space.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <unwind.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>

#include "tests/harness/run/look/kernel/asleep.h"

namespace gridlock::run {
namespace {

// A library's file under a name that a vendor would choose, so that its code counts as the
// vendor's.
class VendorsLibrary {
 public:
  // The library in which `function` is defined.
  explicit VendorsLibrary(const char* library, const char* function) : function_(function) {
    Dl_info original{};
    dladdr(dlsym(dlopen(library, RTLD_NOW), function), &original);
    file_ =
        std::filesystem::temp_directory_path() / ("libcuda_" + std::to_string(getpid()) + ".so");
    std::filesystem::copy_file(original.dli_fname, file_);
    handle_ = dlopen(file_.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  VendorsLibrary(const VendorsLibrary&) = delete;
  VendorsLibrary& operator=(const VendorsLibrary&) = delete;
  ~VendorsLibrary() {
    dlclose(handle_);
    std::filesystem::remove(file_);
  }
  void* function() const { return dlsym(handle_, function_); }

 private:
  const char* function_;
  std::filesystem::path file_;
  void* handle_ = nullptr;
};

std::array<int, 2> make_ends() {
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe(ends.data()), 0);
  return ends;
}

// Where a process is that sleeps.
SystemCall asleep(const Child& reader) {
  SystemCall call;
  while (!call.sleeps || call.number != SYS_read) {
    call = system_call(reader.pid(), reader.pid());
  }
  return call;
}

#if defined(__x86_64__)

// Whether a process that sleeps with this number on its stack may be inside the vendor's code.
//   can_be_followed  whether its calls can
//   REQUIRES         nothing else of the vendor's is on the stack
bool may_be_inside(const std::uint8_t* number, bool can_be_followed) {
  const std::array<int, 2> ends = make_ends();
  const Child reader([&] {
    const std::uint8_t* const volatile on_stack = number;
    char byte = 0;
    static_cast<void>(read(ends[0], &byte, on_stack != nullptr ? 1 : 0));
  });
  const SystemCall call = asleep(reader);
  close(ends[0]);
  close(ends[1]);
  return AddressSpace(reader.pid())
      .may_be_in_vendors_call(call.stack, can_be_followed ? call.instruction : 0);
}

TEST(AddressSpace, ANumberInAVendorsCodeIsNoFrameUnlessItFollowsACall) {
  const VendorsLibrary library("libm.so.6", "cos");
  const auto* const code = static_cast<const std::uint8_t*>(library.function());
  ASSERT_NE(code, nullptr);
  constexpr std::uint8_t kCall = 0xe8;
  const std::uint8_t* behind = code + 5;
  while (behind[-5] != kCall) ++behind;
  // To load the library has left its addresses on this thread's stack.
  std::thread([&] {
    EXPECT_TRUE(may_be_inside(behind, false));
#if defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    // Sanitizers leave copies of the address on the stack.
    EXPECT_FALSE(may_be_inside(behind - 1, false));
    EXPECT_FALSE(may_be_inside(behind, true)) << "an earlier call has left it there";
#endif
  }).join();
}

#endif

// Calls a function, and claims that nobody has called it.
extern "C" void call_as_if_first(void (*function)());
#if defined(__x86_64__)
asm(R"(
  .text
call_as_if_first:
  .cfi_startproc
  .cfi_undefined rip
  sub $8, %rsp
  .cfi_adjust_cfa_offset 8
  call *%rdi
  add $8, %rsp
  .cfi_adjust_cfa_offset -8
  ret
  .cfi_endproc
)");
#else
void call_as_if_first(void (*function)()) { function(); }
#endif

// Whether a process may be inside a vendor's call that has called the program back, which waits.
bool may_be_inside_call(const std::function<void()>& wait) {
  // The library that unwinds stacks calls the program for each frame.
  const VendorsLibrary library("libgcc_s.so.1", "_Unwind_Backtrace");
  const auto unwind = reinterpret_cast<decltype(&_Unwind_Backtrace)>(library.function());
  const Child reader([&] {
    const auto call_back = [](_Unwind_Context*, void* function) {
      (*static_cast<const std::function<void()>*>(function))();
      return _URC_NO_REASON;
    };
    unwind(call_back, const_cast<std::function<void()>*>(&wait));
  });
  const SystemCall call = asleep(reader);
  return AddressSpace(reader.pid()).may_be_in_vendors_call(call.stack, call.instruction);
}

int read_end = -1;

void wait_for_nothing() {
  char byte = 0;
  static_cast<void>(read(read_end, &byte, 1));
}

TEST(AddressSpace, ACallThatHasCalledTheProgramBackIsUnderWay) {
  const std::array<int, 2> ends = make_ends();
  read_end = ends[0];
  EXPECT_TRUE(may_be_inside_call(wait_for_nothing));
  EXPECT_TRUE(may_be_inside_call([] { call_as_if_first(wait_for_nothing); }));
  close(ends[0]);
  close(ends[1]);
}

}  // namespace
}  // namespace gridlock::run
