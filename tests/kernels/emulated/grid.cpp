// Runs the threads of an emulated block as fibers.
#include "tests/kernels/emulated/grid.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

// Saves the registers that a call preserves, stores the stack pointer in *rdi, and goes on with the
// one in rsi.
asm(R"(
.globl gridlock_emulated_switch
gridlock_emulated_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
)");
extern "C" void gridlock_emulated_switch(void** from, void* to);

namespace gridlock::emulated {
namespace {

constexpr int kWarp = 32;
constexpr std::size_t kMostThreads = 1024;
constexpr std::size_t kStackWords = 4096;

enum class State { runs, waits_for_warp, waits_for_block, returned };

struct Fiber {
  void* pointer = nullptr;  // into its stack
  State state = State::returned;
  dim3 index;
  float value = 0.0F;  // for the other threads to read
};

[[noreturn]] void give_up(const char* why) {
  std::fprintf(stderr, "emulated grid: %s\n", why);
  std::abort();
}

struct Block {
  dim3 grid, size, index;
  const std::function<void()>* kernel = nullptr;
  std::vector<Fiber> fibers;
  std::vector<std::vector<void*>> stacks;  // kept from launch to launch
  std::size_t current = 0;
  void* scheduler = nullptr;

  Fiber& fiber() { return fibers[current]; }
  void leave(State state) {
    fiber().state = state;
    gridlock_emulated_switch(&fiber().pointer, scheduler);
  }
};

thread_local Block t_block;

void thread_main() {
  (*t_block.kernel)();
  t_block.leave(State::returned);
  std::abort();
}

// Lays out the stack as if thread_main had been called, with six registers of 0 above it.
void start(Fiber& fiber, std::vector<void*>& stack) {
  void** top = stack.data() + kStackWords;
  if (reinterpret_cast<std::uintptr_t>(top) % 16 != 0) --top;
  *--top = nullptr;  // its return address, which also aligns the stack
  *--top = reinterpret_cast<void*>(&thread_main);
  for (int i = 0; i < 6; ++i) *--top = nullptr;
  fiber.pointer = top;
  fiber.state = State::runs;
}

// Lets the threads of a warp or block go on if all of them wait for the same thing. False if the
// whole block has returned.
bool release(std::vector<Fiber>& fibers) {
  bool warps_agree = true;
  bool all_returned = true;
  bool released = false;
  for (auto warp = fibers.begin(); warp != fibers.end(); warp += kWarp) {
    const auto count = [&](State state) {
      return std::count_if(warp, warp + kWarp, [&](const Fiber& f) { return f.state == state; });
    };
    if (count(State::waits_for_warp) == kWarp) {
      std::for_each(warp, warp + kWarp, [](Fiber& f) { f.state = State::runs; });
      released = true;
    } else if (count(State::waits_for_warp) != 0) {
      warps_agree = false;
    }
    all_returned = all_returned && count(State::returned) == kWarp;
  }
  if (all_returned || released) return !all_returned;
  if (!warps_agree) give_up("threads of a warp wait for different things");
  for (Fiber& fiber : fibers) {
    if (fiber.state == State::waits_for_block) fiber.state = State::runs;
  }
  return true;
}

void run_block(Block& block) {
  for (std::size_t i = 0; i < block.fibers.size(); ++i) {
    const auto linear = static_cast<unsigned>(i);
    block.fibers[i].index = dim3(linear % block.size.x, linear / block.size.x, 0);
    start(block.fibers[i], block.stacks[i]);
  }
  do {
    for (block.current = 0; block.current < block.fibers.size(); ++block.current) {
      if (block.fiber().state != State::runs) continue;
      gridlock_emulated_switch(&block.scheduler, block.fiber().pointer);
    }
  } while (release(block.fibers));
}

}  // namespace

const dim3& thread_index() { return t_block.fiber().index; }
const dim3& block_index() { return t_block.index; }
const dim3& block_size() { return t_block.size; }
const dim3& grid_size() { return t_block.grid; }
int lane() { return static_cast<int>(t_block.current) % kWarp; }

void wait_for_block() { t_block.leave(State::waits_for_block); }

bool any_of_block(bool vote) {
  t_block.fiber().value = vote ? 1.0F : 0.0F;
  wait_for_block();
  const bool any = std::any_of(t_block.fibers.begin(), t_block.fibers.end(),
                               [](const Fiber& fiber) { return fiber.value != 0.0F; });
  wait_for_block();  // before another vote
  return any;
}

float value_of_lane(float value, int lane) {
  const std::size_t warp = t_block.current / kWarp * kWarp;
  t_block.fiber().value = value;
  t_block.leave(State::waits_for_warp);
  const bool exists = lane >= 0 && lane < kWarp;
  const float read = exists ? t_block.fibers[warp + static_cast<std::size_t>(lane)].value : value;
  t_block.leave(State::waits_for_warp);  // before another value
  return read;
}

void run(dim3 grid, dim3 block, const std::function<void()>& kernel) {
  const std::size_t threads = std::size_t{block.x} * block.y * block.z;
  if (threads == 0 || threads > kMostThreads || threads % kWarp != 0) give_up("no such block");
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || grid.y > 65535 || grid.z > 65535) {
    give_up("no such grid");
  }
  t_block.grid = grid;
  t_block.size = block;
  t_block.kernel = &kernel;
  t_block.fibers.resize(threads);
  while (t_block.stacks.size() < threads) t_block.stacks.emplace_back(kStackWords);
  for (unsigned z = 0; z < grid.z; ++z) {
    for (unsigned y = 0; y < grid.y; ++y) {
      for (unsigned x = 0; x < grid.x; ++x) {
        t_block.index = dim3(x, y, z);
        run_block(t_block);
      }
    }
  }
}

}  // namespace gridlock::emulated
