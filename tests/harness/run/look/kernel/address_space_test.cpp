// What on a sleeper's stack counts as a call of a vendor's.
#include "harness/run/look/kernel/address_space.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/syscall.h>

#include <array>
#include <cstdint>
#include <filesystem>
#include <string>
#include <thread>

#include "tests/harness/run/look/kernel/asleep.h"

namespace gridlock::run {
namespace {

// A library's file under a name that a vendor would choose, so that its code counts as the
// vendor's.
class VendorsLibrary {
 public:
  VendorsLibrary() {
    Dl_info mathematics{};
    void* original = dlopen("libm.so.6", RTLD_NOW);
    dladdr(dlsym(original, "cos"), &mathematics);
    file_ =
        std::filesystem::temp_directory_path() / ("libcuda_" + std::to_string(getpid()) + ".so");
    std::filesystem::copy_file(mathematics.dli_fname, file_);
    handle_ = dlopen(file_.c_str(), RTLD_NOW | RTLD_LOCAL);
  }
  VendorsLibrary(const VendorsLibrary&) = delete;
  VendorsLibrary& operator=(const VendorsLibrary&) = delete;
  ~VendorsLibrary() {
    dlclose(handle_);
    std::filesystem::remove(file_);
  }
  const std::uint8_t* function() const {
    return static_cast<const std::uint8_t*>(dlsym(handle_, "cos"));
  }

 private:
  std::filesystem::path file_;
  void* handle_ = nullptr;
};

// Whether a process that sleeps with this number on its stack may be inside the vendor's code.
//   REQUIRES  nothing else of the vendor's is on the stack
bool may_be_inside(std::uint64_t number) {
  std::array<int, 2> ends{};
  EXPECT_EQ(pipe(ends.data()), 0);
  const Child reader([&] {
    const volatile std::uint64_t on_stack = number;
    char byte = 0;
    static_cast<void>(read(ends[0], &byte, on_stack != 0 ? 1 : 0));
  });
  SystemCall call;
  while (!call.sleeps || call.number != SYS_read) call = system_call(reader.pid(), reader.pid());
  close(ends[0]);
  close(ends[1]);
  return AddressSpace(reader.pid()).may_be_in_vendors_call(call.stack, call.instruction);
}

#if defined(__x86_64__)
TEST(AddressSpace, ANumberInAVendorsCodeIsNoFrameUnlessItFollowsACall) {
  const VendorsLibrary library;
  const std::uint8_t* code = library.function();
  ASSERT_NE(code, nullptr);
  constexpr std::uint8_t kCall = 0xe8;
  const std::uint8_t* behind = code + 5;
  while (behind[-5] != kCall) ++behind;
  // To load the library has left its addresses on this thread's stack.
  std::thread([&] {
    EXPECT_TRUE(may_be_inside(reinterpret_cast<std::uint64_t>(behind)));
    EXPECT_FALSE(may_be_inside(reinterpret_cast<std::uint64_t>(behind - 1)));
  }).join();
}
#endif

}  // namespace
}  // namespace gridlock::run
