// What the kernel said at the look before stands for what has not moved, and for nothing else.
#include "harness/run/look/kernel/earlier_word.h"

#include <gtest/gtest.h>

#include "harness/record/sleep.h"

namespace gridlock::run {
namespace {

using record::Snapshot;
using record::Waits;

// A box of a rank with two threads that wait.
Snapshot box() {
  Snapshot snapshot;
  snapshot.pid = 100;
  snapshot.claim = 5;
  for (const std::int64_t tid : {100, 101}) {
    record::Thread thread;
    thread.tid = tid;
    thread.epoch = 7;
    thread.waits = Waits::device;
    snapshot.threads.push_back(std::move(thread));
  }
  return snapshot;
}

// The same once the kernel has been asked: the second thread has ended, and the first is in a
// handler.
Snapshot asked() {
  Snapshot snapshot = box();
  snapshot.key = record::process_key(0, 100);
  snapshot.signals = record::Signals::sent;
  snapshot.handles_outer_signal = true;
  snapshot.processor_time_ns = 17;
  snapshot.other_threads = 2;
  snapshot.enders = {1};
  snapshot.launchers = {2};
  snapshot.others.push_back({.tid = 102, .process = snapshot.key, .sleep = {}});
  snapshot.connections.push_back({.name = "a", .holder = 3});
  snapshot.threads[0].state = 'S';
  snapshot.threads[0].waits = Waits::nothing;
  snapshot.threads[1].exists = false;
  return snapshot;
}

TEST(EarlierWord, StandsForWhatHasNotMoved) {
  Snapshot now = box();
  take_over_kernels_word(now, asked());
  EXPECT_EQ(now.key, asked().key);
  EXPECT_EQ(now.signals, record::Signals::sent);
  EXPECT_TRUE(now.handles_outer_signal);
  EXPECT_EQ(now.processor_time_ns, 17U);
  EXPECT_EQ(now.other_threads, 2);
  EXPECT_EQ(now.enders, asked().enders);
  EXPECT_EQ(now.launchers, asked().launchers);
  EXPECT_EQ(now.others.size(), 1U);
  EXPECT_EQ(now.connections.size(), 1U);
  EXPECT_EQ(now.threads[0].state, 'S');
  EXPECT_EQ(now.threads[0].waits, Waits::nothing);
  EXPECT_FALSE(now.threads[1].exists);
  EXPECT_EQ(now.threads[1].waits, Waits::device);
}

TEST(EarlierWord, SaysNothingOfAThreadThatHasLeftItsWait) {
  Snapshot now = box();
  now.threads[0].epoch += 2;
  now.threads[1].tid = 103;
  take_over_kernels_word(now, asked());
  EXPECT_EQ(now.threads[0].waits, Waits::device);
  EXPECT_TRUE(now.threads[1].exists);
}

TEST(EarlierWord, SaysNothingOfAnotherProgramOrOfAProcessThatHasEnded) {
  Snapshot other_program = box();
  other_program.claim = 6;
  Snapshot ended = box();
  ended.process = record::ProcessState::exited;
  for (Snapshot* now : {&other_program, &ended}) {
    take_over_kernels_word(*now, asked());
    EXPECT_EQ(now->key, 0U);
    EXPECT_TRUE(now->threads[1].exists);
    EXPECT_EQ(now->others.size(), 1U) << "it may hold those of all ranks";
  }
}

}  // namespace
}  // namespace gridlock::run
