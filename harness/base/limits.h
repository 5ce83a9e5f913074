// All limits in time and size that the harness sets, in one place. They nest. The innermost one
// understands the problem, so it fires first:
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
// A run is a stall if no rank has made progress for this long, and no deadlock is proven. Time in
// which a thread of the job waited for a core or for the disk does not count
// (harness/run/look/silence.h).
constexpr Duration kStallLimit = 1s;
// The same for ranks that share a GPU. They take turns of a few milliseconds on it, and a large
// message takes many turns.
constexpr Duration kSharedGpuStallLimit = 3s;
// The same while a rank does something slow that no record shows. While a rank initialises, it
// loads its program and libraries, wakes the device and meets the others. On GPUs, making another
// communicator takes seconds. When a rank ends on a crowded machine, the kernel takes seconds to
// free its memory.
constexpr Duration kInitialisationLimit = 10s;
constexpr Duration kSimulatedInitialisationLimit = 5s;  // there is no device to wake
// The same on an NCCL that was built from source: a call may load device code that it needs, and
// its hosts connect, which no record shows.
constexpr Duration kSourceStallLimit = 3s;
// The same for ranks on simulated hosts. After a packet is lost, TCP sends it again after about 0.2
// s, 0.6 s, 1.4 s, 3 s, 6.2 s and 13 s, so nothing moves for as long.
constexpr Duration kNetworkStallLimit = 8s;
// A program that is not one of ours may compute for a long time between two calls.
constexpr Duration kWatchStallLimit = 30s;
// A scenario's run always ends after this time.
constexpr Duration kRunLimit = 60s;
// A thread that waits for others with a time limit of at least this length counts as waiting for
// them alone: such a limit is there in case they never come.
constexpr Duration kFarLimit = 60s;
static_assert(kRunLimit <= kFarLimit);
// tests/CMakeLists.txt gives ctest this limit.
constexpr Duration kTestTimeout = 120s;

static_assert(kKernelSpinBound < kStallLimit);
static_assert(kStallLimit < kSharedGpuStallLimit);
static_assert(kSharedGpuStallLimit < kInitialisationLimit);
static_assert(kSourceStallLimit < kSimulatedInitialisationLimit);
static_assert(kInitialisationLimit < kRunLimit && kSourceStallLimit < kRunLimit);
static_assert(kSourceStallLimit < kNetworkStallLimit && kNetworkStallLimit < kRunLimit);
static_assert(kWatchStallLimit < kRunLimit);
static_assert(kRunLimit < kTestTimeout);

// If other work takes nearly all cores, spinning threads starve for very long. So silence of this
// many times the stall limit is a stall, however starved the threads were.
constexpr int kMostStarved = 10;
// The same if ranks on other hosts do not answer, which their kernels would do.
constexpr int kCutOffTimes = 2;
static_assert(kCutOffTimes < kMostStarved);
static_assert(kMostStarved * kStallLimit < kRunLimit);
// After this much silence, or a fourth of a short limit, the agent begins to measure starved time;
// most silences are shorter.
constexpr Duration kQuietBound = 50ms;
static_assert(kQuietBound < kStallLimit);

// How often the agent looks at the boxes, and the share of time (1/n) that looking may take. The
// share keeps a look at a thousand ranks from taking their cores.
constexpr Duration kPollInterval = 500us;
constexpr int kPollShare = 8;
static_assert(kPollInterval < kStallLimit);
// After a look that left a doubt about a thread, the pause in costs of a look: the next may tell.
constexpr int kDoubtShare = 1;
// At a job that has rested for this long it looks less often: most such jobs are computing.
constexpr Duration kLongRest = 1s;
constexpr Duration kRestInterval = 20ms;
static_assert(kPollInterval < kRestInterval && kRestInterval < kLongRest);

