// The threads of jobs, and the only place that publishes how they ended.
#include "sim/nccl/members/job.h"

#include <pthread.h>

#include <algorithm>
#include <cstddef>
#include <thread>
#include <utility>

namespace sim::nccl {
namespace {

using Work = std::function<ncclResult_t()>;

// A group's jobs for one communicator.
struct Errand {
  std::shared_ptr<Communicator> owner;
  bool caller_waits = false;
  std::vector<Work> works;
};

std::vector<Errand> by_owner(const std::vector<Job>& jobs) {
  std::vector<Errand> errands;
  for (const Job& job : jobs) {
    const bool waits = job.caller_waits || job.owner->blocking();
    auto errand = std::find_if(errands.begin(), errands.end(), [&](const Errand& other) {
      return other.owner == job.owner && other.caller_waits == waits;
    });
    if (errand == errands.end()) errand = errands.insert(errand, {job.owner, waits, {}});
    errand->works.push_back(job.work);
  }
  return errands;
}

std::thread start(Work work, ncclResult_t* result) {
  return std::thread([work = std::move(work), result] {
    pthread_setname_np(pthread_self(), "sim-init");
    const ncclResult_t ended = work();
    if (result != nullptr) *result = ended;
  });
}

// Runs all at once.
//   Returns  the first error
ncclResult_t together(const std::vector<Work>& works) {
  if (works.size() == 1) return works.front()();
  std::vector<ncclResult_t> results(works.size(), ncclSuccess);
  std::vector<std::thread> threads;
  threads.reserve(works.size());
  for (std::size_t i = 0; i < works.size(); ++i) threads.push_back(start(works[i], &results[i]));
  for (std::thread& thread : threads) thread.join();
  const auto failed = std::find_if(results.begin(), results.end(),
                                   [](ncclResult_t result) { return result != ncclSuccess; });
  return failed != results.end() ? *failed : ncclSuccess;
}

// Publishes the result, exactly once. The program's next call may follow at once, and publishing
// again would overwrite the state that this next call sets.
void settle(Communicator& owner, ncclResult_t result) {
  if (owner.state() == ncclInProgress) owner.set_state(result);
}

ncclResult_t run(const Errand& errand) {
  const ncclResult_t result = together(errand.works);
  settle(*errand.owner, result);
  return result;
}

}  // namespace

ncclResult_t run_jobs(const std::vector<Job>& jobs) {
  for (const Job& job : jobs) {
    if (job.prepare) job.prepare();
  }
  std::vector<Work> waited_for;
  bool others = false;
  for (const Errand& errand : by_owner(jobs)) {
    const Work work = [errand] { return run(errand); };
    if (errand.caller_waits) {
      waited_for.push_back(work);
      continue;
    }
    others = true;
    errand.owner->set_state(ncclInProgress);
    start(work, nullptr).detach();
  }
  const ncclResult_t result = together(waited_for);
  if (result != ncclSuccess) return result;
  return others ? ncclInProgress : ncclSuccess;
}

void give_up(const std::vector<Job>& jobs, ncclResult_t error) {
  for (const Job& job : jobs) settle(*job.owner, error);
}

}  // namespace sim::nccl
