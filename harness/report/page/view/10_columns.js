"use strict";
// Columns of whole numbers: base64 of LEB128 of zigzag differences, as harness/report/page/columns.cpp writes them.

const digitValues = new Int16Array(128).fill(-1);
[..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"].forEach((digit, value) => {
  digitValues[digit.charCodeAt(0)] = value;
});

function decodeColumn(text, length) {
  const values = new Float64Array(length);
  let bits = 0, have = 0, at = 0, before = 0, value = 0, scale = 1;
  for (let i = 0; i < text.length && at < length; ++i) {
    bits = (bits << 6 | digitValues[text.charCodeAt(i)]) & 0xffff;
    have += 6;
    if (have < 8) continue;
    have -= 8;
    const byte = bits >> have & 0xff;
    value += (byte & 0x7f) * scale;
    scale *= 128;
    if (byte & 0x80) continue;
    before += value % 2 ? -(value + 1) / 2 : value / 2;
    values[at++] = before;
    value = 0;
    scale = 1;
  }
  return values;
}

// The ranks of a timeline with their columns; equal columns are decoded once, and only when they are looked at.
function openTimeline(timeline) {
  const decoded = new Map();
  const column = (number, length) => {
    if (!decoded.has(number)) decoded.set(number, decodeColumn(timeline.columns[number], length));
    return decoded.get(number);
  };
  for (const rank of timeline.ranks) {
    const names = rank.operations;
    const operations = {};
    for (const name of Object.keys(names)) {
      Object.defineProperty(operations, name, {get: () => column(names[name], rank.length)});
    }
    rank.columns = operations;
  }
  return timeline;
}
