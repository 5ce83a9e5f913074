// Stands for CUDA's compiler, which compiles a kernel's parts in threads (split compilation): they
// compute and get memory for 2.5 s, and the caller waits for them.
#include <chrono>
#include <cstdlib>
#include <thread>
#include <vector>

static void work() {
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(2500);
  while (std::chrono::steady_clock::now() < end) {
    constexpr std::size_t kBytes = std::size_t{1} << 20;
    auto* memory = static_cast<volatile char*>(std::malloc(kBytes));
    for (std::size_t i = 0; i < kBytes; i += 4096) memory[i] = 1;
    std::free(const_cast<char*>(memory));
    std::this_thread::sleep_for(std::chrono::microseconds(500));
  }
}

extern "C" void compile_in_threads() {
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) threads.emplace_back(work);
  for (std::thread& thread : threads) thread.join();
}
