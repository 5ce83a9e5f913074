// Elements without markup: every text becomes a text node.

// Characters that nobody sees, or that turn the reading around, are shown as what they are.
function visible(text) {
  return String(text).replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (letter) => "\\u" + letter.charCodeAt(0).toString(16).padStart(4, "0"));
}

function element(name, attributes, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else made.setAttribute(key, value === true ? "" : value);
  }
  made.append(...children.flat(2).filter((child) => child !== null && child !== undefined && child !== false)
    .map((child) => child instanceof Node ? child : document.createTextNode(visible(child))));
  return made;
}

// A name that a program chose: it cannot turn the reading direction of what stands beside it.
const named = (text) => element("bdi", {}, text);

// Three digits, as the tables on the terminal have them.
function figure(value) {
  if (value === null || value === undefined) return "";
  const size = Math.abs(value);
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : 2);
}

const median = (spread) => spread ? figure(spread.median) : "";

// The headings below those of a page, or of a hang in the book. A book has many parts of one title, which are no
// landmarks.
const heading = {section: "h2", part: "h3", isLandmark: true};

function section(title, ...content) {
  return element(heading.isLandmark ? "section" : "div", {"aria-label": heading.isLandmark && title}, element(heading.section, {}, title), ...content);
}

function rangeText(ranks) {
  const parts = [];
  for (let i = 0; i < ranks.length;) {
    let j = i;
    while (j + 1 < ranks.length && ranks[j + 1] === ranks[j] + 1) ++j;
    parts.push(j === i ? `${ranks[i]}` : j === i + 1 ? `${ranks[i]}, ${ranks[j]}` : `${ranks[i]}–${ranks[j]}`);
    i = j + 1;
  }
  return (ranks.length === 1 ? "rank " : "ranks ") + parts.join(", ");
}
