// Rank 0 has given the kernel work (Linux AIO), and waits for the counter to which the kernel adds
// one when the work is done. Nobody else holds the counter.
// Naive view: only rank 0 could wake itself.
// Expected: completes.
#include <linux/aio_abi.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <cstdint>

#include "tests/adversarial/setup/job.h"

constinit const Trial trial{.expect = completes()};

namespace {

bool wait_by_kernel() {
  const int timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
  const int counter = eventfd(0, EFD_CLOEXEC);
  itimerspec once{};
  once.it_value.tv_sec = 1;
  timerfd_settime(timer, 0, &once, nullptr);
  aio_context_t context = 0;
  if (syscall(SYS_io_setup, 4, &context) != 0) return false;
  iocb work{};
  work.aio_lio_opcode = IOCB_CMD_POLL;
  work.aio_fildes = static_cast<std::uint32_t>(timer);
  work.aio_buf = POLLIN;
  work.aio_flags = IOCB_FLAG_RESFD;
  work.aio_resfd = static_cast<std::uint32_t>(counter);
  iocb* works = &work;
  std::uint64_t count = 0;
  return syscall(SYS_io_submit, context, 1, &works) == 1 &&
         read(counter, &count, sizeof count) == sizeof count;
}

}  // namespace

int program(int, char**) {
  ncclComm_t world = join_world();
  cudaStream_t stream = make_stream();
  float* data = device_floats();
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  if (rank() == 0 && !wait_by_kernel()) return 5;
  all_reduce(world, stream, data);
  check(cudaStreamSynchronize(stream));
  return 0;
}
