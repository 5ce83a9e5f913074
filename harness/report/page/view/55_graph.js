// The wait-for graph: Graphviz has drawn it, and of its picture only shapes and texts are taken over.

const svgElements = new Set(["svg", "g", "title", "path", "polygon", "polyline", "ellipse", "text"]);
const svgAttributes = new Set(["viewBox", "width", "height", "transform", "d", "points", "cx", "cy", "rx", "ry", "x", "y", "text-anchor",
  "font-size", "class", "stroke-dasharray"]);

function takenOver(source) {
  if (!svgElements.has(source.localName)) return null;
  const made = document.createElementNS("http://www.w3.org/2000/svg", source.localName);
  for (const {name, value} of source.attributes) if (svgAttributes.has(name)) made.setAttribute(name, value);
  for (const child of source.childNodes) {
    if (child.nodeType === Node.TEXT_NODE && (source.localName === "text")) made.append(visible(child.data));
    else if (child.nodeType === Node.ELEMENT_NODE && child.localName !== "title") {
      const kept = takenOver(child);
      if (kept) made.append(kept);
    }
  }
  return made;
}

function graphPicture(text, words) {
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  const svg = parsed.localName === "svg" ? takenOver(parsed) : null;
  if (!svg) return null;
  svg.setAttribute("role", "img");
  svg.setAttribute("aria-label", visible(words.map((edge) => `${edge.from} wait for ${edge.to} in ${edge.at}: ${edge.why}`).join("; ")));
  // Graphviz paints a background, which the page has already.
  const background = svg.querySelector("g > polygon");
  if (background && background.parentNode.getAttribute("class") === "graph") background.remove();
  return element("div", {class: "graph"}, svg);
}

function graphSection(graph) {
  if (!graph || !graph.words.length && !graph.svg) return null;
  const matters = graph.words.filter((edge) => edge.matters);
  const list = (edges) => element("ul", {}, ...edges.map((edge) => element("li", {},
    element("b", {}, edge.from), edge.from === edge.to ? " cannot go on: " : " waits for ".replace("waits", edge.from.startsWith("ranks") ? "wait" : "waits"),
    edge.from !== edge.to && element("b", {}, edge.to), edge.from !== edge.to && " in ", named(edge.at), ` (${edge.why})`)));
  const picture = graph.svg ? graphPicture(graph.svg, matters) : null;
  const content = [picture || list(matters)];
  if (picture) content.push(element("details", {class: "quiet small"}, element("summary", {}, "The same in words"), list(matters)));
  if (graph.full || graph.words.length > matters.length) {
    const all = graph.full ? graphPicture(graph.full, graph.words) : null;
    content.push(element("details", {class: "quiet small"}, element("summary", {}, "All waits, also those that do not decide"), all, list(graph.words)));
  }
  return section("Who waits for whom", ...content);
}
