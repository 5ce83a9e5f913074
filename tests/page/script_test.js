// Functions of the page's script that need no browser.
"use strict";
const assert = require("assert");
const fs = require("fs");
const path = require("path");
const vm = require("vm");

const folder = process.argv[2];
const scripts = ["10_columns.js", "20_dom.js", "30_code.js", "40_model.js"];
const context = vm.createContext({});
for (const name of scripts) vm.runInContext(fs.readFileSync(path.join(folder, name), "utf8"), context);
const call = (code, ...values) => vm.runInContext(code, context)(...values);

// The same text as in tests/harness/report/page/columns_test.cpp.
assert.deepStrictEqual([...call("decodeColumn", "AAID2gTolQw", 5)], [0, 1, -1, 300, 100000]);
assert.strictEqual(call("rangeText", [0, 1, 2, 5]), "ranks 0–2, 5");
assert.strictEqual(call("rangeText", [3]), "rank 3");
assert.strictEqual(call("visible", "a\u202eb\u0007"), "a\\u202eb\\u0007");

const source = `// A head.
#include "x.h"
namespace {
constexpr int kSteps = 9;
// Trains.
int train(Trainer& trainer,
          Tail tail) {
  return 1;
}

void unused(Rank& rank) { other(rank); }

void leaves(Rank& rank) {
  train(rank);  // BUG: too early
}

void stays(Rank& rank) {
  train(rank);
  join(rank);  // FIX
}

constexpr Variant kVariants[] = {
    {"leaves", broken, "one leaves, \\"early\\"", leaves,
     others},
    {"stays_on", fix,
     "all stay", stays, all_well},
};
`;
const scenario = {source};
const lines = call("codeOf", scenario, "leaves");
assert(lines.includes("// Trains.") && lines.includes("int train(Trainer& trainer,"), "what it calls is shown");
assert(!lines.join("\n").includes("unused"), "nothing else is");
assert(call("codeOf", scenario, "stays_on").join("\n").includes("join(rank);  // FIX"), "by the table, not by the name");
assert.strictEqual(call("codeOf", scenario, "a.*(b"), null);
const rows = call("alignLines", ["a", "b", "c"], ["a", "x", "c", "d"]);
assert.deepStrictEqual(JSON.stringify(rows), JSON.stringify([["a", "a"], ["b", "x"], ["c", "c"], [null, "d"]]));
console.log("the script's functions do as they should");
