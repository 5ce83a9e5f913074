// Draws the graph with Graphviz's library, if the build found it.
#include "harness/report/page/wait_graph.h"

#ifdef GRIDLOCK_WITH_GRAPHVIZ
#include <graphviz/gvc.h>

#include <memory>
#endif

namespace gridlock::report {

#ifdef GRIDLOCK_WITH_GRAPHVIZ

namespace {

// Larger graphs are unreadable, and drawing them takes long.
constexpr std::size_t kMostNodes = 64;
constexpr std::size_t kMostEdges = 200;

// Made only once, because it loads Graphviz's plugins.
GVC_t* context() {
  static GVC_t* const made = [] {
    agseterr(AGMAX);  // its warnings are about fonts
    return gvContext();
  }();
  return made;
}

std::string drawn(const std::string& dot) {
  const std::unique_ptr<Agraph_t, int (*)(Agraph_t*)> graph(agmemread(dot.c_str()), agclose);
  if (!graph || gvLayout(context(), graph.get(), "dot") != 0) return {};
  char* bytes = nullptr;
  unsigned length = 0;
  std::string svg;
  if (gvRenderData(context(), graph.get(), "svg", &bytes, &length) == 0 && bytes != nullptr) {
    svg.assign(bytes, length);
  }
  gvFreeRenderData(bytes);
  gvFreeLayout(context(), graph.get());
  const std::size_t begin = svg.find("<svg");
  return begin == std::string::npos ? std::string() : svg.substr(begin);
}

}  // namespace

std::string svg_of(const WaitDrawing& drawing) {
  if (drawing.nodes.empty() || drawing.nodes.size() > kMostNodes ||
      drawing.edges.size() > kMostEdges) {
    return {};
  }
  return drawn(dot_of(drawing));
}

#else

std::string svg_of(const WaitDrawing&) { return {}; }

#endif

}  // namespace gridlock::report
