// One variant: what was said of it, what happened, why, and the code beside that of its cure.

function verdictBox(variant) {
  if (!variant.verdict) return element("div", {class: "verdict"}, element("strong", {}, variant.status), variant.reason && element("p", {}, named(variant.reason)));
  const {verdict} = variant;
  const kind = verdict.outcome === "completes" ? "well" : verdict.outcome === "running" ? "" : "hangs";
  const times = [["from the first communicator to the hang", variant.hang], ["from the last progress to the verdict", variant.detect],
    ["to end the job", variant.recover]].filter(([, spread]) => spread);
  return element("div", {class: "verdict " + kind}, element("strong", {}, verdict.headline),
    ...verdict.faults.map((fault) => element("p", {}, `${fault.ranks}: `, named(fault.what))),
    verdict.divergence && element("p", {}, named(verdict.divergence)),
    element("p", {class: "soft small"}, variant.role === "watch" ? "" : isAsDeclared(variant) ? variant.declared ? `As declared (${variant.declared}).` : "" :
      `Declared: ${variant.declared || "it should complete"}.`, " ",
      times.map(([text, spread]) => `${figure(spread.median)} ms ${text}`).join(", "),
      variant.runs > 1 ? `; repetition ${variant.repetition} of ${variant.runs} is shown` : "",
      variant.cost ? `; step time ${figure(variant.cost.median)}× that of ${variant.control || "its control"}` : ""));
}

function waitingSection(verdict) {
  if (!verdict || !verdict.waiting.length) return null;
  return section("Who waits where", element("table", {},
    element("thead", {}, element("tr", {}, element("th", {scope: "col"}, "Ranks in equal state"), element("th", {scope: "col"}, "wait in"))),
    element("tbody", {}, ...verdict.waiting.map((one) => element("tr", {}, element("td", {}, one.ranks), element("td", {}, named(one.at)))))),
    verdict.cycle.length > 0 && element("div", {}, element(heading.part, {}, "The cycle"), element("ol", {}, ...verdict.cycle.map((text) => element("li", {}, named(text))))),
    verdict.assumptions.length > 0 && element("div", {}, element(heading.part, {}, "What the proof assumes"), element("ul", {}, ...verdict.assumptions.map((text) => element("li", {}, named(text))))));
}

function threadsSection(timeline) {
  if (!timeline) return null;
  const rows = timeline.ranks.flatMap((rank) => rank.threads.filter((thread) => thread.kernel || thread.blocked).map((thread) => ({rank, thread})));
  const groups = new Map();
  for (const {rank, thread} of rows) {
    const key = [thread.blocked ? thread.call : "", thread.kernel, thread.label || "", thread.caller || ""].join("\u0000");
    if (!groups.has(key)) groups.set(key, {thread, ranks: new Set()});
    groups.get(key).ranks.add(rank.rank);
  }
  if (!groups.size) return null;
  return element("details", {class: "quiet"}, element("summary", {}, "Host threads, and the kernel's word on them"),
    element("div", {class: "scrolls"}, element("table", {}, element("thead", {}, element("tr", {}, ...["Ranks", "Recorded call", "Label", "By", "Kernel: state, system call, waits in"].map((title) => element("th", {scope: "col"}, title)))),
      element("tbody", {}, ...[...groups.values()].map(({thread, ranks}) => element("tr", {}, element("td", {}, rangeText([...ranks])),
        element("td", {}, thread.blocked ? thread.call : "none"), element("td", {}, named(thread.label || "")), element("td", {}, named(thread.caller || "")),
        element("td", {class: "mono"}, thread.kernel)))))));
}

// The comment at the head of the scenario: "Lesson    Every step …" as a list of terms.
function lessonOf(text) {
  const entries = [];
  let inCode = null;
  for (const line of text.split("\n")) {
    const term = /^(Lesson|Watch|Cure|Cures|Seen in|In PyTorch|Note|[A-Z][a-z]+(?: [a-z]+)?)(?:\s{2,}(.*)|$)/.exec(line);
    if (term && (term[2] !== undefined || term[1] === "In PyTorch")) {
      entries.push({term: term[1], text: term[2] || "", code: term[1] === "In PyTorch"});
      inCode = term[1] === "In PyTorch";
    } else if (entries.length && inCode) entries[entries.length - 1].text += (entries[entries.length - 1].text ? "\n" : "") + line.replace(/^ {4}/, "");
    else if (entries.length) entries[entries.length - 1].text += " " + line.trim();
    else if (line.trim()) entries.push({term: "", text: line.trim()});
  }
  return entries.flatMap(({term, text: words, code}) => [term && element(heading.part, {}, term), code ? element("pre", {class: "code"}, words.trimEnd()) : element("p", {}, words.trim())]);
}

