// The arguments of rank 0's kernel lie in memory whose pages a thread brings from elsewhere
// (userfaultfd), as after a live migration: the launch that reads them waits 1.3 s for the page.
// Rank 1 is told to go on after it.
// Naive view: a launch that lasts waits for the device.
// Expected: completes.
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <thread>

#include "tests/adversarial/setup/slow_allocator.h"
#include "tests/adversarial/setup/unloaded_kernel.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly};

int program(int, char**) {
  const Two two;
  static const UnloadedKernel kernel;
  kernel.launch(nullptr);
  check(cudaDeviceSynchronize());
  static void* late =
      mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const int faults = static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC));
  if (faults < 0) std::perror("userfaultfd");
  uffdio_api api{.api = UFFD_API, .features = 0, .ioctls = 0};
  if (ioctl(faults, UFFDIO_API, &api) != 0) return 9;
  uffdio_register range{};
  range.range = {reinterpret_cast<unsigned long long>(late), 4096};
  range.mode = UFFDIO_REGISTER_MODE_MISSING;
  if (ioctl(faults, UFFDIO_REGISTER, &range) != 0) return 10;
  std::thread pager;
  if (rank() == 0) {
    pager = std::thread([=] {
      uffd_msg message{};
      if (read(faults, &message, sizeof message) < 0) std::_Exit(11);
      pause_ms(1300);
      uffdio_zeropage page{};
      page.range = range.range;
      if (ioctl(faults, UFFDIO_ZEROPAGE, &page) != 0) std::_Exit(12);
    });
  }
  launch_that_lasts(two, nullptr, [](cudaStream_t side) { kernel.launch(side, late); });
  if (pager.joinable()) pager.join();
  return 0;
}
