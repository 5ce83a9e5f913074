// Gives each rank a snapshot of its own thread and of its device's work.
#include "tests/fuzz/live/split.h"

#include <csignal>
#include <map>

namespace gridlock::fuzz {
namespace {

using record::kNone;
using record::Snapshot;

// The new indices of one table's entries; `kNone` for entries of another rank.
using Moved = std::vector<std::uint32_t>;

template <class Thing, class Belongs>
Moved take(const std::vector<Thing>& all, std::vector<Thing>& own, Belongs belongs) {
  Moved moved(all.size(), kNone);
  for (std::size_t index = 0; index < all.size(); ++index) {
    if (!belongs(all[index])) continue;
    moved[index] = static_cast<std::uint32_t>(own.size());
    own.push_back(all[index]);
  }
  return moved;
}

void follow(std::uint32_t& index, const Moved& moved) {
  index = index < moved.size() ? moved[index] : kNone;
}

}  // namespace

std::vector<Snapshot> split(const Snapshot& box, const std::vector<RankThread>& ranks) {
  std::vector<Snapshot> all;
  for (std::size_t number = 0; number < ranks.size(); ++number) {
    const RankThread& mine = ranks[number];
    const auto on_device = [&](const auto& thing) { return thing.device == number; };
    Snapshot& rank = all.emplace_back();
    rank.rank = static_cast<std::int32_t>(number);
    rank.world_size = static_cast<std::int32_t>(ranks.size());
    rank.pid = box.pid;
    rank.host = box.host;
    rank.backend = box.backend;
    rank.nccl_version = box.nccl_version;
    rank.initialised_ns = box.initialised_ns;
    rank.last_change_ns = box.last_change_ns;
    rank.overrun = box.overrun;
    rank.damage = box.damage;
    const Moved threads = take(box.threads, rank.threads, [&](const record::Thread& thread) {
      return thread.exists && thread.tid == mine.tid && !mine.returned;
    });
    const Moved communicators = take(box.communicators, rank.communicators, on_device);
    const Moved streams = take(box.streams, rank.streams, on_device);
    std::map<std::uint64_t, std::uint64_t>
        numbers;  // an operation's index here, by its index in the box
    for (const record::Operation& operation : box.operations) {
      if (operation.stream >= streams.size() || streams[operation.stream] == kNone) continue;
      record::Operation& own = rank.operations.emplace_back(operation);
      numbers[operation.index] = rank.recorded;
      if (own.leader != 0) own.leader = numbers.at(operation.leader - 1) + 1;
      own.index = rank.recorded++;  // a rank's calls are those of its thread, so without gaps
      follow(own.stream, streams);
      follow(own.event_stream, streams);
      follow(own.communicator, communicators);
      follow(own.thread, threads);
    }
    for (record::Thread& thread : rank.threads) {
      follow(thread.stream, streams);
      follow(thread.communicator, communicators);
    }
    if (rank.threads.empty() && !mine.returned) {
      record::Thread& unknown = rank.threads.emplace_back();
      unknown.tid = mine.tid;
      unknown.device = static_cast<std::uint32_t>(number);
    }
    if (mine.returned) {
      rank.process = mine.crashed ? record::ProcessState::signaled : record::ProcessState::exited;
      rank.exit_code = mine.crashed ? SIGKILL : 0;
    }
  }
  return all;
}

}  // namespace gridlock::fuzz
