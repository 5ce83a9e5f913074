// A real Slurm on the hosts of a field: munge and slurmctld on host 0, a slurmd on each.
#pragma once

#include <list>
#include <string>

#include "tests/nodes/job.h"

namespace gridlock::nodes {

class Slurm {
 public:
  // Starts the daemons and waits until all hosts are idle. The daemons' files are in the world's
  // own /run. The daemons end with this object.
  //   Throws   std::runtime_error with the daemons' output if they do not start
  explicit Slurm(const Field& field);
  Slurm(const Slurm&) = delete;
  Slurm& operator=(const Slurm&) = delete;

  // `srun` for one process on each host; to be started on host 0 with environment().
  Command over_hosts(const Command& command) const;
  static Environment environment();

 private:
  void write_settings() const;

  const Field& field_;
  std::list<Job> daemons_;
};

// "" or why Slurm cannot be used here.
std::string why_no_slurm();

}  // namespace gridlock::nodes
