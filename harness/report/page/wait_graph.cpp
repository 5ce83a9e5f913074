// Turns nodes and edges into DOT.
#include "harness/report/page/wait_graph.h"

#include <fmt/format.h>

#include <map>

#include "harness/base/text.h"
#include "harness/report/formats/text.h"

namespace gridlock::report {
namespace {

// In quotes, broken into short lines. Backslash and ampersand are special in Graphviz, so they are
// escaped.
std::string label(const std::string& text, std::size_t columns) {
  std::string lines = wrapped(on_one_line(text), columns);
  if (!lines.empty() && lines.back() == '\n') lines.pop_back();
  std::string dot;
  for (const char letter : lines) {
    switch (letter) {
      case '"':
        dot += "\\\"";
        break;
      case '\\':
        dot += "\\\\";
        break;
      case '&':
        dot += "&amp;";
        break;
      case '\n':
        dot += "\\n";
        break;
      default:
        dot += letter;
    }
  }
  return dot;
}

}  // namespace

WaitDrawing what_matters(const WaitDrawing& drawing) {
  WaitDrawing less;
  std::map<std::size_t, std::size_t> number;
  const auto keep = [&](std::size_t node) {
    const auto [known, is_new] = number.try_emplace(node, less.nodes.size());
    if (is_new) less.nodes.push_back(drawing.nodes[node]);
    return known->second;
  };
  for (const WaitDrawing::Edge& edge : drawing.edges) {
    if (!edge.matters) continue;
    WaitDrawing::Edge kept = edge;
    kept.from = keep(edge.from);
    kept.to = keep(edge.to);
    less.edges.push_back(std::move(kept));
  }
  for (std::size_t i = 0; i < drawing.nodes.size(); ++i) {
    if (drawing.nodes[i].culprit) keep(i);
  }
  return less;
}

std::string kind_text(const std::string& kind) {
  if (kind == "queued") return "called, but held back";
  if (kind == "left") return "it has left";
  if (kind == "differs") return "its call does not fit";
  if (kind == "itself") return "the program's own code";
  if (kind == "wakes") return "only it can wake it";
  return "it has not come";
}

std::string dot_of(const WaitDrawing& drawing) {
  constexpr std::size_t kNodeColumns = 30;
  constexpr std::size_t kEdgeColumns = 26;
  std::string dot =
      "digraph waits {\n"
      "graph [rankdir=LR, nodesep=0.45, ranksep=0.9, bgcolor=transparent, pad=0.15]\n"
      "node [shape=box, style=rounded, fontname=Helvetica, fontsize=13, margin=\"0.2,0.12\"]\n"
      "edge [fontname=Helvetica, fontsize=11, arrowsize=0.8]\n";
  for (std::size_t i = 0; i < drawing.nodes.size(); ++i) {
    const WaitDrawing::Node& node = drawing.nodes[i];
    std::string text = label(node.name, kNodeColumns);
    if (node.culprit) text += "\\n" + label("to blame", kNodeColumns);
    if (!node.fault.empty()) text += "\\n" + label(node.fault, kNodeColumns);
    dot += fmt::format("n{} [label=\"{}\", class=\"{}\"{}]\n", i, text,
                       node.culprit ? "culprit" : "victim", node.culprit ? ", penwidth=2.5" : "");
  }
  for (const WaitDrawing::Edge& edge : drawing.edges) {
    const std::string what = label(edge.at, kEdgeColumns);
    const std::string why = label(kind_text(edge.kind), kEdgeColumns);
    dot += fmt::format("n{} -> n{} [label=\"{}\\n({})\", class=\"{}\"{}]\n", edge.from, edge.to,
                       what, why, edge.matters ? "matters" : "beside",
                       edge.matters ? ", penwidth=1.8" : ", style=dashed");
  }
  return dot + "}\n";
}

}  // namespace gridlock::report
