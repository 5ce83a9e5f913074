// Builds states of a job by hand: calls of MPI.
#include <algorithm>

#include "tests/harness/detect/states.h"

namespace gridlock::detect::states {

using record::Waits;

World with_mpi(int ranks) {
  World world(ranks);
  for (Rank& rank : world.ranks()) {
    rank.join("mpi", rank.box.rank, ranks);
    rank.box.communicators.back().mpi = true;
  }
  return world;
}

std::uint32_t Rank::mpi_start(Call call, const std::string& label, int peer, int tag) {
  const std::uint32_t stream = stream_;
  const std::uint32_t before = communicator_;
  in("mpi").on(add_stream(true, false, record::kNone));
  box.streams.back().mpi = true;
  const bool any = peer == record::kAnyPeer || tag == record::kAnyTag;
  std::uint64_t number = 0;
  for (const record::Operation& one : box.operations) {
    const bool takes = one.call == Call::mpi_recv || one.call == Call::mpi_got;
    number += (record::sends(call) ? record::sends(one.call) : takes) && one.peer == peer &&
              one.tag == tag && one.communicator == communicator_;
  }
  record::Operation& operation = add(call, label);
  set_communicator(operation);
  operation.datatype = 0;
  operation.peer = peer;
  operation.tag = tag;
  operation.slot = record::is_collective(call) ? communicator().next_slot++ : any ? 0 : number;
  const std::uint32_t made = stream_;
  stream_ = stream;
  communicator_ = before;
  return made;
}

Rank& Rank::mpi(Call call, const std::string& label, int peer, int tag) {
  const std::uint32_t made = mpi_start(call, label, peer, tag);
  wait(call, Waits::stream);
  current_thread().stream = made;
  current_thread().position = 1;
  return *this;
}

Rank& Rank::mpi_wait(const std::vector<std::uint32_t>& all) {
  wait(Call::mpi_waitall, Waits::all_requests);
  current_thread().requests = all;
  return *this;
}

Rank& Rank::mpi_wait_any(const std::vector<std::uint32_t>& any) {
  wait(Call::mpi_waitany, Waits::any_request);
  current_thread().requests = any;
  return *this;
}

Rank& Rank::mpi_done(std::uint32_t call) {
  box.streams[call].completed = 1;
  return *this;
}

Rank& Rank::mpi_got(int peer, int tag) {
  mpi_done(mpi_start(Call::mpi_got, "", peer, tag));
  box.operations.back().stream = record::kNone;
  box.operations.back().position = 0;
  box.streams.back().enqueued = 0;
  box.streams.back().completed = 0;
  return *this;
}

}  // namespace gridlock::detect::states
