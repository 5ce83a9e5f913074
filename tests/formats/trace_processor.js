// Perfetto's trace_processor, compiled to WebAssembly for its web page, over standard input and output.
// Usage: node trace_processor.js FOLDER (with engine_bundle.js and trace_processor*.wasm)
'use strict';
const fs = require('fs');
const path = require('path');
const vm = require('vm');

const folder = process.argv[2];
const channel = {onmessage: null, postMessage: (bytes) => fs.writeSync(1, Buffer.from(bytes))};
const read = (name) => fs.readFileSync(path.join(folder, path.basename(String(name))));

// What the bundle expects to find in a browser's worker.
const worker = {
  console: {log() {}, warn() {}, error() {}},
  location: {href: 'http://localhost/engine_bundle.js'},
  importScripts() {},
  WorkerGlobalScope: class {},
  XMLHttpRequest: class {
    open(_, name) { this.name = name; }
    send() { this.response = read(this.name); }
  },
  TypeError, WebAssembly, URL, TextDecoder, TextEncoder, Uint8Array, ArrayBuffer, Promise, setTimeout, clearTimeout, performance,
  crypto,
};
worker.self = worker.globalThis = worker;

vm.runInNewContext(read('engine_bundle.js').toString(), worker);
worker.onmessage({data: channel});
// The bundle has compiled its program by now, and sets it up before the first timer.
setTimeout(() => {
  process.stdin.on('data', (bytes) => channel.onmessage({data: new Uint8Array(bytes)}));
  process.stdin.on('end', () => process.exit(0));
}, 0);
