// The ranks that this agent starts: their boxes, their processes, and looks at them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "harness/catalogue/installation.h"
#include "harness/record/snapshot.h"
#include "harness/run/job.h"
#include "harness/run/look/kernel/kernel_waits.h"
#include "harness/run/look/owners.h"
#include "harness/run/start/boxes.h"
#include "harness/run/start/ranks.h"

namespace gridlock::run {

// CLOCK_MONOTONIC, the clock of the boxes.
std::int64_t now_ns();
// How long the calling thread has had a core.
Duration own_work();

// How closely ranks are looked at.
enum class Depth : std::uint8_t {
  boxes,    // the boxes, and who has ended
  again,    // the same; what the kernel said at the look before stands
  threads,  // also what the kernel knows of the threads; a first look, which proves nothing
  kernel,   // and whether processes outside the job hold the ends of its pipes and sockets
  network,  // also what the ranks have sent to other hosts in vain
};

class OwnRanks {
 public:
  // Starts them.
  //   REQUIRES  the job has a master port
  //   Errors    MachineError when a process cannot be started
  OwnRanks(const Job& job, const catalogue::Installation& installation);

  Ranks& processes() { return processes_; }
  const Ranks& processes() const { return processes_; }
  const std::shared_ptr<Boxes>& boxes() const { return boxes_; }

  // For a rank: the first operation wanted, besides those in flight.
  using NextIndex = std::function<std::uint64_t(int rank)>;
  // Takes a snapshot of each rank.
  void look(std::span<record::Snapshot> snapshots, const NextIndex& next_index, Depth depth);
  // Reads the modules too, so that callers can be named.
  void read_modules(std::span<record::Snapshot> snapshots);
  // Whether another look at the threads may soon show that one is in its recorded wait.
  bool is_in_doubt() const { return known_.waits.spins(); }
  // How each process has ended, and what it has reported so far.
  std::vector<RankEnd> ends() const;

 private:
  void add_process(record::Snapshot& snapshot, std::size_t index);
  // Notes that `launcher` may end the others, or restart all, because the rank is gone.
  void heed_launcher(record::Snapshot& gone, std::size_t index, record::ProcessKey launcher);
  // A process of the rank that lives on after the one that had claimed its box; 0: there is none.
  pid_t heir_of(std::size_t index, std::uint64_t claim);
  // Whether the owner of the box executes another program by now than when it claimed the box.
  bool was_replaced(const record::Snapshot& snapshot, std::size_t index, Depth depth);

  bool by_program_;      // a user's program, or mpiexec, starts them
  bool restarts_;        // that one may start them again, or end them
  std::string command_;  // the program of each rank
  Remembered known_;
  int world_size_;
  Share own_;
  bool spread_;  // the job is on several hosts
  Owners owners_;
  std::shared_ptr<Boxes> boxes_;
  Ranks processes_;
};

}  // namespace gridlock::run
