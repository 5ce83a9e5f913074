// The page of an acceptance or a soak: its answer, what did not pass, and a row for each check.

const toneClass = {good: "well", bad: "hangs", open: "open", quiet: ""};

function sheetAnswer(sheet) {
  return element("div", {class: "verdict " + toneClass[sheet.tone], role: "status"}, element("strong", {}, sheet.answer),
    ...sheet.sentences.map((text) => element("p", {}, named(text))));
}

// The runs of a check that the page shows: "uneven_batches/join@4" has those of uneven_batches/join.
function runsOf(name, data) {
  return data.variants.find((one) => one.id === name) || data.variants.find((one) => `${one.id}@${one.ranks}` === name);
}

function rowName(name, data) {
  const runs = runsOf(name, data);
  return runs ? element("a", {href: "#" + encodeURI(runs.id)}, named(name)) : named(name);
}

function findingPart(finding, data) {
  const facts = [...finding.culprits.map((text) => ["To blame", text]), ...(finding.advice ? [["To do", finding.advice]] : [])];
  return element("article", {class: "finding"},
    finding.name && element("h3", {}, rowName(finding.name, data), element("span", {class: "differs"}, ` ${finding.answer}`)),
    finding.reason && element("p", {}, named(finding.reason)),
    facts.length > 0 && element("dl", {class: "facts"}, ...facts.flatMap(([name, text]) => [element("dt", {}, name), element("dd", {}, named(text))])),
    finding.evidence && element("pre", {}, finding.evidence.trimEnd()));
}

function sheetRows(sheet, filter) {
  const words = filter.q.toLowerCase().split(/\s+/);
  const shown = sheet.rows.filter((row) => {
    const text = [row.name, row.answer, ...row.cells].join(" ").toLowerCase();
    return (!filter.verdict || row.answer === filter.verdict) && words.every((word) => text.includes(word));
  });
  const key = filter.sort.replace("-", ""), sign = filter.sort.startsWith("-") ? -1 : 1;
  if (key !== "name" && key !== "answer") return shown;
  return [...shown].sort((a, b) => (a[key] < b[key] ? -1 : a[key] > b[key] ? 1 : 0) * sign);
}

function sheetTable(sheet, data, filter, change) {
  const sortable = (key, title) => {
    const active = filter.sort.replace("-", "") === key;
    const next = !active ? key : filter.sort.startsWith("-") ? "" : "-" + key;
    return element("th", {scope: "col", "aria-sort": active ? filter.sort.startsWith("-") ? "descending" : "ascending" : null},
      element("button", {type: "button", "data-sort": key, onclick: () => change({sort: next})}, title));
  };
  const rows = sheetRows(sheet, filter);
  const table = element("div", {class: "scrolls"}, element("table", {class: "sheet"},
    element("thead", {}, element("tr", {}, sortable("name", sheet.row_title), sortable("answer", "Answer"),
      ...sheet.columns.map((title) => element("th", {scope: "col"}, title)))),
    element("tbody", {}, ...rows.map((row) => element("tr", {class: row.tone},
      element("th", {scope: "row"}, rowName(row.name, data)), element("td", {class: "answer"}, row.answer),
      ...row.cells.map((text) => element("td", {}, named(text))))))));
  return {table, shown: rows.length};
}

function sheetPage(data, hash) {
  const sheet = data.answer;
  let filter = readFilter(hash);
  const place = element("div", {});
  const count = element("span", {class: "soft small", role: "status"});
  const change = (what) => {
    filter = {...filter, ...what};
    writeFilter(filter);
    const {table, shown} = sheetTable(sheet, data, filter, change);
    place.replaceChildren(table);
    count.textContent = `${shown} of ${sheet.rows.length}`;
  };
  const words = element("input", {type: "search", value: filter.q, placeholder: "Filter by words", "aria-label": "Filter by words", oninput: () => change({q: words.value})});
  const answers = [...new Set(sheet.rows.map((row) => row.answer))].sort();
  const answer = element("select", {"aria-label": "Filter by answer", onchange: () => change({verdict: answer.value})},
    element("option", {value: ""}, "every answer"), ...answers.map((one) => element("option", {value: one}, one)));
  answer.value = filter.verdict;
  if (sheet.rows.length) change({});
  return [
    element("h1", {}, named(sheet.title)), whenAndWhere(data), sheetAnswer(sheet),
    sheet.caution && element("p", {class: "notice"}, sheet.caution),
    ...notices(data), contextDetails(data),
    sheet.findings.length > 0 && section("What did not pass", ...sheet.findings.map((one) => findingPart(one, data))),
    sheet.rows.length > 0 && section(`All ${sheet.row_title.toLowerCase()}s`,
      element("div", {class: "filters no-print", role: "search"}, words, answer, count), place),
    data.variants.length > 0 && section("Runs that differed", variantTable(data, {q: "", role: "", verdict: "", sort: ""}, () => {}).table)];
}
