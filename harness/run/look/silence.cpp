// The rule of silence.
#include "harness/run/look/silence.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/base/text.h"

namespace gridlock::run {
namespace {

std::int64_t milliseconds(Duration duration) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

}  // namespace

bool is_initialising(const record::Snapshot& snapshot) {
  using record::Call;
  if (snapshot.process != record::ProcessState::alive) return false;
  const auto makes_one = [](const record::Thread& thread) {
    return thread.exists && (thread.call == Call::comm_init || thread.call == Call::comm_split ||
                             thread.call == Call::comm_shrink);
  };
  const auto is_made = [](const record::Communicator& communicator) {
    return !communicator.mpi && communicator.state == record::CommunicatorState::initialising;
  };
  return snapshot.initialised_ns == 0 || std::ranges::any_of(snapshot.threads, makes_one) ||
         std::ranges::any_of(snapshot.communicators, is_made);
}

Duration silence_limit(bool under_way, Duration stall_limit, bool on_gpus) {
  if (under_way) return stall_limit;
  const Duration limit = on_gpus ? kInitialisationLimit : kSimulatedInitialisationLimit;
  return std::max(stall_limit, std::min(limit / kStallLimit * stall_limit, limit));
}

bool is_over(const Silence& silence, Duration limit) {
  return idle(silence) > limit || silence.wall > kMostStarved * limit;
}

int ranks_of_job(std::span<const record::Snapshot> snapshots) {
  int ranks = 0;
  for (const record::Snapshot& one : snapshots) ranks = std::max(ranks, one.world_size);
  return ranks;
}

std::string sentence(const Silence& silence, const Circumstances& circumstances) {
  const auto& [initialising, ending, no_rank_is_left, watched, of_job] = circumstances;
  std::string text = fmt::format("No rank has made progress for {} ms", milliseconds(silence.wall));
  if (silence.starved > kQuietBound) {
    text += fmt::format(
        " (for up to {} ms of which one was ready to run and got no core, or waited for the disk)",
        milliseconds(std::min(silence.starved, silence.wall)));
  }
  if (!initialising.empty()) {
    text += fmt::format("; {} {} not past initialisation", ranks_text(initialising),
                        initialising.size() == 1 ? "is" : "are");
  }
  if (!ending.empty()) {
    text += fmt::format("; the kernel has not finished ending {}", ranks_text(ending));
  }
  if (no_rank_is_left) text += "; all ranks have ended, and what started them has not";
  text += ".";
  if (of_job > watched) {
    text += fmt::format(
        " The job has {} ranks (WORLD_SIZE), and of these only {} {} watched: to watch all, if "
        "they run here, give -n {}.",
        of_job, watched, watched == 1 ? "is" : "are", of_job);
  }
  return text;
}

}  // namespace gridlock::run
