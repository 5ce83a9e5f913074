// Snapshots from one agent to another: whole, in parts, and damaged.
#include "harness/agents/delta.h"

#include <gtest/gtest.h>

#include <random>

#include "tests/harness/agents/snapshots.h"

namespace gridlock::agents {
namespace {

using record::Snapshot;

std::vector<Snapshot> eight_ranks() {
  std::vector<Snapshot> snapshots(8);
  for (int rank = 0; rank < 8; ++rank) {
    snapshots[static_cast<std::size_t>(rank)] = full_snapshot(rank);
  }
  return snapshots;
}

std::string written(DeltaWriter& delta, const std::vector<Snapshot>& snapshots) {
  Writer writer;
  delta.write(snapshots, writer);
  return writer.take();
}

void read(const std::string& bytes, std::vector<Snapshot>& into, std::int64_t offset = 0) {
  Reader reader(bytes, offset);
  read_delta(reader, into);
  reader.end();
}

TEST(Delta, CarriesEveryField) {
  const std::vector<Snapshot> sent = eight_ranks();
  DeltaWriter delta(sent.size());
  std::vector<Snapshot> got(sent.size());
  read(written(delta, sent), got);
  for (std::size_t i = 0; i < sent.size(); ++i) EXPECT_EQ(bytes_of(got[i]), bytes_of(sent[i]));
  EXPECT_EQ(got[3].threads[1].syscall, sent[3].threads[1].syscall);
  EXPECT_EQ(got[3].operations[0].label, sent[3].operations[0].label);
  EXPECT_EQ(got[3].operations[1].peer, sent[3].operations[1].peer);
}

TEST(Delta, IsAByteARankWhereNothingChanged) {
  const std::vector<Snapshot> sent = eight_ranks();
  DeltaWriter delta(sent.size());
  std::vector<Snapshot> got(sent.size());
  read(written(delta, sent), got);
  const std::string second = written(delta, sent);
  EXPECT_EQ(second.size(), sent.size());
  read(second, got);
  EXPECT_EQ(bytes_of(got[7]), bytes_of(sent[7]));
}

TEST(Delta, CarriesOnlyWhatChanged) {
  std::vector<Snapshot> sent = eight_ranks();
  DeltaWriter delta(sent.size());
  std::vector<Snapshot> got(sent.size());
  const std::size_t whole = written(delta, sent).size();
  DeltaWriter again(sent.size());
  read(written(again, sent), got);
  sent[2].streams[0].completed = 77;
  sent[5].operations.pop_back();
  const std::string part = written(again, sent);
  EXPECT_LT(part.size(), whole / 4);
  read(part, got);
  EXPECT_EQ(got[2].streams[0].completed, 77U);
  EXPECT_EQ(got[5].operations.size(), 1U);
  for (std::size_t i = 0; i < sent.size(); ++i) EXPECT_EQ(bytes_of(got[i]), bytes_of(sent[i]));
}

TEST(Delta, BringsTimesToTheReadersClock) {
  std::vector<Snapshot> sent = eight_ranks();
  sent[0].initialised_ns = 0;  // not yet: no time
  DeltaWriter delta(sent.size());
  std::vector<Snapshot> got(sent.size());
  read(written(delta, sent), got, -500);
  EXPECT_EQ(got[0].initialised_ns, 0);
  EXPECT_EQ(got[0].last_change_ns, sent[0].last_change_ns - 500);
  EXPECT_EQ(got[1].operations[1].time_ns, sent[1].operations[1].time_ns - 500);
  EXPECT_EQ(got[1].threads[0].since_ns, sent[1].threads[0].since_ns - 500);
  // A better measurement of the clock shifts the times that are there already, and nothing else.
  for (Snapshot& snapshot : got) shift_times(snapshot, 500);
  for (std::size_t i = 0; i < sent.size(); ++i) EXPECT_EQ(bytes_of(got[i]), bytes_of(sent[i]));
}

TEST(Delta, RefusesReferencesToNothing) {
  std::vector<Snapshot> sent{full_snapshot(0)};
  sent[0].operations[1].communicator = 2;
  DeltaWriter delta(1);
  std::vector<Snapshot> got(1);
  EXPECT_THROW(read(written(delta, sent), got), WireError);
  // A snapshot of the wrong rank.
  DeltaWriter other(1);
  got[0] = full_snapshot(4);
  EXPECT_THROW(read(written(other, {full_snapshot(0)}), got), WireError);
}

TEST(Delta, RefusesEveryBeginningOfAMessage) {
  DeltaWriter delta(1);
  const std::string bytes = written(delta, {full_snapshot(0)});
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    std::vector<Snapshot> got(1);
    EXPECT_THROW(read(bytes.substr(0, size), got), WireError) << size;
  }
  std::vector<Snapshot> got(1);
  EXPECT_THROW(read(bytes + '\0', got), WireError);
}

// For any bytes, the result is an error or sound snapshots, never a crash.
TEST(Delta, ReadsGarbageWithoutHarm) {
  DeltaWriter delta(1);
  const std::string sound = written(delta, {full_snapshot(0)});
  std::mt19937 random(1);  // NOLINT: the same every time
  std::uniform_int_distribution<int> byte(0, 255);
  std::uniform_int_distribution<std::size_t> place(0, sound.size() - 1);
  int refused = 0;
  constexpr int kTries = 20000;
  for (int i = 0; i < kTries; ++i) {
    std::string bytes = sound;
    for (int changes = 1 + i % 4; changes > 0; --changes) {
      bytes[place(random)] = static_cast<char>(byte(random));
    }
    std::vector<Snapshot> got(1);
    try {
      read(bytes, got);
      for (const record::Operation& operation : got[0].operations) {
        ASSERT_TRUE(operation.stream == record::kNone || operation.stream < got[0].streams.size());
      }
    } catch (const WireError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 0);
  EXPECT_LT(refused, kTries);
}

}  // namespace
}  // namespace gridlock::agents
