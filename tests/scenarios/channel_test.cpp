// Channels: exact sums, nonblocking communicators, splits, and pairs in either order.
#include "scenarios/runtime/channel.h"

#include <gtest/gtest.h>

#include <future>
#include <nlohmann/json.hpp>

#include "scenarios/runtime/channel_pair.h"
#include "tests/scenarios/ranks.h"

namespace gridlock {
namespace {

using testing::run_ranks;

std::string numbers(Rank& rank) {
  return nlohmann::json::parse(rank.report().json("completed", ""))["numbers"];
}

TEST(Channel, AddsUp) {
  run_ranks(3, [](Rank& rank) {
    const Channel channel = open_channel(rank, "world");
    for (int step = 0; step < 3; ++step) train_step(rank, channel, step);
    all_reduce(channel, "gradients", 2);
    EXPECT_EQ(read(rank, channel), 6);
    EXPECT_EQ(numbers(rank), "right");
    close_communicator(channel.communicator);
  });
}

TEST(Channel, SeesAWrongSum) {
  run_ranks(2, [](Rank& rank) {
    const Channel channel = open_channel(rank, "world");
    all_reduce(channel, "gradients", 7);
    check_sum(rank, channel, 0);
    EXPECT_EQ(numbers(rank), "wrong");
    close_communicator(channel.communicator);
  });
}

TEST(Channel, WorksOnACommunicatorThatDoesNotBlock) {
  run_ranks(2, [](Rank& rank) {
    const ncclComm_t world = open_communicator(rank, "world", false);
    const Channel channel = open_channel(world, rank.stream());
    train_step(rank, channel, 1);
    EXPECT_EQ(numbers(rank), "right");
    check_or_await(ncclCommFinalize(world), world);
    check(ncclCommDestroy(world));
  });
}

TEST(Channel, OfASplitHasItsMembersOnly) {
  run_ranks(3, [](Rank& rank) {
    const ncclComm_t world = open_communicator(rank, "world");
    const bool out = rank.is_last();
    const ncclComm_t pair = split_communicator(world, out ? NCCL_SPLIT_NOCOLOR : 0, "pair");
    EXPECT_EQ(pair == nullptr, out);
    if (!out) {
      const Channel channel = open_channel(pair, rank.stream());
      all_reduce(channel, "gradients", 1);
      EXPECT_EQ(read(rank, channel), 2);
      close_communicator(pair);
    }
    close_communicator(world);
  });
}

TEST(ChannelPair, IsIndifferentToOrderOnTwoStreams) {
  run_ranks(4, [](Rank& rank) {
    const ChannelPair pair(rank);
    for (int step = 0; step < 3; ++step) {
      const bool swap = rank.rank() % 2 == 1;
      int between = 0;
      pair.reduce_both(step, swap, [&](const Channel& earlier) {
        EXPECT_EQ(&earlier, swap ? &pair.second : &pair.first);
        ++between;
      });
      EXPECT_EQ(between, 1);
      pair.finish(step);
    }
    EXPECT_EQ(numbers(rank), "right");
    pair.close();
  });
}

// The later stream begins only after a host function in which the earlier one waits.
TEST(ChannelPair, ChainsTheLaterStreamToTheEarlierOne) {
  run_ranks(1, [](Rank& rank) {
    const ChannelPair pair(rank);
    std::promise<void> opened;
    check(cudaLaunchHostFunc(
        pair.first.stream,
        [](void* gate) { static_cast<std::promise<void>*>(gate)->get_future().wait(); }, &opened));
    pair.chain(pair.first);
    EXPECT_EQ(cudaStreamQuery(pair.second.stream), cudaErrorNotReady);
    opened.set_value();
    check(cudaStreamSynchronize(pair.second.stream));
    EXPECT_EQ(cudaStreamQuery(pair.first.stream), cudaSuccess);
    pair.close();
  });
}

TEST(Channel, RunsStepsOnTwoChannelsInOrder) {
  run_ranks(3, [](Rank& rank) {
    const Channel one = open_channel(rank, "one", rank.stream());
    const Channel other = open_channel(rank, "other", rank.stream());
    run_steps(rank, 3, one, "one/all_reduce", other, "other/all_reduce");
    EXPECT_EQ(numbers(rank), "right");
    close_communicator(one.communicator);
    close_communicator(other.communicator);
  });
}

}  // namespace
}  // namespace gridlock
