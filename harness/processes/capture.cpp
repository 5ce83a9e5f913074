// Runs a program, and reads its output until a deadline.
#include "harness/processes/capture.h"

#include <poll.h>

#include <algorithm>
#include <chrono>
#include <csignal>

#include "harness/processes/launch.h"
#include "harness/processes/output.h"

namespace gridlock::processes {
namespace {

constexpr std::size_t kAnswerBound = 4U << 20U;

}  // namespace

Captured capture(const std::vector<std::string>& command, Duration limit) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + limit;
  Launch launch;
  launch.command = command;
  launch.join_streams = false;
  const Process process = start(launch);
  Captured captured;
  bool open = true;
  while (open && !captured.timed_out) {
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
    pollfd wait{.fd = process.output.get(), .events = POLLIN, .revents = 0};
    poll(&wait, 1, static_cast<int>(std::max<std::int64_t>(left, 0)));
    open = drain(process.output.get(), captured.output);
    captured.timed_out =
        open && (Clock::now() >= deadline || captured.output.size() > kAnswerBound);
  }
  // The program may have closed its output and still run.
  if (captured.timed_out || !wait_for_end(process.handle, deadline)) {
    captured.timed_out = true;
    kill(-process.pid, SIGKILL);
    wait_for_end(process.handle, Clock::now() + kReapLimit);
  }
  if (const auto ending = reap(process.pid)) captured.ending = *ending;
  return captured;
}

}  // namespace gridlock::processes
