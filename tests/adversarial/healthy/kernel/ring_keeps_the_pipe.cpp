// Rank 0 reads from a pipe whose other end it holds itself. A helper has registered that end with
// its ring (io_uring) and closed its descriptor; the ring writes a second later.
// Naive view: only rank 0 holds the pipe.
// Expected: completes.
#include <linux/io_uring.h>
#include <linux/time_types.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <atomic>

#include "tests/adversarial/setup/helper.h"

constinit const Trial trial{.expect = completes()};

static bool write_later(int to) {
  static io_uring_params rings{};
  static __kernel_timespec second{.tv_sec = 1, .tv_nsec = 0};
  static char byte = 'x';
  const int ring = static_cast<int>(syscall(SYS_io_uring_setup, 8, &rings));
  if (ring < 0) return false;
  if (syscall(SYS_io_uring_register, ring, IORING_REGISTER_FILES, &to, 1) != 0) return false;
  close(to);
  const auto map = [&](std::size_t bytes, off_t what) {
    return static_cast<char*>(
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, what));
  };
  char* submissions =
      map(rings.sq_off.array + rings.sq_entries * sizeof(unsigned), IORING_OFF_SQ_RING);
  auto* entries = reinterpret_cast<io_uring_sqe*>(
      map(rings.sq_entries * sizeof(io_uring_sqe), IORING_OFF_SQES));
  auto* order = reinterpret_cast<unsigned*>(submissions + rings.sq_off.array);
  entries[0] = {};
  entries[0].opcode = IORING_OP_TIMEOUT;
  entries[0].flags = IOSQE_IO_HARDLINK;
  entries[0].addr = reinterpret_cast<std::uint64_t>(&second);
  entries[0].len = 1;
  entries[1] = {};
  entries[1].opcode = IORING_OP_WRITE;
  entries[1].flags = IOSQE_FIXED_FILE;
  entries[1].fd = 0;
  entries[1].addr = reinterpret_cast<std::uint64_t>(&byte);
  entries[1].len = 1;
  order[0] = 0;
  order[1] = 1;
  std::atomic_ref(*reinterpret_cast<unsigned*>(submissions + rings.sq_off.tail)).store(2);
  return syscall(SYS_io_uring_enter, ring, 2, 0, 0, nullptr, 0) == 2;
}

int program(int, char**) {
  const Training training;
  training.step();
  if (rank() == 0) {
    const Pipe pipe;
    const Pipe until;
    const pid_t helper = start_helper([&] {
      if (!write_later(pipe.writing())) _exit(5);
      char word = 0;
      if (read(until.reading(), &word, 1) != 1) _exit(6);
    });
    char word = 0;
    if (read(pipe.reading(), &word, 1) != 1) return 6;
    if (write(until.writing(), "x", 1) != 1) return 7;
    wait_for(helper);
  }
  training.step();
  return 0;
}
