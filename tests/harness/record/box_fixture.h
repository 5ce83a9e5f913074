// A box with a rank, a thread, a communicator and a stream in it.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "harness/record/format.h"
#include "harness/record/reader.h"
#include "harness/record/words.h"
#include "harness/record/writer.h"

namespace gridlock::record {

class BoxTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(writer_.claim(42, 0));
    Header header{};
    header.rank = 3;
    header.world_size = 8;
    Text<64>("node7").view().copy(header.host, sizeof header.host);
    Text<8>("sim").view().copy(header.backend, sizeof header.backend);
    writer_.publish(header);
    writer_.put(0, ThreadEntry{.tid = 77, .call = Call::none, .waits = Waits::nothing});
    writer_.put(0, CommunicatorEntry{.id = 5,
                                     .calls = 1,
                                     .size = 8,
                                     .rank = 3,
                                     .state = CommunicatorState::ready,
                                     .last_call = Call::comm_init,
                                     .name = Text<56>("dp")});
    writer_.put(0, StreamEntry{.handle = 0x10, .device = 1, .non_blocking = 1});
  }

  // Adds one all-reduce on stream 0, and marks `position` as handed to the device.
  std::uint64_t add(std::uint64_t position) {
    OperationEntry entry{.time_ns = 1000 + static_cast<std::int64_t>(position),
                         .call = Call::all_reduce,
                         .peer = -1,
                         .communicator = 0,
                         .stream = 0,
                         .thread = 0,
                         .event_stream = kNone,
                         .count = 16,
                         .label = Label("bucket"),
                         .slot = position - 1,
                         .position = position,
                         .launched = position};
    const std::uint64_t index = writer_.add(entry, true);
    store_release(box_->streams[0].enqueued, position);
    return index;
  }
  void progress(std::uint32_t started, std::uint32_t completed) {
    box_->progress[0] = {.started = started, .completed = completed};
  }
  Snapshot look(std::uint64_t since = 0) { return read(box_.get(), sizeof(Box), since); }

  std::unique_ptr<Box> box_ = std::make_unique<Box>();
  Writer writer_{box_.get()};
};

}  // namespace gridlock::record
