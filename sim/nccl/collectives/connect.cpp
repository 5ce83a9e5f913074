// Announces and waits. Both remember which peers are already connected.
#include "sim/nccl/collectives/connect.h"

#include <cstdlib>
#include <string_view>

namespace sim::nccl {

bool lazy_connect() {
  static const bool wanted = [] {
    const char* text = std::getenv("GRIDLOCK_SIM_LAZY_CONNECT");
    return text != nullptr && std::string_view(text) == "1";
  }();
  return wanted;
}

void announce(Communicator& c, const std::vector<Call>& calls) {
  Segment& segment = c.segment();
  bool changed = false;
  for (const Call& call : calls) {
    if (call.message) {
      Channel& channel =
          call.sends ? segment.channel(c.rank(), call.root) : segment.channel(call.root, c.rank());
      auto& came = call.sends ? channel.sender_came : channel.receiver_came;
      changed = came.exchange(1) == 0 || changed;
    } else if (c.self().connected.exchange(1) == 0) {
      segment.header().connected.fetch_add(1);
      changed = true;
    }
  }
  if (changed) segment.ring_host();
}

ncclResult_t meet(Communicator& c, const std::vector<Call>& calls) {
  Segment& segment = c.segment();
  for (const Call& call : calls) {
    const auto ready = [&] {
      if (!call.message) {
        return segment.header().connected.load() == static_cast<std::uint32_t>(c.ranks());
      }
      return call.sends ? segment.channel(c.rank(), call.root).receiver_came.load() != 0
                        : segment.channel(call.root, c.rank()).sender_came.load() != 0;
    };
    if (ready()) continue;
    if (const ncclResult_t met = c.wait_on_host(ready, true); met != ncclSuccess) return met;
  }
  return ncclSuccess;
}

}  // namespace sim::nccl
