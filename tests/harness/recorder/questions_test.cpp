// What another process sees of a rank that asks again and again whether something has ended.
#include <gtest/gtest.h>

#include "tests/harness/recorder/recorded.h"

namespace gridlock {
namespace {

using record::Snapshot;
using record::Thread;
using record::Waits;

// Its only thread's question, once it has asked.
Thread::Asked asked(Recorded& child) {
  const Snapshot snapshot = child.look_until([](const Snapshot& seen) {
    return seen.threads.size() == 1 && seen.threads[0].asked.at_ns != 0;
  });
  EXPECT_EQ(snapshot.threads[0].waits, Waits::nothing);
  return snapshot.threads[0].asked;
}

TEST(Questions, AboutAStreamStandBesideOthers) {
  Recorded child(part("asks_about_a_stream"));
  const Thread::Asked first = asked(child);
  EXPECT_EQ(first.waits, Waits::stream);
  EXPECT_EQ(child.look().streams.at(first.of).enqueued, 1U) << "the busy one";
  EXPECT_EQ(first.position, 1U);
  const Snapshot later = child.look_until(
      [&](const Snapshot& seen) { return seen.threads[0].asked.at_ns > first.at_ns; });
  EXPECT_EQ(later.threads[0].asked.of, first.of);
}

TEST(Questions, AboutAnEventAreForWhatItMarks) {
  Recorded child(part("asks_about_an_event"));
  const Thread::Asked question = asked(child);
  EXPECT_EQ(question.waits, Waits::stream);
  EXPECT_EQ(question.position, 1U);
}

TEST(Questions, AboutACommunicatorThatForms) {
  Recorded child(part("asks_about_a_communicator"));
  const Thread::Asked question = asked(child);
  EXPECT_EQ(question.waits, Waits::communicator_members);
  EXPECT_EQ(question.of, 0U);
}

TEST(Questions, AreGoneOnceItHasEnded) {
  Recorded child(part("asks_until_it_has_ended"));
  asked(child);
  const Snapshot snapshot = child.look_until([](const Snapshot& seen) {
    return seen.threads.size() == 1 && seen.threads[0].asked.at_ns == 0;
  });
  EXPECT_EQ(snapshot.streams.at(0).completed, 1U);
}

}  // namespace
}  // namespace gridlock
