// How much the machine kept a job's threads from running, because others had the cores or the disk
// was slow. Read from the kernel.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <unordered_map>

#include "harness/base/limits.h"
#include "harness/record/snapshot.h"
#include "harness/run/look/silence.h"

namespace gridlock::run {

// One thread's figures since it began. Zero if the kernel does not give them.
struct Hindrance {
  Duration on_core{};
  Duration in_queue{};         // ready to run while others had the cores, until it last got one
  std::uint64_t page_ins = 0;  // pages of its memory that it waited for the disk to bring
  bool ready = false;          // on a core, or in the queue for one, now
  bool held = false;           // in uninterruptible sleep now, usually for a disk
  bool helper = false;         // of a process below a rank, such as a compiler or a loader
};
// By thread id, with the thread's agent in the upper 32 bits.
using Hindrances = std::unordered_map<std::int64_t, Hindrance>;

// All threads of the living processes and of those below them: the program's and its libraries'.
//   Blocks   no; six system calls per thread
Hindrances hindrances(std::span<const record::Snapshot> snapshots);

// How long all threads, added up, queued for a core between the two looks, which are `between`
// apart. Threads that had a core for at least `enough` of that time do not count: they spin, and
// had their chance. A thread that is younger than `before` counts from its beginning.
Duration time_in_queue(const Hindrances& before, const Hindrances& after, Duration between,
                       Duration enough);
// Whether one of them waited for the disk in that time. The kernel does not tell for how long.
bool waited_for_disk(const Hindrances& before, const Hindrances& after);
// Whether helpers worked for a good part of that time, or one has just begun. A rank may have
// waited for them.
bool helpers_worked(const Hindrances& before, const Hindrances& after, Duration between);

// Measures silences, with as few looks at the threads as the limit allows.
class SilenceMeter {
 public:
  // The silence that began at `since_ns`, up to now. A different `since_ns` means a new silence.
  // `look` looks at the threads. If the first call comes late, the caller was starved, and perhaps
  // the ranks too; so little of the time before the first look counts.
  Silence measure(std::int64_t since_ns, std::int64_t now_ns, Duration limit,
                  const std::function<Hindrances()>& look);
  // How long after that measure the next one is due. A later one counts little of the time before.
  Duration left(const Silence& measured, Duration limit) const;

 private:
  std::int64_t since_ns_ = -1;
  bool has_begun_ = false;
  Hindrances before_;
  Duration before_at_{};     // the silence then
  Duration starved_{};       // total
  Duration until_before_{};  // up to the look `before_`
};

}  // namespace gridlock::run
