"use strict";
// Loads the parts of the program (bundle.mjs), each once in a thread. If there is a code cache, V8 takes what it once compiled
// of a part from it instead of parsing the part again, a quarter of the time of a start. No start depends on one: without it,
// or with one of another Node.js, the part is compiled.
const { readFileSync } = require("node:fs");
const path = require("node:path");
const { cachedDataVersionTag } = require("node:v8");
const { Script, constants } = require("node:vm");
const { crc32 } = require("node:zlib");

const modules = new Map();
/** Replaced by code-cache.js, which writes the caches. */
const observer = { compiled: (_name, _script, _text) => {} };

/** The exports of the part with this file name. */
function loadPart(name) {
  let module = modules.get(name);
  if (module === undefined) {
    module = { exports: {} };
    modules.set(name, module);
    const run = compile(name).runInThisContext();
    run(module.exports, requireFromPart, module, path.join(__dirname, name), __dirname);
  }
  return module.exports;
}

/** The `require` of every part: for another part, a package or a module of Node.js. */
function requireFromPart(id) {
  return id.startsWith("./") ? loadPart(id.slice(2)) : require(id);
}

function compile(name) {
  const text = readFileSync(path.join(__dirname, name));
  const script = new Script(text.latin1Slice(), {
    filename: path.join(__dirname, name),
    cachedData: cachedData(cacheFile(name), text),
    // Undefined in an old Node.js, which the program then rejects.
    importModuleDynamically: constants?.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  observer.compiled(name, script, text);
  return script;
}

/** A cache fits one version of V8 with the same options and processor, so they are in its name. */
function cacheFile(name) {
  return path.join(__dirname, `${name}.${cachedDataVersionTag().toString(16)}.cache`);
}

/**
 * V8 compares only the length of the text and trusts the rest: a damaged or outdated cache would run damaged or outdated code.
 * @returns undefined unless the cache is complete and belongs to the text
 */
function cachedData(file, text) {
  try {
    const bytes = readFileSync(file);
    const data = bytes.subarray(HEAD_BYTES);
    return bytes.subarray(0, HEAD_BYTES).equals(cacheHead(text, data)) ? data : undefined;
  } catch {
    return undefined;
  }
}

const HEAD_BYTES = 8;

/** The checksums of the text of a part and of its compiled form. */
function cacheHead(text, data) {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt32LE(crc32(text), 0);
  head.writeUInt32LE(crc32(data), 4);
  return head;
}

module.exports = { cacheFile, cacheHead, loadPart, observer };
