// What the approved outputs do not show: hostile names, orders, and what cannot be known.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "harness/report/exports/flight_records.h"
#include "harness/report/exports/pickle.h"
#include "harness/report/exports/prometheus.h"
#include "harness/report/exports/sarif.h"
#include "harness/report/exports/trace.h"
#include "tests/harness/report/exports/kept_run.h"

namespace gridlock::report {
namespace {

using Json = nlohmann::json;

// The bars of one track are nested or apart.
TEST(Trace, BarsOfATrackAreNested) {
  const auto many = [](std::size_t) {
    record::Snapshot snapshot = snapshot_of(0);
    for (std::uint64_t i = 2; i < 6; ++i) {
      record::Operation next = snapshot.operations.back();
      next.index = i;
      next.time_ns += 500000;
      next.slot = i;
      next.position = i + 1;
      snapshot.operations.push_back(next);
    }
    return std::vector{snapshot};
  };
  const Json trace = Json::parse(to_trace(kept_session(), many, no_caller));
  std::vector<std::pair<double, double>> bars;
  for (const Json& event : trace.at("traceEvents")) {
    if (event.at("ph") == "X" && event.at("tid") >= 1000) {
      bars.emplace_back(event.at("ts"),
                        event.at("ts").get<double>() + event.at("dur").get<double>());
    }
  }
  ASSERT_EQ(bars.size(), 6U);
  for (const auto& [begin, end] : bars) {
    EXPECT_LE(begin, end);
    for (const auto& [other_begin, other_end] : bars) {
      const bool cross = begin < other_begin && other_begin < end && end < other_end;
      EXPECT_FALSE(cross) << begin << "-" << end << " and " << other_begin << "-" << other_end;
    }
  }
}

TEST(Trace, AnyNameIsJson) {
  Results results = kept_session();
  results.runs.front().scenario = "a\"\\\n\x1b\xff<b>";
  EXPECT_TRUE(Json::accept(to_trace(results, boxes_of, no_caller)));
}

TEST(Trace, ARunWithoutBoxesHasItsVerdict) {
  const auto none = [](std::size_t) { return std::vector<record::Snapshot>(); };
  const Json trace = Json::parse(to_trace(kept_session(), none, no_caller));
  ASSERT_EQ(trace.at("traceEvents").size(), 1U);
  EXPECT_EQ(trace.at("traceEvents").at(0).at("ph"), "i");
}

TEST(FlightRecords, MessagesOfOneDirectionAreAGroup) {
  std::vector<record::Snapshot> boxes = boxes_of(0);
  for (record::Snapshot& box : boxes) {
    record::Operation& operation = box.operations.front();
    operation.call = box.rank == 0 ? record::Call::send : record::Call::recv;
    operation.peer = 1 - box.rank;
  }
  const auto records = flight_records({.run = nullptr, .snapshots = boxes}, no_caller);
  const Json sent = Json::parse(records.at(0).json).at("entries").at(0);
  const Json received = Json::parse(records.at(1).json).at("entries").at(0);
  EXPECT_EQ(sent.at("profiling_name"), "nccl:send 0->1");
  EXPECT_EQ(received.at("profiling_name"), "nccl:recv 1<-0");
  EXPECT_EQ(sent.at("process_group"), received.at("process_group"));
  EXPECT_EQ(sent.at("collective_seq_id"), received.at("collective_seq_id"));
}

TEST(Pickle, BeginsWithItsProtocolAndEndsWithAStop) {
  EXPECT_EQ(to_pickle({{"a", {true, nullptr, 1}}}),
            std::string("\x80\x02}(X\x01\0\0\0a](\x88N\x8a\x08\x01\0\0\0\0\0\0\0eu.", 27));
}

TEST(Prometheus, LabelsAreEscaped) {
  Results results = session();
  results.context.gpu = "a\"b\\c\nd";
  EXPECT_NE(to_prometheus(results).find(R"(gpu="a\"b\\c d")"), std::string::npos);
}

TEST(Sarif, PathsBelowTheRootAreRelativeAndEscaped) {
  Results results = session();
  results.runs.resize(1);
  std::string& source = results.runs.front().sources.begin()->second;
  source = "/src/a b/x.cpp:7";
  const auto uri = [&](const std::string& root) {
    return Json::parse(to_sarif(results, root))
        .at("/runs/0/results/0/locations/0/physicalLocation/artifactLocation/uri"_json_pointer)
        .get<std::string>();
  };
  EXPECT_EQ(uri("/src"), "a%20b/x.cpp");
  EXPECT_EQ(uri("/sr"), "file:///src/a%20b/x.cpp");
  source = "";
  EXPECT_TRUE(
      Json::parse(to_sarif(results, "/")).at("/runs/0/results/0/locations"_json_pointer).empty());
}

TEST(Sarif, WhatIsDeclaredIsNoFailure) {
  const Json sarif = Json::parse(to_sarif(session(), ""));
  int failures = 0;
  for (const Json& result : sarif.at("/runs/0/results"_json_pointer)) {
    failures += result.at("kind") == "fail" ? 1 : 0;
    EXPECT_EQ(result.at("level") == "none", result.at("kind") != "fail");
  }
  EXPECT_EQ(failures, 1);
}

}  // namespace
}  // namespace gridlock::report
