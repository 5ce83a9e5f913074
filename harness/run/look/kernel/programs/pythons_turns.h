// Threads that wait for Python's lock, and are awake for a moment every few milliseconds.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <unordered_map>

#include "harness/record/sleep.h"
#include "harness/run/look/kernel/programs/pythons_lock.h"

namespace gridlock::run {

class PythonsTurns {
 public:
  // How a thread sleeps that was found so, at the futex `word` if at any. If it runs, waited for
  // Python's lock when it was last seen, and `lock_at` that word says that it has not had it since,
  // it counts as it did then.
  record::Sleep look(std::int64_t tid, record::Sleep sleep, std::uint64_t word,
                     const std::function<std::optional<PythonsLock>(std::uint64_t)>& lock_at);

 private:
  struct Turn {
    std::uint64_t word = 0;
    record::Sleep sleep;
  };
  std::unordered_map<std::int64_t, Turn> turns_;  // by thread
};

}  // namespace gridlock::run
