// What is drawn, and that no name can end the text that contains it.
#include "harness/report/page/wait_graph.h"

#include <gtest/gtest.h>

#include <pugixml.hpp>

namespace gridlock::report {
namespace {

WaitDrawing three() {
  WaitDrawing drawing;
  drawing.nodes = {{.name = "ranks 0-1", .fault = "", .culprit = false},
                   {.name = "rank 2", .fault = "", .culprit = false},
                   {.name = "rank 3", .fault = "exited with code 0", .culprit = true}};
  drawing.edges = {
      {.from = 0, .to = 2, .at = "all_reduce #8 on world", .kind = "absent", .matters = true},
      {.from = 0, .to = 1, .at = "send #1 on pair", .kind = "queued", .matters = false}};
  return drawing;
}

TEST(WaitGraph, LeavesOutWhatDoesNotMatter) {
  const WaitDrawing less = what_matters(three());
  ASSERT_EQ(less.nodes.size(), 2U);
  ASSERT_EQ(less.edges.size(), 1U);
  EXPECT_TRUE(less.nodes[less.edges[0].to].culprit);
}

TEST(WaitGraph, NamesCannotEndTheirText) {
  WaitDrawing drawing = three();
  drawing.edges[0].at = "a\"]; evil [label=\"\\N &lt;b&gt;\n\x1b[31m";
  const std::string dot = dot_of(drawing);
  EXPECT_EQ(dot.find("a\"]"), std::string::npos);
  EXPECT_NE(dot.find("a\\\"]"), std::string::npos);
  EXPECT_NE(dot.find("\\\\N"), std::string::npos);
  EXPECT_NE(dot.find("&amp;lt;"), std::string::npos);
  EXPECT_EQ(dot.find('\x1b'), std::string::npos);
}

TEST(WaitGraph, IsDrawnByGraphviz) {
  WaitDrawing drawing = three();
  drawing.edges[0].at = "</text><script>alert(1)</script>";
  const std::string svg = svg_of(drawing);
  if (svg.empty()) GTEST_SKIP() << "built without Graphviz";
  pugi::xml_document document;
  ASSERT_TRUE(document.load_string(svg.c_str()));
  EXPECT_TRUE(document.select_nodes("//*[local-name()='script']").empty());
  EXPECT_EQ(document.select_nodes("//*[contains(@class,'culprit')]").size(), 1U);
  EXPECT_EQ(document.select_nodes("//*[starts-with(@class,'edge')]").size(), 2U);
}

TEST(WaitGraph, IsNotDrawnWhereNobodyWouldSeeAnything) {
  WaitDrawing drawing;
  EXPECT_EQ(svg_of(drawing), "");
  drawing.nodes.resize(1000);
  EXPECT_EQ(svg_of(drawing), "");
}

}  // namespace
}  // namespace gridlock::report
