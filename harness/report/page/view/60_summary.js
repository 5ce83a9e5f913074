// The summary: how the session went, and a row per variant.

const roles = ["broken", "fix", "remedy", "control", "watch"];
const hangOutcomes = new Set(["deadlock", "stall"]);

function roleBadge(role) { return element("span", {class: "role " + role}, role === "fix" ? "fix" : role); }

function isAsDeclared(variant) { return variant.judged === variant.as_declared && variant.status !== "error"; }

function stripOf(variant) {
  const total = variant.strip.reduce((sum, [, , count]) => sum + count, 0);
  const bars = [];
  const share = Math.max(1, total / 24);
  for (const [outcome, good, count] of variant.strip) {
    for (let k = 0; k < Math.max(1, Math.round(count / share)); ++k) {
      bars.push(element("i", {class: outcome === "skipped" ? "none" : good ? null : "odd"}));
    }
  }
  const words = variant.strip.map(([outcome, , count]) => `${count} × ${outcome}`).join(", ");
  return element("span", {}, `${variant.runs}`, variant.runs > 1 &&
    element("span", {class: "strip", role: "img", "aria-label": words, title: words}, ...bars));
}

function verdictCell(variant) {
  const good = isAsDeclared(variant);
  return [element("span", {class: good ? null : "differs"}, variant.verdicts),
    !good && variant.declared && variant.role !== "watch" ? element("div", {class: "small differs"}, `declared: ${variant.declared}`) : null,
    variant.reason ? element("div", {class: "small soft"}, variant.reason) : null];
}

function blameOf(variant) {
  const culprits = variant.verdict ? variant.verdict.culprits : [];
  return culprits.length ? rangeText(culprits) : "";
}

const columns = [
  {key: "name", title: "Variant", of: (one) => one.scenario + "/" + one.variant},
  {key: "role", title: "Role", of: (one) => roles.indexOf(one.role)},
  {key: "verdict", title: "Verdict", of: (one) => one.verdicts},
  {key: "blame", title: "To blame", of: blameOf},
  {key: "detect", title: "Detected, ms", of: (one) => one.detect ? one.detect.median : null, number: true},
  {key: "step", title: "Step, µs", of: (one) => one.step ? one.step.median : null, number: true},
  {key: "cost", title: "Cost", of: (one) => one.cost ? one.cost.median : null, number: true},
  {key: "runs", title: "Runs", of: (one) => one.runs, number: true},
];

// What the link says: "#?q=words&role=broken&verdict=deadlock&sort=-detect".
function readFilter(hash) {
  const given = new URLSearchParams(hash.startsWith("?") ? hash.slice(1) : "");
  return {q: given.get("q") || "", role: given.get("role") || "", verdict: given.get("verdict") || "", sort: given.get("sort") || ""};
}

function writeFilter(filter) {
  const kept = new URLSearchParams(Object.entries(filter).filter(([, value]) => value));
  history.replaceState(null, "", "#" + (kept.toString() ? "?" + kept : ""));
}

function passes(variant, filter, data) {
  if (filter.role && variant.role !== filter.role) return false;
  if (filter.verdict === "differs" ? isAsDeclared(variant) : filter.verdict && variant.status !== filter.verdict) return false;
  const scenario = data.scenarios[variant.scenario];
  const text = [variant.id, variant.verdicts, variant.role, blameOf(variant), scenario ? scenario.summary : "",
    scenario && scenario.variants[variant.variant] ? scenario.variants[variant.variant].summary : "",
    variant.verdict ? variant.verdict.explanation : ""].join(" ").toLowerCase();
  return filter.q.toLowerCase().split(/\s+/).every((word) => text.includes(word));
}

function sorted(variants, sort) {
  if (!sort) return variants;
  const down = sort.startsWith("-"), column = columns.find((one) => one.key === sort.replace("-", ""));
  if (!column) return variants;
  return [...variants].sort((a, b) => {
    const [one, other] = [column.of(a), column.of(b)];
    if (one === null || one === "") return 1;
    if (other === null || other === "") return -1;
    return (one < other ? -1 : one > other ? 1 : 0) * (down ? -1 : 1);
  });
}

function variantRow(variant, data, grouped) {
  const scenario = data.scenarios[variant.scenario];
  const told = scenario && scenario.variants[variant.variant];
  const name = variant.variant || variant.scenario;
  return element("tr", {},
    element("td", {}, element("a", {href: "#" + encodeURI(variant.id)}, named(grouped || !variant.variant ? name : `${variant.scenario}/${name}`)),
      variant.id.includes("@") && element("span", {class: "soft"}, ` ${variant.ranks} ranks`),
      told && element("div", {class: "small soft"}, told.summary)),
    element("td", {}, roleBadge(variant.role)),
    element("td", {}, verdictCell(variant)),
    element("td", {class: "blame"}, blameOf(variant)),
    element("td", {class: "number"}, median(variant.detect)),
    element("td", {class: "number"}, median(variant.step)),
    element("td", {class: "number"}, variant.cost ? median(variant.cost) + "×" : ""),
    element("td", {class: "number"}, stripOf(variant)));
}