function codeSection(data, variant) {
  const scenario = data.scenarios[variant.scenario];
  if (!scenario || !scenario.source) return null;
  const own = codeOf(scenario, variant.variant);
  const place = element("div", {class: "scrolls"});
  const others = Object.keys(scenario.variants).filter((name) => name !== variant.variant && codeOf(scenario, name));
  const wanted = variant.role === "broken" ? ["fix", "remedy", "control", "broken"] : ["broken", "control", "fix", "remedy"];
  others.sort((a, b) => wanted.indexOf(scenario.variants[a].role) - wanted.indexOf(scenario.variants[b].role));
  const chosen = element("select", {"aria-label": "Compare with", onchange: () => show(chosen.value)},
    ...others.map((name) => element("option", {value: name}, `${name} (${scenario.variants[name].role})`)));
  const show = (name) => {
    const other = codeOf(scenario, name);
    const first = variant.role !== "broken" && scenario.variants[name].role === "broken";
    const sides = [[variant.variant, own], [name, other]];
    if (first) sides.reverse();
    place.replaceChildren(diffTable(...sides.map(([title]) => `${title} (${scenario.variants[title] ? scenario.variants[title].role : variant.role})`), ...sides.map(([, lines]) => lines)));
  };
  const whole = element("details", {class: "quiet small screen-only"}, element("summary", {}, `All of ${scenario.file}`));
  whole.addEventListener("toggle", () => { if (whole.open && whole.children.length === 1) whole.append(plainCode(scenario.source.split("\n"))); });
  if (own && others.length) show(others[0]);
  else if (own) place.append(plainCode(own));
  return section("The code, beside that of another variant", element("div", {class: "filters no-print"}, element("span", {class: "soft"}, "Compare with"), chosen), place, whole);
}

function siblingsOf(data, variant) {
  const all = data.variants.filter((one) => one.scenario === variant.scenario);
  if (all.length < 2) return null;
  return element("nav", {"aria-label": "Variants of this scenario"}, element("ul", {class: "siblings"}, ...all.map((one) =>
    element("li", {class: one.role}, element("a", {href: "#" + encodeURI(one.id), "aria-current": one === variant ? "page" : null}, named(one.id.split("/").slice(1).join("/") || one.id))))));
}

// Of a timeline that cannot be drawn the rest of the page is none the worse.
function timelineOf(variant, options = {}) {
  if (!variant.timeline) return null;
  try {
    const drawn = new Timeline(variant.timeline, {culprits: variant.verdict ? variant.verdict.culprits : [],
      hangs: hangOutcomes.has(variant.status), ...options});
    drawn.element.drawn = drawn;
    return drawn.element;
  } catch (error) {
    return element("p", {class: "notice"}, `The timeline cannot be drawn: ${error.message}`);
  }
}

function variantPage(data, variant) {
  const scenario = data.scenarios[variant.scenario];
  const told = scenario && scenario.variants[variant.variant];
  const lost = variant.timeline ? variant.timeline.ranks.reduce((sum, rank) => sum + rank.lost, 0) : 0;
  return [
    element("nav", {"aria-label": "Where you are", class: "small"}, element("a", {href: "#"}, "All variants")),
    element("h1", {}, named(variant.variant || variant.scenario), " ", roleBadge(variant.role)),
    element("p", {class: "soft"}, variant.variant && named(variant.scenario), scenario && `: ${scenario.summary}`, ` · ${variant.ranks} ranks`),
    told && element("p", {}, told.summary),
    siblingsOf(data, variant),
    verdictBox(variant),
    variant.timeline && section("What happened", timelineOf(variant),
      lost > 0 && element("p", {class: "soft small"}, `${lost} older operations are no longer in the record.`)),
    graphSection(variant.graph),
    waitingSection(variant.verdict),
    scenario && scenario.lesson && section("The lesson", ...lessonOf(scenario.lesson)),
    codeSection(data, variant),
    variant.timeline && section("More", threadsSection(variant.timeline),
      variant.output && element("details", {class: "quiet"}, element("summary", {}, "What the ranks printed"), element("pre", {}, variant.output)))];
}
