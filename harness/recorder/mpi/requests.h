// MPI's requests: operations that were started and are not over. Requests end in any order, so each
// has its own queue in the table of streams.
#pragma once

#include <cstdint>

#include "harness/recorder/mpi/mpi.h"

namespace gridlock::recorder {

// Which of a call's requests are known, in the box's form (ThreadEntry::requests).
struct Requests {
  std::uint64_t known[record::kRequests / 64] = {};
  bool others = false;  // some are not known
  bool any() const { return (known[0] | known[1]) != 0; }
  Requests without(const Requests& rest) const {
    return {.known = {known[0] & ~rest.known[0], known[1] & ~rest.known[1]}};
  }
};
static_assert(record::kRequests == 128);

// Records the operation that a call is about to start, and returns the number of its request.
// kNone: there is no room, or nothing to record.
std::uint32_t place_request(const MpiCall& what, ThreadState& thread);
// The call has returned: it has started the operation under this handle, or has failed.
void started(std::uint32_t request, ThreadState& thread, std::uint32_t handle, int result);
// The operation is over. `status` as for finish_call.
void finish_request(std::uint32_t request, ThreadState& thread, int result,
                    const mpi::Status* status);

// Finds the requests of `count` handles at `handles`. `note_places`: remembers the place of each,
// to find its status.
Requests find_requests(const std::uint32_t* handles, int count, bool note_places);
// The place of a request among the handles, as find_requests noted it.
int place_of(std::uint32_t request);
bool is_wild(const Requests& requests);
std::uint32_t find_request(std::uint32_t handle);
void mark_uncertain_request(std::uint32_t handle);

template <class Function>
void for_each(const Requests& requests, Function function) {
  for (std::uint32_t word = 0; word < record::kRequests / 64; ++word) {
    for (std::uint64_t left = requests.known[word]; left != 0; left &= left - 1) {
      function(word * 64 + static_cast<std::uint32_t>(__builtin_ctzll(left)));
    }
  }
}

// The thread waits for all the requests, or for one of them.
void enter_wait_for(const Requests& requests, record::Call call, record::Waits waits,
                    ThreadState& thread, const void* frame);
// The thread has tested requests, for the end of all or of any. Those in `left` have not ended.
void note_tested(const Requests& tested, const Requests& left, bool for_all, ThreadState& thread);

}  // namespace gridlock::recorder
