// A thread stops and continues processes by process descriptor.
#include "harness/run/look/delays.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <csignal>
#include <mutex>
#include <random>
#include <vector>

#include "harness/base/file_descriptor.h"
#include "harness/processes/process_tree.h"

namespace gridlock::run {
namespace {

using Clock = std::chrono::steady_clock;
using Random = std::mt19937_64;

// Uniform in the logarithm, so that all orders of magnitude are equally likely.
Duration random_delay(Random& random) {
  const double least = std::log(static_cast<double>(kShortestDelay.count()));
  const double most = std::log(static_cast<double>(kLongestDelay.count()));
  return Duration(static_cast<std::int64_t>(
      std::exp(std::uniform_real_distribution<double>(least, most)(random))));
}

// A random process below this one. The descriptor cannot mean a later process with the same pid.
FileDescriptor random_descendant(Random& random) {
  const std::vector<pid_t> all = processes::descendants(getpid());
  if (all.empty()) return {};
  const pid_t pid = all[std::uniform_int_distribution<std::size_t>(0, all.size() - 1)(random)];
  FileDescriptor process(static_cast<int>(syscall(SYS_pidfd_open, pid, 0)));
  // Another process may have got the pid before it was opened.
  const std::vector<pid_t> now = processes::descendants(getpid());
  const bool is_ours = std::find(now.begin(), now.end(), pid) != now.end();
  return is_ours ? std::move(process) : FileDescriptor();
}

bool send_signal(const FileDescriptor& process, int signal) {
  return syscall(SYS_pidfd_send_signal, process.get(), signal, nullptr, 0) == 0;
}

// Sleeps for `time`, but returns at once if `over` asks to stop.
void rest(Duration time, const std::stop_token& over) {
  std::mutex nobody_else_has;
  std::unique_lock lock(nobody_else_has);
  std::condition_variable_any().wait_for(lock, over, time, [] { return false; });
}

}  // namespace

Delays::Delays(std::uint64_t seed, int agents)
    : thread_([this, seed, agents](const std::stop_token& over) { run(over, seed, agents); }) {}

Delays::~Delays() = default;

void Delays::run(const std::stop_token& over, std::uint64_t seed, int agents) {
  Random random(seed);
  while (!over.stop_requested()) {
    Duration delay = random_delay(random);
    const FileDescriptor process = random_descendant(random);
    if (process.is_open() && send_signal(process, SIGSTOP)) {
      const auto began = Clock::now();
      std::this_thread::sleep_for(delay);
      send_signal(process, SIGCONT);
      // On a crowded machine this thread wakes late.
      delay = Clock::now() - began;
      ++count_;
      total_ns_ += delay.count();
    }
    rest((2 * agents - 1) * delay, over);
  }
}

}  // namespace gridlock::run
