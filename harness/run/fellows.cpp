// A single agent needs no agreement with others.
#include "harness/run/fellows.h"

#include "harness/base/port.h"

namespace gridlock::run {

Job begun(Job job, Fellows* fellows) {
  if (fellows != nullptr) {
    fellows->start(job);
    return job;
  }
  divide(job.ranks, job.split, {"here"});  // refuses a split, which is for several agents
  if (job.master_port == 0) job.master_port = free_ports(1).front();
  return job;
}

}  // namespace gridlock::run
