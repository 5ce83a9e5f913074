// The oracle's predictions for programs whose end is known.
#include "tests/fuzz/oracle/oracle.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <set>
#include <vector>

#include "tests/fuzz/programs/draw.h"

namespace gridlock::fuzz {
namespace {

constexpr std::size_t kBound = 200'000;

struct Known {
  const char* name;
  std::vector<int> stuck;  // ranks
  const char* program;
};

void PrintTo(const Known& known, std::ostream* out) { *out << known.name; }

class KnownProgram : public testing::TestWithParam<Known> {};

TEST_P(KnownProgram, IsForetold) {
  for (const Steps steps : {Steps::all, Steps::chosen}) {
    const Foresight foresight = foretell(parse(GetParam().program), kBound, steps);
    EXPECT_TRUE(foresight.exhaustive);
    ASSERT_EQ(foresight.fates.size(), 1);
    EXPECT_EQ(foresight.fates.front().stuck_ranks(), GetParam().stuck);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Oracle, KnownProgram,
    testing::Values(
        Known{"nothing", {}, "0:\n1:"},  //
        Known{"all_meet", {}, "A = 0 1\n0: A.all_reduce@0 device_sync\n1: A.all_reduce@1"},
        Known{"one_returns", {0}, "A = 0 1\n0: A.all_reduce@0\n1: device_sync"},
        Known{"small_root_runs_ahead", {}, "A = 0 1\n0: A.broadcast(0)@0 device_sync\n1:"},
        Known{
            "aborts_what_it_has_done", {}, "A = 0 1\n0: A.all_reduce@0 A.abort\n1: A.all_reduce@0"},
        Known{"aborts_what_others_wait_for",
              {0},
              "A = 0 1\n0: A.all_reduce@0 A.all_reduce@0\n1: A.all_reduce@0 A.abort"},
        Known{"abort_waits_for_its_own", {1}, "A = 0 1\n0:\n1: A.all_reduce@0 A.abort"},
        Known{"large_root_waits", {0}, "A = 0 1\n0: A.broadcast(0):large@0 device_sync\n1:"},
        Known{"leaf_waits_for_root", {1}, "A = 0 1\n0:\n1: A.broadcast(0)@0"},
        Known{"leaf_waits_for_root_only", {}, R"(A = 0 1 2
            0: A.broadcast(0)@0
            1: A.broadcast(0)@0 sync@0
            2:)"},
        Known{"small_leaf_runs_ahead", {}, "A = 0 1\n0:\n1: A.reduce(0)@0 device_sync"},
        Known{"root_waits_for_leaf", {0}, "A = 0 1\n0: A.reduce(0)@0\n1:"},
        Known{"both_send_first_small", {}, R"(A = 0 1
            0: A.send(1)@0 A.recv(1)@0
            1: A.send(0)@0 A.recv(0)@0)"},
        Known{"both_send_first_large", {0, 1}, R"(A = 0 1
            0: A.send(1):large@0 A.recv(1):large@0
            1: A.send(0):large@0 A.recv(0):large@0)"},
        Known{"both_send_first_in_a_group", {}, R"(A = 0 1
            0: A.send(1):large@0 +A.recv(1):large@0
            1: A.send(0):large@0 +A.recv(0):large@0)"},
        Known{"streams_do_not_help_one_communicator", {0, 1}, R"(A = 0 1
            0: A.send(1):large@0 A.recv(1):large@1
            1: A.send(0):large@0 A.recv(0):large@1)"},
        Known{"two_communicators_crossed_on_one_stream", {0, 1}, R"(A = 0 1
            B = 0 1
            0: A.all_reduce@0 B.all_reduce@0
            1: B.all_reduce@0 A.all_reduce@0)"},
        Known{"two_communicators_crossed_on_two_streams", {}, R"(A = 0 1
            B = 0 1
            0: A.all_reduce@0 B.all_reduce@1 device_sync
            1: B.all_reduce@1 A.all_reduce@0 device_sync)"},
        Known{"a_sync_between_crossed_calls", {0, 1}, R"(A = 0 1
            B = 0 1
            0: A.all_reduce@0 sync@0 B.all_reduce@1
            1: B.all_reduce@1 sync@1 A.all_reduce@0)"},
        Known{"an_event_between_crossed_calls", {0, 1}, R"(A = 0 1
            B = 0 1
            0: A.all_reduce@0 record(0)@0 wait(0)@1 B.all_reduce@1
            1: B.all_reduce@1 record(0)@1 wait(0)@0 A.all_reduce@0)"},
        Known{"an_event_not_recorded", {}, R"(A = 0 1
            0: wait(0)@0 sync(0) A.all_reduce@0
            1: A.all_reduce@0)"},
        Known{"an_event_marks_what_was_before_it", {0}, R"(A = 0 1
            0: record(0)@0 A.all_reduce@0 sync(0) record(0)@0 sync(0)
            1:)"},
        Known{"another_call", {0, 1}, "A = 0 1\n0: A.all_reduce@0\n1: A.reduce(1)@0"},
        Known{"another_size", {0, 1}, "A = 0 1\n0: A.all_reduce@0\n1: A.all_reduce:large@0"},
        Known{"another_root", {}, "A = 0 1\n0: A.broadcast(0)@0\n1: A.broadcast(1)@0"},
        Known{"another_root_large",
              {0, 1},
              "A = 0 1\n0: A.broadcast(0):large@0\n1: A.broadcast(1):large@0"},
        Known{"messages_count_by_pair", {}, R"(A = 0 1 2
            0: A.send(1)@0 A.send(2)@0
            1: A.recv(0)@0
            2: A.recv(0)@0)"},
        Known{"a_group_on_two_streams_holds_both", {0, 1}, R"(A = 0 1
            B = 0 1
            0: A.all_reduce@0 +A.all_reduce@1 B.all_reduce@1
            1: B.all_reduce@0 A.all_reduce@0 +A.all_reduce@0)"},
        Known{"a_wait_inside_a_group_does_not_wait_for_it",
              {},
              "A = 0 1\n0: A.all_reduce@0 +device_sync\n1: A.all_reduce@0 +sync@0"},
        Known{"a_refused_call_leaves_nothing",
              {},
              "A = 0 1\n0: A.refused@0 A.all_reduce@0\n1: A.all_reduce@0"},
        Known{"lazy_calls_wait_on_the_host", {0, 1}, R"(lazy
            A = 0 1
            B = 0 1
            0: A.all_reduce@0 B.all_reduce@1
            1: B.all_reduce@1 A.all_reduce@0)"},
        Known{"a_lazy_group_does_not", {}, R"(lazy
            A = 0 1
            B = 0 1
            0: A.all_reduce@0 +B.all_reduce@1
            1: B.all_reduce@1 +A.all_reduce@0)"},
        Known{"a_lazy_group_connects_behind_its_waits", {0}, R"(lazy
            A = 0 1
            0: A.send(1)@0 +copy
            1:)"},
        Known{"a_call_of_mpi_waits_on_the_host", {0, 1}, R"(mpi
            A = 0 1
            B = 0 1
            0: A.all_reduce@0 device_sync B.all_reduce@2
            1: B.all_reduce@2 A.all_reduce@0)"},
        Known{"mpi_sends_small_messages_at_once", {}, R"(mpi
            A = 0 1
            0: A.send(1)@2 A.recv(1)@2
            1: A.send(0)@2 A.recv(0)@2)"},
        Known{"mpi_sends_large_messages_later", {0, 1}, R"(mpi
            A = 0 1
            0: A.send(1):large@2 A.recv(1)@2
            1: A.send(0):large@2 A.recv(0)@2)"},
        Known{"the_rest_goes_on", {0, 1}, R"(A = 0 1
            B = 2 3
            0: A.all_reduce@0
            1: A.all_reduce:large@0
            2: B.all_reduce@0
            3: B.all_reduce@0)"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Oracle, NamesTheCallInWhichTheHostStays) {
  const Foresight foresight =
      foretell(parse("A = 0 1\n0: A.all_reduce@0 sync@0 device_sync\n1:"), kBound);
  EXPECT_EQ(foresight.fates.front().host_stuck_at, (std::vector<int>{1, -1}));
}

TEST(Oracle, OneInterleavingSaysTheSameAsAll) {
  int explored = 0;
  int dead = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    Dice dice(seed);
    const Program program = seed % 2 == 0 ? draw_broken(dice, 30) : draw_wild(dice, 30);
    if (is_open(program)) continue;
    const Foresight all = foretell(program, 20'000, Steps::all);
    const Foresight one = foretell(program, 0);
    EXPECT_FALSE(one.exhaustive);
    EXPECT_EQ(all.fates, one.fates) << to_text(program);
    explored += all.exhaustive ? 1 : 0;
    dead += all.fates.front().dead() ? 1 : 0;
  }
  EXPECT_GT(explored, 1000);
  EXPECT_GT(dead, 500);
}

// The ends of programs that have several: who is stuck in each, sorted.
std::vector<std::vector<int>> ends_of(const char* program, Steps steps) {
  const Foresight foresight = foretell(parse(program), kBound, steps);
  EXPECT_TRUE(foresight.exhaustive);
  std::set<std::vector<int>> ends;
  for (const Fate& fate : foresight.fates) ends.insert(fate.stuck_ranks());
  return {ends.begin(), ends.end()};
}

struct Open {
  const char* name;
  std::vector<std::vector<int>> ends;
  const char* program;
};

void PrintTo(const Open& open, std::ostream* out) { *out << open.name; }

class OpenProgram : public testing::TestWithParam<Open> {};

TEST_P(OpenProgram, HasTheseEnds) {
  EXPECT_EQ(ends_of(GetParam().program, Steps::all), GetParam().ends);
  EXPECT_EQ(ends_of(GetParam().program, Steps::chosen), GetParam().ends);
}

INSTANTIATE_TEST_SUITE_P(
    Oracle, OpenProgram,
    testing::Values(Open{"two_threads_meet", {{}}, "0: await(0)\n1:\n0: post(0)"},
                    Open{"a_signal_comes", {{}}, "0: await(3)\n1: kick(0)\n1:"},
                    Open{"nobody_posts", {{0}}, "0: await(0)\n1:\n0:"},
                    // Rank 0 waits for its device before or after its other thread has enqueued.
                    Open{"a_wait_for_the_device_comes_first_or_last", {{}, {0, 1}}, R"(A = 0 1
            B = 0 1
            0: device_sync A.all_reduce@0
            1: A.all_reduce@0 sync@0 B.all_reduce@1
            0: B.all_reduce@1)"},
                    Open{"a_wait_for_a_stream_does_not_mind_another", {{}}, R"(A = 0 1
            B = 0 1
            0: sync@0 A.all_reduce@0
            1: A.all_reduce@0 sync@0 B.all_reduce@1
            0: B.all_reduce@1)"},
                    // The copy waits for A, and B comes after the copy.
                    Open{"a_copy_holds_what_comes_later", {{}, {0, 1}}, R"(A = 0 1
            B = 0 1
            0: A.all_reduce@0 copy
            1: B.all_reduce@2 sync@2 A.all_reduce@0
            0: B.all_reduce@2)"},
                    Open{"an_abort_may_come_too_early_for_others", {{}, {1}}, R"(A = 0 1
            0: A.all_reduce@0 A.drop
            1: A.all_reduce@0)"},
                    Open{"an_abort_frees_its_own_rank", {{1}}, R"(A = 0 1
            0: A.all_reduce:large@0 A.drop device_sync
            1: A.all_reduce@0)"}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Oracle, ChosenStepsFindAllEnds) {
  int explored = 0;
  int several = 0;
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    Dice dice(seed);
    const Program program = draw_threaded(dice, 60);
    const Foresight all = foretell(program, 20'000, Steps::all);
    const Foresight chosen = foretell(program, 20'000);
    if (!all.exhaustive || !chosen.exhaustive) continue;
    EXPECT_EQ(all.fates.size(), chosen.fates.size()) << to_text(program);
    for (const Fate& fate : all.fates) {
      EXPECT_TRUE(std::ranges::find(chosen.fates, fate) != chosen.fates.end()) << to_text(program);
    }
    ++explored;
    several += all.fates.size() > 1 ? 1 : 0;
  }
  EXPECT_GT(explored, 100);
  EXPECT_GT(several, 4);
}

TEST(Draw, HealthyProgramsAreHealthy) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    Dice dice(seed);
    const Program program = draw_healthy(dice, 100);
    ASSERT_EQ(fault_of(program), "") << to_text(program);
    ASSERT_FALSE(foretell(program, 0).fates.front().dead()) << to_text(program);
  }
}

TEST(Draw, ProgramsAreWellFormedAndSoAreSimplerOnes) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Dice dice(seed);
    constexpr std::array kDraws{draw_broken, draw_wild, draw_threaded, draw_with_mpi};
    const Program program = kDraws.at(seed % kDraws.size())(dice, 100);
    ASSERT_EQ(fault_of(program), "") << to_text(program);
    for (const Program& candidate : simpler(program)) {
      ASSERT_NE(candidate, program);
      ASSERT_EQ(fault_of(candidate), "") << to_text(program) << "became\n" << to_text(candidate);
    }
  }
}

TEST(Program, ReadsBackWhatItWrites) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Dice dice(seed);
    Program program = draw_wild(dice, 100);
    for (auto& code : program.ranks) {
      for (Instruction& call : code) {  // resets fields that the text does not show
        if (!is_communication(call.op))
          call = {.op = call.op,
                  .communicator = call.communicator,
                  .stream = call.stream,
                  .event = call.event};
        if (!has_communicator(call.op)) call.communicator = 0;
        if (!has_stream(call.op)) call.stream = 0;
        if (!has_event(call.op)) call.event = 0;
        if (!has_peer(call.op) && call.op != Op::kick) call.peer = 0;
      }
    }
    EXPECT_EQ(parse(to_text(program)), program) << to_text(program);
  }
}

TEST(Program, RefusesWhatIsNone) {
  EXPECT_THROW(parse("0: A.all_reduce@0"), std::invalid_argument);
  EXPECT_THROW(parse("A = 0 1\n0: A.send(0)@0\n1:"), std::invalid_argument);
  EXPECT_THROW(parse("A = 0 1\n0: A.all_reduce@7\n1:"), std::invalid_argument);
  EXPECT_THROW(parse("A = 0 1\n0: A.abort A.all_reduce@0\n1:"), std::invalid_argument);
  EXPECT_THROW(parse("0: sleep"), std::invalid_argument);
  EXPECT_THROW(parse("A = 0 1\n0: A.all_reduce@0\n1:\n0: A.all_reduce@1"), std::invalid_argument);
  EXPECT_THROW(parse("0: await(0)\n0: await(0)"), std::invalid_argument);
}

}  // namespace
}  // namespace gridlock::fuzz
