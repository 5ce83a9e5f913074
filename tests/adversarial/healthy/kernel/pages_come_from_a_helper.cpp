// Rank 0 writes a page of its weights into a pipe. The weights come from a snapshot that is loaded
// lazily (userfaultfd): the write sleeps until the rank's helper has filled the page, 2 s later.
// Naive view: the write sleeps at the pipe, of which rank 0 alone holds both ends.
// Expected: completes.
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

namespace {

constexpr std::size_t kPage = 4096;

// The helper that fills `page`; -1: the kernel does not allow it.
pid_t load_lazily(void* page) {
  const auto faults = static_cast<int>(syscall(SYS_userfaultfd, O_CLOEXEC));
  uffdio_api api{.api = UFFD_API, .features = 0, .ioctls = 0};
  uffdio_register range{.range = {reinterpret_cast<std::uint64_t>(page), kPage},
                        .mode = UFFDIO_REGISTER_MODE_MISSING,
                        .ioctls = 0};
  const bool is_allowed = faults >= 0 && ioctl(faults, UFFDIO_API, &api) == 0 &&
                          ioctl(faults, UFFDIO_REGISTER, &range) == 0;
  if (!is_allowed) return -1;
  return start_helper([&] {
    static char snapshot[kPage] = {};
    pause_ms(2000);
    uffdio_copy copy{};
    copy.dst = range.range.start;
    copy.src = reinterpret_cast<std::uint64_t>(snapshot);
    copy.len = kPage;
    if (ioctl(faults, UFFDIO_COPY, &copy) != 0) std::_Exit(7);
  });
}

}  // namespace

int program(int, char**) {
  void* weights = mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  const Training training;
  training.step();
  if (rank() == 0) {
    const pid_t helper = load_lazily(weights);
    if (helper < 0) std::puts("no userfaultfd");
    const Pipe to_disk;
    if (write(to_disk.writing(), weights, kPage) != static_cast<ssize_t>(kPage)) return 6;
    if (helper > 0) wait_for(helper);
  }
  training.step();
  return 0;
}
