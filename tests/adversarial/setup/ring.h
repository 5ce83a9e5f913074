// Work that the kernel does for a process later (io_uring).
#pragma once

#include <linux/io_uring.h>
#include <linux/time_types.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

// After a second, writes a byte into `to`.
inline bool write_later(int to) {
  static io_uring_params rings{};
  static __kernel_timespec second{.tv_sec = 1, .tv_nsec = 0};
  static char byte = 'x';
  const int ring = static_cast<int>(syscall(SYS_io_uring_setup, 8, &rings));
  if (ring < 0) return false;
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
  entries[0].flags = IOSQE_IO_HARDLINK;  // the write comes after it, although it "fails"
  entries[0].addr = reinterpret_cast<std::uint64_t>(&second);
  entries[0].len = 1;
  entries[1] = {};
  entries[1].opcode = IORING_OP_WRITE;
  entries[1].fd = to;
  entries[1].addr = reinterpret_cast<std::uint64_t>(&byte);
  entries[1].len = 1;
  order[0] = 0;
  order[1] = 1;
  std::atomic_ref(*reinterpret_cast<unsigned*>(submissions + rings.sq_off.tail)).store(2);
  return syscall(SYS_io_uring_enter, ring, 2, 0, 0, nullptr, 0) == 2;
}