// A job that has not moved for this long has come to rest. The agent then looks at its threads in
// the kernel, for at most this share of the time (1/n).
constexpr Duration kRestBound = 2ms;
constexpr int kThreadLookShare = 100;
// Of a job that comes to rest again and again, this share; and what a job may use up at first.
constexpr int kRepeatedLookShare = 10;
constexpr Duration kThreadLookCredit = 50ms;
static_assert(kRepeatedLookShare < kThreadLookShare);
static_assert(kPollInterval < kRestBound && kRestBound < kStallLimit);

// CUDA documents that some calls may wait for the device. Such a call counts as waiting after this
// long.
constexpr Duration kMayWaitBound = 500ms;
static_assert(kMayWaitBound < kStallLimit);
// After a proven deadlock, the ranks that can still act get this long to come to rest. Then the
// same bug gets the same verdict every time. Starved time does not count.
constexpr Duration kSettleBound = 40ms;
static_assert(kPollInterval < kSettleBound);
static_assert(kSettleBound < kStallLimit);
// The same if all of them are inside calls that close a communicator, where they may well stay.
constexpr Duration kClosingBound = 10ms;
static_assert(kPollInterval < kClosingBound && kClosingBound < kSettleBound);
// The state of a job that has stood still for this long is kept, in case the job ends its own hang.
// On a crowded machine its ranks come to rest long after each other, and the first one's time-out
// may end the hang soon after the last one has come.
constexpr Duration kStandstillBound = 20ms;
static_assert(kPollInterval < kStandstillBound && kStandstillBound < kSettleBound);
// A proof that rests on an assumption (the verdict names it) must hold unchanged for this long. A
// watchdog thread that was silent so far, or data that a dying rank left behind, may still act.
constexpr Duration kAssumptionBound = 250ms;
static_assert(kSettleBound < kAssumptionBound && kAssumptionBound < kStallLimit);
// The same for a program that we do not know: one of its threads may make its first call late, or
// wake up to end a hang.
constexpr Duration kWatchAssumptionBound = 5s;
static_assert(kAssumptionBound < kWatchAssumptionBound && kWatchAssumptionBound < kWatchStallLimit);
// A thread that sleeps by the clock before its first call may sleep as often (it tries something
// again and again), unless that takes longer.
constexpr int kSilentSleeps = 3;
constexpr Duration kMostSilentSleeps = 30s;
static_assert(kWatchAssumptionBound < kMostSilentSleeps && kMostSilentSleeps < kFarLimit);
// A launcher that has lost a rank gets this long to end the others and restart all.
constexpr Duration kRestartBound = 2s;
static_assert(kAssumptionBound < kRestartBound && kRestartBound < kWatchStallLimit);

// Processes that are about to end with their job get this long before they count as left running.
constexpr Duration kLeftoverBound = 50ms;
// The limit of `PROGRAM --describe`, which prints a page and makes no CUDA call.
constexpr Duration kDescribeLimit = 5s;
// An NVIDIA driver that has not started after this long hangs. If no process keeps it running,
// starting takes 1 to 3 s for each of eight GPUs.
constexpr Duration kGpuLimit = 30s;
static_assert(kGpuLimit < kRunLimit);
// A killed process is gone at once unless the kernel holds it (a wedged driver does that).
constexpr Duration kReapLimit = 10s;
static_assert(kDescribeLimit < kReapLimit && kReapLimit < kRunLimit);

// An agent that is silent for this long is lost. Its guard stays longer: the launcher may end all
// agents when the guard ends, and by then they have noticed the loss.
constexpr Duration kSilenceBound = 1600ms;
constexpr Duration kGuardStay = 1800ms;
static_assert(kSilenceBound < kGuardStay && kGuardStay < kReapLimit);

// The observer check gives an unrecorded job this much more time to end than the recorded job took
// to its verdict.
constexpr Duration kObserverMargin = 1s;
static_assert(kObserverMargin < kRunLimit);

// How long a hung job is kept to measure how busy its GPUs are. The driver averages over up to a
// second.
constexpr Duration kUtilisationWatch = 1500ms;
static_assert(kUtilisationWatch < kRunLimit);

// A soak stops ranks for random times between these. They are below the scenarios' own time-outs
// (150 ms and more), because a rank that hits its own time-out leaves the others in a real hang.
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
