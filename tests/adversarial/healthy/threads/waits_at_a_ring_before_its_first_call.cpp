// Rank 1's thread for checkpoints waits at a ring (io_uring) for a timer of 2.5 s, and then makes
// its first recorded call, for which rank 0 waits.
// Naive view: a thread that was silent so far stays silent; so both ranks wait for each other.
// Expected: completes.
#include <linux/io_uring.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include <atomic>

#include "tests/adversarial/setup/first_call.h"

constinit const Trial trial{.expect = completes(), .options = kStandsBriefly};

namespace {

// False: there are no rings here.
bool wait_at_a_ring() {
  io_uring_params rings{};
  static timespec time{.tv_sec = 2, .tv_nsec = 500'000'000};
  const int ring = static_cast<int>(syscall(SYS_io_uring_setup, 4, &rings));
  if (ring < 0) return false;
  const auto map = [&](std::size_t bytes, off_t what) {
    return static_cast<char*>(
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, ring, what));
  };
  char* queue = map(rings.sq_off.array + rings.sq_entries * sizeof(unsigned), IORING_OFF_SQ_RING);
  auto* entries = reinterpret_cast<io_uring_sqe*>(
      map(rings.sq_entries * sizeof(io_uring_sqe), IORING_OFF_SQES));
  entries[0] = {};
  entries[0].opcode = IORING_OP_TIMEOUT;
  entries[0].addr = reinterpret_cast<std::uint64_t>(&time);
  entries[0].len = 1;
  *reinterpret_cast<unsigned*>(queue + rings.sq_off.array) = 0;
  std::atomic_ref(*reinterpret_cast<unsigned*>(queue + rings.sq_off.tail)).store(1);
  return syscall(SYS_io_uring_enter, ring, 1, 1, IORING_ENTER_GETEVENTS, nullptr, 0) >= 0;
}

}  // namespace

int program(int, char**) {
  return first_call_after([] {
    if (!wait_at_a_ring()) pause_ms(2500);
  });
}
