"use strict";
// code-cache.js: loads the parts of the program beside it and writes their code caches (part-loader.cjs) for this Node.js with
// its options: what V8 compiles of a part to load it. Run by the build and by an installation.
const { readdirSync, writeFileSync } = require("node:fs");
const { cacheFile, cacheHead, loadPart, observer } = require("./part-loader.js");

const compiled = new Map();
observer.compiled = (name, script, text) => compiled.set(name, { script, text });

// Entries would start something. All others only define what they export.
for (const name of readdirSync(__dirname)) if (/-[\w-]{8}\.js$/.test(name)) loadPart(name);
for (const [name, { script, text }] of compiled) {
  const data = script.createCachedData();
  // An incomplete one is recognised when it is read.
  writeFileSync(cacheFile(name), Buffer.concat([cacheHead(text, data), data]));
}
