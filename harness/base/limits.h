// All limits in time and size that the harness sets, in one place. They nest, and the inner one,
// which understands the problem, fires first:
//   kernel spin bound < stall limit < run limit < test timeout
#pragma once

#include <chrono>
#include <cstddef>

namespace gridlock {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;
using std::chrono_literals::operator""us;
using Duration = std::chrono::nanoseconds;

// No kernel of ours spins for longer than this (kernels/spin.h keeps to it).
constexpr Duration kKernelSpinBound = 500ms;
// A run in which no rank has made progress for this long, and no deadlock is proven, is a stall.
// Time in which a thread of the job was ready to run and the machine had no core for it, or in
// which it waited for the disk, does not count (harness/run/look/silence.h).
constexpr Duration kStallLimit = 1s;
// The same for ranks that share a GPU: they take turns on it, some milliseconds each, and a large
// message takes many turns.
constexpr Duration kSharedGpuStallLimit = 3s;
// The same while a rank does something slow that no record shows. While it initialises, it loads
// its program and its libraries, wakes the device and meets the others. Making another communicator
// takes seconds on GPUs. When a rank ends, the kernel takes seconds on a crowded machine to free
// its memory.
constexpr Duration kInitialisationLimit = 10s;
// A program that is not one of ours may compute for a long time between two calls.
constexpr Duration kWatchStallLimit = 30s;
// A scenario's run ends here whatever happens.
constexpr Duration kRunLimit = 60s;
// tests/CMakeLists.txt gives ctest this one.
constexpr Duration kTestTimeout = 120s;

static_assert(kKernelSpinBound < kStallLimit);
static_assert(kStallLimit < kSharedGpuStallLimit);
static_assert(kSharedGpuStallLimit < kInitialisationLimit);
static_assert(kInitialisationLimit < kRunLimit);
static_assert(kWatchStallLimit < kRunLimit);
static_assert(kRunLimit < kTestTimeout);

// Threads that spin while other work takes nearly all the cores are starved for very long. So
// silence that lasts this many times the stall limit is a stall, however starved the threads were.
constexpr int kMostStarved = 10;
static_assert(kMostStarved * kStallLimit < kRunLimit);
// After this much silence the agent begins to measure starved time; most silences are shorter.
constexpr Duration kQuietBound = 50ms;
static_assert(kQuietBound < kStallLimit);

// How often the agent looks at the boxes, and the share of time that looking may take (1/n), so
// that looking at a thousand ranks does not take their cores.
constexpr Duration kPollInterval = 1ms;
constexpr int kPollShare = 8;
static_assert(kPollInterval < kStallLimit);

// A job that has not moved for this long has come to rest: its threads are looked at in the kernel,
// for no more than this share of the time (1/n).
constexpr Duration kRestBound = 2ms;
constexpr int kThreadLookShare = 50;
static_assert(kPollInterval < kRestBound && kRestBound < kStallLimit);

// A call that, as CUDA documents it, may wait for the device counts as waiting after this long.
constexpr Duration kMayWaitBound = 500ms;
static_assert(kMayWaitBound < kStallLimit);
// After a proven deadlock the ranks that can still act get this long to come to rest, so that the
// same bug gets the same verdict every time. Starved time does not count.
constexpr Duration kSettleBound = 100ms;
static_assert(kPollInterval < kSettleBound);
static_assert(kSettleBound < kStallLimit);
// A job that has stood still for this long is remembered as it stood, in case that it ends its own
// hang. On a crowded machine its ranks come to rest long after each other, and the first one's
// time-out may end the hang soon after the last one has come.
constexpr Duration kStandstillBound = 20ms;
static_assert(kPollInterval < kStandstillBound && kStandstillBound < kSettleBound);
// A proof that rests on an assumption (the verdict names it) must stand unchanged for this long. A
// watchdog thread that was silent so far, or data that a dying rank left behind, may still act.
constexpr Duration kAssumptionBound = 250ms;
static_assert(kSettleBound < kAssumptionBound && kAssumptionBound < kStallLimit);
// The same of a program that we do not know: a thread of it may be late for its first call, or wake
// up to end a hang.
constexpr Duration kWatchAssumptionBound = 5s;
static_assert(kAssumptionBound < kWatchAssumptionBound && kWatchAssumptionBound < kWatchStallLimit);
// A launcher that has lost a rank gets this long to end the others and start all anew.
constexpr Duration kRestartBound = 2s;
static_assert(kAssumptionBound < kRestartBound && kRestartBound < kWatchStallLimit);

// `PROGRAM --describe` prints a page; it makes no CUDA call.
constexpr Duration kDescribeLimit = 5s;
// An NVIDIA driver that has not started after this long hangs. If no process keeps it running, it
// takes 1 to 3 s for each of eight GPUs.
constexpr Duration kGpuLimit = 30s;
static_assert(kGpuLimit < kRunLimit);
// A killed process is gone at once unless the kernel holds it (a wedged driver does that).
constexpr Duration kReapLimit = 10s;
static_assert(kDescribeLimit < kReapLimit && kReapLimit < kRunLimit);

// An agent that is silent for this long is lost. Its guard stays for longer, so that all agents
// have noticed before the launcher ends them because of it.
constexpr Duration kSilenceBound = 1600ms;
constexpr Duration kGuardStay = 1800ms;
static_assert(kSilenceBound < kGuardStay && kGuardStay < kReapLimit);

// The observer check gives an unrecorded job this much more time to end by itself than the recorded
// one took to its verdict.
constexpr Duration kObserverMargin = 1s;
static_assert(kObserverMargin < kRunLimit);

// How long a hung job is kept to measure how busy its GPUs are: the driver itself averages over up
// to a second.
constexpr Duration kUtilisationWatch = 1500ms;
static_assert(kUtilisationWatch < kRunLimit);

// A soak stops ranks for random times between these. They are below the time-outs that scenarios
// set themselves (150 ms and more), because a rank that runs into its own time-out leaves the
// others in a real hang.
constexpr Duration kShortestDelay = 500us;
constexpr Duration kLongestDelay = 100ms;
static_assert(kShortestDelay < kLongestDelay && kLongestDelay < kStallLimit);

// How much is kept of one rank's output: the first and the last half of this many bytes.
constexpr std::size_t kOutputBound = 1 << 20;
// A report is one JSON object.
constexpr std::size_t kReportBound = 1 << 16;
constexpr int kMaxRanks = 4096;
constexpr int kMaxRepetitions = 1'000'000;

}  // namespace gridlock
