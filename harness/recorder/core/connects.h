// When a call makes connections, and so may wait for its peers on the host.
#pragma once

#include <cstdint>

#include "harness/record/format.h"

namespace gridlock::recorder {

enum class Connects : std::uint8_t {
  never,         // they are all made when the communicator is
  at_first,      // at a communicator's first collective: the simulation, when it is told to
  at_each_kind,  // NCCL: which ones depends on the algorithm, and that on the call and its size
};

// Of this process; found out once. NCCL_RUNTIME_CONNECT=0 turns it off in NCCL, but not for
// messages: a pair of ranks connects at its first message in each direction. All-to-all, gather and
// scatter are made of messages there.
//
// at_each_kind says what may be, not what is: another kind of call may use connections that exist,
// and a device without virtual memory calls connects at init. Whether a call of NCCL waits is known
// from its length alone (see detect's may_only).
//   Source  NCCL 2.28, src/init.cc (runtimeConn), src/enqueue.cc (initAlgoChannels, p2pTaskAppend),
//           src/transport.cc (ncclTransportP2pSetup)
Connects connects(record::Call call);

}  // namespace gridlock::recorder
