// Copies the members that kernel_view.cpp and kernel_waits.cpp fill.
#include "harness/run/look/kernel/earlier_word.h"

#include <utility>

namespace gridlock::run {
namespace {

void take_over(record::Thread& now, record::Thread&& before) {
  // It was not in its recorded wait.
  if (before.waits == record::Waits::nothing) now.waits = record::Waits::nothing;
  now.exists = before.exists;
  now.name = std::move(before.name);
  now.state = before.state;
  now.syscall = std::move(before.syscall);
  now.wait_channel = std::move(before.wait_channel);
  now.sleep = std::move(before.sleep);
  now.in_launch = std::move(before.in_launch);
}

}  // namespace

void take_over_kernels_word(record::Snapshot& now, record::Snapshot&& before) {
  const bool is_same = now.pid == before.pid && now.claim == before.claim &&
                       now.process == record::ProcessState::alive &&
                       before.process == record::ProcessState::alive;
  if (is_same) {
    for (std::size_t i = 0; i < std::min(now.threads.size(), before.threads.size()); ++i) {
      record::Thread& thread = now.threads[i];
      record::Thread& earlier = before.threads[i];
      const bool has_stayed = thread.tid == earlier.tid && thread.epoch == earlier.epoch;
      if (has_stayed) take_over(thread, std::move(earlier));
    }
    now.first_thread = std::move(before.first_thread);
    now.is_ending = before.is_ending;
    now.other_threads = before.other_threads;
    now.key = before.key;
    now.signals = before.signals;
    now.handles_outer_signal = before.handles_outer_signal;
    now.processor_time_ns = before.processor_time_ns;
    now.enders = std::move(before.enders);
    now.launchers = std::move(before.launchers);
  }
  // Those of all ranks may stand in one snapshot, also once its own rank is gone.
  now.others = std::move(before.others);
  now.connections = std::move(before.connections);
}

}  // namespace gridlock::run
