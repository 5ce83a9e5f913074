// The reader must survive any bytes. Run it under the address sanitizer too.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>

#include "harness/record/format.h"
#include "harness/record/reader.h"
#include "harness/record/words.h"
#include "harness/record/writer.h"

namespace gridlock::record {
namespace {

// Expects that the read data refers only to data that was also read.
void expect_sane(const Snapshot& snapshot) {
  EXPECT_LE(snapshot.threads.size(), kThreads);
  EXPECT_LE(snapshot.operations.size(), 2 * std::size_t{kOperations});
  for (const Operation& operation : snapshot.operations) {
    if (operation.stream != kNone) {
      EXPECT_LT(operation.stream, snapshot.streams.size());
    }
    if (operation.event_stream != kNone) {
      EXPECT_LT(operation.event_stream, snapshot.streams.size());
    }
    if (operation.thread != kNone) {
      EXPECT_LT(operation.thread, snapshot.threads.size());
    }
    if (operation.communicator != kNone) {
      EXPECT_LT(operation.communicator, snapshot.communicators.size());
    }
    EXPECT_LT(operation.label.view().size(), sizeof(Label));
    EXPECT_NE(to_string(operation.call), "unknown");
  }
  for (const Stream& stream : snapshot.streams) {
    EXPECT_LE(stream.completed, stream.started);
    EXPECT_LE(stream.started, stream.enqueued + 1);
  }
}

std::unique_ptr<Box> sound_box() {
  auto box = std::make_unique<Box>();
  Writer writer(box.get());
  writer.claim(1, 0);
  writer.publish(Header{});
  for (std::uint32_t i = 0; i < 4; ++i) {
    writer.put(i, ThreadEntry{.tid = 1});
    writer.put(i, CommunicatorEntry{.id = 1});
    writer.put(i, StreamEntry{.handle = i});
    writer.put(i, ModuleEntry{});
  }
  for (std::uint32_t i = 0; i < 100; ++i) {
    OperationEntry entry{.call = Call::send,
                         .communicator = i % 4,
                         .stream = i % 4,
                         .event_stream = kNone,
                         .position = i / 4 + 1,
                         .launched = i + 1};
    writer.add(entry, true);
    store_release(box->streams[i % 4].enqueued, i / 4 + 1);
  }
  return box;
}

TEST(Garbage, RandomBytesBehindAGoodHeader) {
  std::mt19937_64 random(1);
  const auto box = std::make_unique<Box>();
  for (int round = 0; round < 50; ++round) {
    auto* words = reinterpret_cast<std::uint64_t*>(box.get());
    for (std::size_t i = 0; i < sizeof(Box) / 8; ++i) words[i] = random();
    box->header.magic = kMagic;
    box->header.version = kVersion;
    box->header.box_size = sizeof(Box);
    if (round % 2 == 0) box->header.operations %= 10000;
    const Snapshot snapshot = read(box.get(), sizeof(Box));
    EXPECT_NE(snapshot.damage, "");
    expect_sane(snapshot);
  }
}

TEST(Garbage, FlippedBits) {
  std::mt19937_64 random(2);
  const auto sound = sound_box();
  ASSERT_EQ(read(sound.get(), sizeof(Box)).damage, "");
  ASSERT_EQ(read(sound.get(), sizeof(Box)).operations.size(), 100U);
  const auto box = std::make_unique<Box>();
  // Most of a box is unused, so aim at the used parts.
  const std::size_t begins[] = {0,
                                offsetof(Box, progress),
                                offsetof(Box, threads),
                                offsetof(Box, communicators),
                                offsetof(Box, streams),
                                offsetof(Box, operations)};
  const std::size_t sizes[] = {sizeof(Header),          64,
                               4 * sizeof(ThreadEntry), 4 * sizeof(CommunicatorEntry),
                               4 * sizeof(StreamEntry), 100 * sizeof(OperationEntry)};
  for (int round = 0; round < 3000; ++round) {
    std::memcpy(box.get(), sound.get(), sizeof(Box));
    for (int flip = 0; flip < 4; ++flip) {
      const std::size_t part = random() % 6;
      reinterpret_cast<unsigned char*>(box.get())[begins[part] + random() % sizes[part]] ^=
          static_cast<unsigned char>(1U << random() % 8);
    }
    expect_sane(read(box.get(), sizeof(Box), random() % 128));
  }
}

TEST(Garbage, EveryLength) {
  const auto sound = sound_box();
  for (std::size_t size = 0; size < sizeof(Box); size += 1 + size / 8) {
    // A copy of exactly that size, so that the address sanitizer notices a read past its end.
    const auto bytes = std::make_unique<std::uint64_t[]>((size + 7) / 8);
    std::memcpy(bytes.get(), sound.get(), size);
    const Snapshot snapshot = read(bytes.get(), size);
    EXPECT_EQ(snapshot.damage.empty(), size == 0);
    EXPECT_TRUE(snapshot.operations.empty());
  }
}

}  // namespace
}  // namespace gridlock::record