function variantTable(data, filter, change) {
  const shown = sorted(data.variants.filter((one) => passes(one, filter, data)), filter.sort);
  const body = element("tbody", {});
  let before = null;
  for (const variant of shown) {
    const scenario = data.scenarios[variant.scenario];
    if (!filter.sort && variant.variant && variant.scenario !== before) {
      body.append(element("tr", {class: "scenario"}, element("th", {colspan: columns.length, scope: "rowgroup"}, named(variant.scenario),
        scenario && element("span", {}, scenario.summary))));
      before = variant.scenario;
    }
    body.append(variantRow(variant, data, !filter.sort));
  }
  const head = columns.map((column) => {
    const active = filter.sort.replace("-", "") === column.key;
    const next = !active ? column.key : filter.sort.startsWith("-") ? "" : "-" + column.key;
    return element("th", {scope: "col", class: column.number ? "number" : null,
      "aria-sort": active ? filter.sort.startsWith("-") ? "descending" : "ascending" : null},
      element("button", {type: "button", "data-sort": column.key, onclick: () => change({sort: next})}, column.title));
  });
  const table = element("div", {class: "scrolls"}, element("table", {class: "variants"}, element("thead", {}, element("tr", {}, ...head)), body));
  return {table, shown: shown.length};
}

function truthTable(sums) {
  const cell = (value, good, name) => element("td", {class: value === 0 ? null : good ? "good" : "bad"}, String(value),
    element("span", {class: "small soft"}, ` ${good ? "true" : "false"} ${name}`));
  return element("table", {class: "truth"},
    element("caption", {}, "What was found, against what is declared"),
    element("thead", {}, element("tr", {}, element("td", {}), element("th", {scope: "col"}, "a fault was found"), element("th", {scope: "col"}, "none was found"))),
    element("tbody", {},
      element("tr", {}, element("th", {scope: "row"}, "should go wrong"), cell(sums.true_positive, true, "positive"), cell(sums.false_negative, false, "negative")),
      element("tr", {}, element("th", {scope: "row"}, "should complete"), cell(sums.false_positive, false, "positive"), cell(sums.true_negative, true, "negative"))));
}

function tile(value, text, kind) { return element("div", {class: "tile " + (kind || "")}, element("b", {}, value), text); }

function summaryTiles(data) {
  const sums = data.summary, tiles = [];
  const judged = sums.runs;
  const differ = judged - sums.as_declared;
  const isWatch = data.variants.every((one) => one.role === "watch");
  if (isWatch) tiles.push(differ === 0 ? tile(`${judged} of ${judged}`, "watched runs completed", "good") : tile(`${differ} of ${judged}`, "watched runs did not complete", "bad"));
  else tiles.push(differ === 0 ? tile(`${sums.as_declared} of ${judged}`, "runs as declared", "good") : tile(`${differ} of ${judged}`, "runs differ from what is declared", "bad"));
  if (sums.detection) {
    tiles.push(tile(`${figure(sums.detection.median)} ms`, `to detect a deadlock (median of ${sums.detection.count})`));
  }
  if (sums.skipped) tiles.push(tile(String(sums.skipped), "runs skipped"));
  if (sums.errors) tiles.push(tile(String(sums.errors), "runs in error", "bad"));
  return element("div", {class: "tiles"}, ...tiles, !isWatch && element("div", {class: "tile"}, truthTable(sums)));
}

function contextDetails(data) {
  return element("details", {class: "quiet"}, element("summary", {}, "Machine and build"),
    element("dl", {class: "facts"}, ...data.context.flatMap(([name, text]) => [element("dt", {}, name), element("dd", {}, named(text))])));
}

function notices(data) {
  return [data.simulated && element("p", {class: "soft small"}, "All figures are those of the simulation, not of a GPU."),
    data.missing.length > 0 && element("details", {class: "notice"}, element("summary", {}, `${data.missing.length} things of this session cannot be shown`),
      element("ul", {}, ...data.missing.map((text) => element("li", {}, named(text)))))];
}

function whenAndWhere(data) {
  const context = Object.fromEntries(data.context);
  const date = (context.Date || "").replace(/^(.{10})T(.{5}).*Z$/, "$1 $2 UTC");
  return element("p", {class: "soft"}, [date, context["Back end"], context.CPU || context.GPU].filter(Boolean).join(" · "));
}

function summaryPage(data, hash) {
  let filter = readFilter(hash);
  const place = element("div", {});
  const count = element("span", {class: "soft small", role: "status"});
  const outcomes = [...new Set(data.variants.map((one) => one.status))].sort();
  const used = roles.filter((role) => data.variants.some((one) => one.role === role));
  const buttons = used.map((role) => element("button", {type: "button", "data-role": role, onclick: () => change({role: filter.role === role ? "" : role})}, role));
  const change = (what) => {
    filter = {...filter, ...what};
    writeFilter(filter);
    for (const one of buttons) one.setAttribute("aria-pressed", String(one.dataset.role === filter.role));
    const {table, shown} = variantTable(data, filter, change);
    place.replaceChildren(table);
    count.textContent = `${shown} of ${data.variants.length}`;
  };
  const words = element("input", {type: "search", value: filter.q, placeholder: "Filter by words", "aria-label": "Filter by words", oninput: () => change({q: words.value})});
  const verdict = element("select", {"aria-label": "Filter by verdict", onchange: () => change({verdict: verdict.value})},
    element("option", {value: ""}, "every verdict"), element("option", {value: "differs"}, "not as declared"),
    ...outcomes.map((one) => element("option", {value: one}, one)));
  verdict.value = filter.verdict;
  if (data.variants.length) change({});
  return [
    element("h1", {}, "Results of a session"), whenAndWhere(data),
    data.variants.length > 0 && summaryTiles(data),
    ...notices(data), contextDetails(data),
    data.variants.length > 0 && section("Variants",
      element("div", {class: "filters no-print", role: "search"}, words, element("span", {class: "group"}, ...buttons), verdict, count), place)];
}
