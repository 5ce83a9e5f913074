// results.json: the fields that tools read, and the way back.
#include "harness/report/formats/json.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/harness/report/results.h"

namespace gridlock::report {
namespace {

using Json = nlohmann::json;

TEST(ResultsJson, HasTheDocumentedFields) {
  const Json json = Json::parse(to_json(session()));
  EXPECT_EQ(json.at("schema"), "gridlock.results/1");
  for (const char* field :
       {"date", "host", "backend", "ranks", "transport", "shared_gpu", "gpu", "driver", "cuda",
        "nccl", "nccl_origin", "environment", "mpi", "compiler", "commit", "dirty", "cpu"}) {
    EXPECT_TRUE(json.at("context").contains(field)) << field;
  }
  for (const char* field : {"scenario",
                            "variant",
                            "role",
                            "repetition",
                            "ranks",
                            "outcome",
                            "expected",
                            "as_declared",
                            "cause",
                            "culprits",
                            "waiting",
                            "time_to_hang_ms",
                            "time_to_detect_ms",
                            "time_to_recover_ms",
                            "step_time_us",
                            "fix_cost",
                            "numbers_checked",
                            "observer",
                            "score",
                            "noise",
                            "assumptions",
                            "explanation"}) {
    EXPECT_TRUE(json.at("runs").at(0).contains(field)) << field;
  }
  for (const char* field : {"ranks", "operation", "communicator", "slot", "label", "caller"}) {
    EXPECT_TRUE(json.at("runs").at(0).at("waiting").at(0).contains(field)) << field;
  }
  const Json expected{{"runs", 4},          {"as_declared", 3},    {"true_positive", 2},
                      {"true_negative", 1}, {"false_positive", 1}, {"false_negative", 0},
                      {"skipped", 1},       {"errors", 1}};
  // The tests of later tables check what those add.
  for (const auto& [name, value] : expected.items())
    EXPECT_EQ(json.at("summary").at(name), value) << name;
}

TEST(ResultsJson, WhatDoesNotApplyIsNull) {
  const Json json = Json::parse(to_json(session()));
  EXPECT_TRUE(json.at("context").at("gpu").is_null());
  const Json& skip = json.at("runs").at(5);
  EXPECT_EQ(skip.at("status"), "skipped");
  EXPECT_TRUE(skip.at("outcome").is_null());
  EXPECT_TRUE(skip.at("time_to_hang_ms").is_null());
  EXPECT_TRUE(skip.at("score").is_null());
}

TEST(ResultsJson, ComesBackAsItWas) {
  const std::string text = to_json(session());
  EXPECT_EQ(to_json(from_json(text)), text);
}

TEST(ResultsJson, AnyBytesMayBeInAText) {
  Results results = session();
  results.runs.front().verdict.waiting.front().label = "broken \xff\xfe \x01";
  EXPECT_NO_THROW(from_json(to_json(results)));
}

TEST(ResultsJson, DamageIsSaid) {
  const std::string text = to_json(session());
  std::string other = text;
  other.replace(other.find("results/1"), 9, "results/2");
  std::string odd = text;
  odd.replace(odd.find("\"deadlock\""), 10, "\"bad luck\"");
  for (const std::string& bad : {std::string(), std::string("[]"), std::string("{}"),
                                 text.substr(0, text.size() / 2), other, odd}) {
    EXPECT_THROW(from_json(bad), BadResults);
  }
}

TEST(ResultsJson, DamageIsSaidInWords) {
  const std::string text = to_json(session());
  const auto said = [](const std::string& bad) -> std::string {
    try {
      from_json(bad);
    } catch (const BadResults& error) {
      return error.what();
    }
    return "nothing";
  };
  std::string older = text;
  older.replace(older.find("results/1"), 9, "results/0");
  EXPECT_EQ(said(older).rfind("it is of the schema gridlock.results/0, and this gridlock reads", 0),
            0U);
  EXPECT_EQ(said(" \n"), "it is empty");
  EXPECT_EQ(said("{\n\"schema\": \"gridlock.res"), "it ends in the middle, at line 2");
  EXPECT_EQ(said("{\n\"schema\"= 7}"), "it is no JSON from line 2 on");
  EXPECT_EQ(said("[1]"), "it is not of the schema gridlock.results/1");
}

}  // namespace
}  // namespace gridlock::report
