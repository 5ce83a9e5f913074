// When a call makes connections, and so may wait for its peers on the host.
#pragma once

#include <cstdint>

#include "harness/record/format.h"

namespace gridlock::recorder {

enum class Connects : std::uint8_t {
  never,         // all connections are made with the communicator
  at_first,      // at a communicator's first collective: the simulation, if told to
  at_each_kind,  // NCCL: depends on the algorithm, and so on the call and its size
};

// For this process; determined once. NCCL_RUNTIME_CONNECT=0 turns it off in NCCL, but not for
// messages: a pair of ranks connects at its first message in each direction. NCCL makes all-to-all,
// gather and scatter of messages.
//
// at_each_kind says that a call may connect, not that it does: another kind of call may use
// existing connections, and a device without virtual memory calls connects at init. Only its
// duration tells whether an NCCL call waits (see detect's may_only).
//   Source  NCCL 2.28, src/init.cc (runtimeConn), src/enqueue.cc (initAlgoChannels, p2pTaskAppend),
//           src/transport.cc (ncclTransportP2pSetup)
Connects connects(record::Call call);

}  // namespace gridlock::recorder
