// node-gyp, which compiles the add-ons of the package, is affected by npm settings. The add-on here is one line
// long and its headers contain only an ABI, so that it compiles within a second and nothing is downloaded.
import { execFile, execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { beforeEach, expect, test } from "vitest";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { describeUnless, missingOf } from "../support/required-programs.ts";

const ARCHITECTURE = process.arch === "x64" ? "amd64" : process.arch;
const COMPILER = `${process.arch === "x64" ? "x86_64" : "aarch64"}-linux-gnu-g++`;
const MISSING = missingOf({ [COMPILER]: "g++", make: "make", python3: "python3" });

/** The symbol that Node.js looks up in an add-on: its name has the ABI of the build. */
const SOURCE = `
#include <node_version.h>
#define NAMED(abi) node_register_module_v##abi
#define REGISTER(abi) NAMED(abi)
void REGISTER(NODE_MODULE_VERSION)(void *exports, void *module, void *context) {}
`;

describeUnless(MISSING, "an add-on of the package", () => {
  let folder: string;
  let ours: string;
  let theirs: string;
  beforeEach(() => {
    folder = temporaryFolder();
    ours = headersFor("ours", process.versions.modules);
    theirs = headersFor("theirs", "1");
    mkdirSync(join(folder, "source"));
    writeFileSync(join(folder, "source/package.json"), '{ "name": "line", "version": "1.0.0" }');
    writeFileSync(
      join(folder, "source/binding.gyp"),
      "{ 'targets': [{ 'target_name': 'line', 'sources': ['line.c'] }] }",
    );
    writeFileSync(join(folder, "source/line.c"), SOURCE);
    // The Node.js of a package is in bin/.
    mkdirSync(join(folder, "node/bin"), { recursive: true });
    execFileSync("ln", ["-s", process.execPath, join(folder, "node/bin/node")]);
  });

  function headersFor(name: string, abi: string): string {
    const include = join(folder, name, "include/node");
    mkdirSync(include, { recursive: true });
    writeFileSync(join(include, "node_version.h"), `#define NODE_MODULE_VERSION ${abi}\n`);
    writeFileSync(
      join(include, "common.gypi"),
      "{ 'target_defaults': { 'configurations': { 'Debug': {}, 'Release': {} } } }",
    );
    writeFileSync(join(include, "config.gypi"), JSON.stringify(process.config));
    return join(folder, name);
  }

  function compile(headers: string, settings: NodeJS.ProcessEnv = {}): Promise<unknown> {
    return promisify(execFile)(
      "scripts/packaging/compile-addon.sh",
      [ARCHITECTURE, join(folder, "source"), headers, join(folder, "node"), join(folder, "kept")],
      { env: { ...process.env, ...settings } },
    );
  }

  test("is compiled with the headers of the package, despite npm settings", async () => {
    await compile(ours, {
      npm_config_nodedir: theirs,
      NPM_CONFIG_NODEDIR: theirs,
      npm_package_config_node_gyp_nodedir: theirs,
    });
    expect(readdirSync(join(folder, "kept"))).toEqual(["line.node"]);
  });

  test("has a SQLite that commits with fdatasync, which spares a card the second flush of an fsync", async () => {
    const condition = "#if !HAVE_FDATASYNC\n#error SQLite would call fsync\n#endif\n";
    writeFileSync(join(folder, "source/line.c"), condition + SOURCE);
    await compile(ours);
    expect(readdirSync(join(folder, "kept"))).toEqual(["line.node"]);
  });

  test("is not kept when the package's Node.js cannot load it, and the message names it", async () => {
    await expect(compile(theirs)).rejects.toThrow(
      new RegExp(
        `Node.js ${process.versions.node}.*ABI ${process.versions.modules}.*cannot load.*line\\.node`,
      ),
    );
    expect(readdirSync(folder).filter((name) => name.startsWith("kept"))).toEqual([]);
  });
});
