// The wait-for graph of a timeline as a picture.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace gridlock::report {

struct WaitDrawing {
  struct Node {
    std::string name;   // "ranks 0-2"
    std::string fault;  // what it did; "" of a victim
    bool culprit = false;
  };
  struct Edge {
    std::size_t from = 0;
    std::size_t to = 0;
    std::string at;    // what is waited in
    std::string kind;  // "absent", "queued" … of gridlock.timeline/1
    bool matters = false;
  };
  std::vector<Node> nodes;
  std::vector<Edge> edges;
};

// Only what matters for the verdict: those edges, and the nodes at their ends.
WaitDrawing what_matters(const WaitDrawing& drawing);

// "it has not called it", for an edge's kind.
std::string kind_text(const std::string& kind);

// In the language of Graphviz. No text of a program ends the string that it stands in.
std::string dot_of(const WaitDrawing& drawing);

// An <svg> element, drawn by Graphviz; "" where this gridlock was built without it, and where there
// is too much to see anything.
std::string svg_of(const WaitDrawing& drawing);

}  // namespace gridlock::report
