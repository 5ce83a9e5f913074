// The wait-for graph of a timeline as a picture.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace gridlock::report {

struct WaitDrawing {
  struct Node {
    std::string name;   // "ranks 0-2"
    std::string fault;  // what it did; "" for a victim
    bool culprit = false;
  };
  struct Edge {
    std::size_t from = 0;
    std::size_t to = 0;
    std::string at;    // the call in which it waits
    std::string kind;  // "absent", "queued" … of gridlock.timeline/1
    bool matters = false;
  };
  std::vector<Node> nodes;
  std::vector<Edge> edges;
};

// Only the edges that matter for the verdict, and the nodes at their ends.
WaitDrawing what_matters(const WaitDrawing& drawing);

// "it has not called it", for an edge's kind.
std::string kind_text(const std::string& kind);

// The graph in Graphviz's language. No text of a program can end the string that contains it.
std::string dot_of(const WaitDrawing& drawing);

// An <svg> element, drawn by Graphviz; "" if this gridlock was built without it, or if the graph is
// too large to be readable.
std::string svg_of(const WaitDrawing& drawing);

}  // namespace gridlock::report
