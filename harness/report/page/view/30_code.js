// Of a scenario's file, the code of one variant; and two variants side by side.

// Definitions at the left margin: name, lines, and the comment above.
function functionsOf(source) {
  const lines = source.split("\n");
  const found = new Map();
  for (let i = 0; i < lines.length; ++i) {
    if (!/^[A-Za-z_][\w:<>,&* ]*\(/.test(lines[i]) || /^(constexpr|const|using|return|namespace|struct|class)\b.*=/.test(lines[i])) continue;
    const begin = i;
    let head = "";
    while (i < lines.length && !/[{;]/.test(lines[i])) head += lines[i++];
    if (i >= lines.length) break;
    head += lines[i];
    if (!head.includes("{")) continue;
    const name = /([A-Za-z_]\w*)\s*\(/.exec(head);
    if (!/\}\s*$/.test(lines[i])) while (i < lines.length && lines[i] !== "}") ++i;
    let first = begin;
    while (first > 0 && (/^\/\//.test(lines[first - 1]) || /^template\b/.test(lines[first - 1]))) --first;
    if (name) found.set(name[1], {first, lines: lines.slice(first, i + 1)});
  }
  return found;
}

// The function that the table of variants names, and then what it calls of the same file. What only checks the numbers
// at the end is left out.
function codeOf(scenario, variant) {
  const functions = functionsOf(scenario.source);
  const quoted = variant.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const row = new RegExp(`\\{\\s*(?:\\.name\\s*=\\s*)?"${quoted}"[^;]*?(?:"(?:[^"\\\\]|\\\\.)*"\\s*)+,\\s*([A-Za-z_]\\w*)`).exec(scenario.source);
  const root = row && functions.has(row[1]) ? row[1] : functions.has(variant) ? variant : null;
  if (root === null) return null;
  const wanted = new Set([root]);
  for (const name of wanted) {
    const text = functions.get(name).lines.join("\n").replace(/\/\/.*$/gm, "");
    for (const other of functions.keys()) {
      if (!other.startsWith("verify") && new RegExp(`\\b${other}\\b`).test(text)) wanted.add(other);
    }
  }
  wanted.delete(root);
  const helpers = [...wanted].map((name) => functions.get(name)).sort((a, b) => a.first - b.first);
  return [functions.get(root), ...helpers].flatMap((one, index) => index ? ["", ...one.lines] : one.lines);
}

// Pairs of lines: [left or null, right or null], by the longest common subsequence.
function alignLines(left, right) {
  const height = left.length, width = right.length;
  const best = Array.from({length: height + 1}, () => new Uint16Array(width + 1));
  for (let i = height - 1; i >= 0; --i) {
    for (let j = width - 1; j >= 0; --j) {
      best[i][j] = left[i] === right[j] ? best[i + 1][j + 1] + 1 : Math.max(best[i + 1][j], best[i][j + 1]);
    }
  }
  const pairs = [];
  let i = 0, j = 0;
  while (i < height && j < width) {
    if (left[i] === right[j]) pairs.push([left[i++], right[j++]]);
    else if (best[i + 1][j] >= best[i][j + 1]) pairs.push([left[i++], null]);
    else pairs.push([null, right[j++]]);
  }
  while (i < height) pairs.push([left[i++], null]);
  while (j < width) pairs.push([null, right[j++]]);
  return together(pairs);
}

// Lines that went next to lines that came, so that a change stands in one row.
function together(pairs) {
  const rows = [];
  for (let i = 0; i < pairs.length;) {
    if (pairs[i][0] !== null && pairs[i][1] !== null) { rows.push(pairs[i++]); continue; }
    const gone = [], come = [];
    while (i < pairs.length && (pairs[i][0] === null || pairs[i][1] === null)) {
      if (pairs[i][0] !== null) gone.push(pairs[i][0]); else come.push(pairs[i][1]);
      ++i;
    }
    for (let k = 0; k < Math.max(gone.length, come.length); ++k) rows.push([gone[k] ?? null, come[k] ?? null]);
  }
  return rows;
}

// A line of code: its comment is soft, BUG and FIX are marked.
function codeLine(line) {
  const at = line.indexOf("//");
  if (at < 0) return [line];
  const comment = element("i", {});
  for (const part of line.slice(at).split(/\b((?:BUG|FIX)\b[^\n]*)/)) {
    if (part) comment.append(/^(BUG|FIX)\b/.test(part) ? element("b", {}, part) : document.createTextNode(part));
  }
  return [line.slice(0, at), comment];
}

function diffTable(leftName, rightName, left, right) {
  const rows = alignLines(left, right);
  const body = element("tbody", {});
  const show = ([one, other]) => element("tr", {},
    element("td", {class: other === null || one !== other && one !== null ? "code out" : "code"}, one === null ? "" : codeLine(one)),
    element("td", {class: one === null || one !== other && other !== null ? "code in" : "code"}, other === null ? "" : codeLine(other)));
  const kAround = 3;
  for (let i = 0; i < rows.length;) {
    let j = i;
    while (j < rows.length && rows[j][0] === rows[j][1]) ++j;
    const from = i === 0 ? 0 : i + kAround, to = j === rows.length ? j : j - kAround;
    if (to - from < 4) {
      for (; i < Math.max(j, i + 1) && i < rows.length; ++i) body.append(show(rows[i]));
      continue;
    }
    for (; i < from; ++i) body.append(show(rows[i]));
    const hidden = rows.slice(from, to);
    const gap = element("tr", {}, element("td", {class: "gap", colspan: 2},
      element("button", {onclick: () => gap.replaceWith(...hidden.map(show))}, `⋯ ${hidden.length} equal lines`)));
    body.append(gap);
    i = to;
    for (; i < j; ++i) body.append(show(rows[i]));
  }
  return element("table", {class: "diff"},
    element("thead", {}, element("tr", {}, element("th", {scope: "col"}, leftName), element("th", {scope: "col"}, rightName))), body);
}

function plainCode(lines) {
  return element("pre", {class: "code"}, ...lines.flatMap((line) => [...codeLine(line), "\n"]));
}
