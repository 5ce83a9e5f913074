// The first send on a communicator meets the first receive, and so on.
#include "harness/recorder/nccl/own_messages.h"

#include <algorithm>

#include "harness/recorder/nccl/communicate.h"

namespace gridlock::recorder {

void OwnMessages::add(const OwnMessage& message) {
  if (message.communicator != record::kNone && count_ < kMost) messages_[count_++] = message;
}

bool OwnMessages::drop_in_place(Tally* tallies) {
  const auto receives = [](const OwnMessage& one) { return one.call == record::Call::recv; };
  if (std::none_of(messages_, messages_ + count_, receives)) return false;
  bool in_place[kMost] = {};
  std::uint32_t dropped[record::kCommunicators] = {};
  std::uint32_t from[record::kCommunicators] = {};
  for (std::uint32_t i = 0; i < count_; ++i) {
    const OwnMessage& send = messages_[i];
    if (receives(send)) continue;
    std::uint32_t& receive = from[send.communicator];
    const auto is_its = [&](const OwnMessage& one) {
      return receives(one) && one.communicator == send.communicator;
    };
    while (receive < count_ && !is_its(messages_[receive])) ++receive;
    if (receive == count_) continue;
    const std::uint32_t met = receive++;
    if (messages_[met].buffer != send.buffer) continue;
    in_place[i] = in_place[met] = true;
    dropped[send.communicator] += 2;
  }
  bool any = false;
  for (std::uint32_t i = 0; i < count_; ++i) {
    const OwnMessage& message = messages_[i];
    Tally& tally = tallies[message.communicator];
    const std::uint32_t left = tally.collectives + tally.others;
    if (!in_place[i] || dropped[message.communicator] != left) continue;
    --dropped[message.communicator];
    --tally.others;
    any = true;
    take_back(message.index, record::kDropped);
  }
  return any;
}

}  // namespace gridlock::recorder
