// Two ranks that each send to the other before they receive. Whether that completes depends on how
// much a send can buffer before its receive.
#pragma once

#include <vector>

#include "tests/sim/nccl/ranks.h"

namespace sim_test {

inline int other(const Rank& rank) { return 1 - rank.rank; }

// Requires that it completes with `bytes` bytes.
//   Collective   both ranks
inline void passes_sending_first(const Rank& rank, std::size_t bytes) {
  const Device<char> out(bytes, static_cast<char>('a' + rank.rank));
  const Device<char> in(bytes);
  check(ncclSend(out.data(), bytes, ncclChar, other(rank), rank.comm, rank.stream));
  check(ncclRecv(in.data(), bytes, ncclChar, other(rank), rank.comm, rank.stream));
  rank.synchronize();
  require(in.read() == std::vector<char>(bytes, static_cast<char>('a' + other(rank))),
          "wrong message");
}

// Requires that it never completes. Ends the communicator.
//   Collective   both ranks
inline void hangs_sending_first(Rank& rank, Witness& witness, std::size_t bytes) {
  const Device<char> data(bytes);
  check(ncclSend(data.data(), bytes, ncclChar, other(rank), rank.comm, rank.stream));
  check(ncclRecv(data.data(), bytes, ncclChar, other(rank), rank.comm, rank.stream));
  witness.fifty_rounds();
  require(rank.pending(), "a cycle of large sends completed");
  check(ncclCommAbort(rank.comm));
  rank.synchronize();
  rank.comm = nullptr;
}

}  // namespace sim_test
