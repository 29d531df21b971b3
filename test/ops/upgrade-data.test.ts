import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/* Which data santinela-upgrade copies and tests: its own functions. Of systemd and of the programs there are only stand-ins. */

const SCRIPT = readFileSync(new URL("../../systemd/santinela-upgrade", import.meta.url), "utf8");
const FUNCTIONS = ["fail", "property", "data_of", "try_database"].map((name) => {
  const [text] = new RegExp(`^${name}\\(\\) \\{(?: .* \\}|\\n[\\s\\S]*?^\\})$`, "m").exec(SCRIPT) ?? [];
  if (text === undefined) throw new Error(`santinela-upgrade has no function ${name}`);
  return text;
});

let folder: string;
let daemon: ChildProcess | undefined;
beforeEach(() => {
  folder = temporaryFolder();
  mkdirSync(join(folder, "bin"));
  put("bin/systemctl", "#!/bin/sh\ncat $FOLDER/pid 2>/dev/null || echo 0\n");
  // The installed release copies the data that its environment names.
  put("bin/santinela", '#!/bin/sh\n[ "$1" = backup ] && cp "$SANTINELA_DATA_DIR/santinela.db" "$3"\n');
  put("bin/program", '#!/bin/sh\ncat "$SANTINELA_DATA_DIR/santinela.db" >>$FOLDER/tested\n');
  put("site", "/etc/santinela/santinela.yaml is valid: 2 zones, standalone, data in /nowhere/at all\n");
  put("elsewhere/my data/santinela.db", "records");
});
afterEach(() => {
  daemon?.kill("SIGKILL");
  daemon = undefined;
});

function put(path: string, text: string): void {
  const file = join(folder, path);
  mkdirSync(join(file, ".."), { recursive: true });
  writeFileSync(file, text, { mode: 0o755 });
}

/** A service whose process has this database open. */
async function runDaemon(database: string): Promise<void> {
  daemon = spawn("sh", ["-c", 'exec 3<"$1"; : >"$2"; exec sleep 600', "sh", database, join(folder, "ready")]);
  await eventually("the process", () => {
    put("pid", String(daemon?.pid));
    return spawnSync("test", ["-e", join(folder, "ready")]).status === 0;
  });
}

function run(calls: string): { status: number | null; stdout: string; stderr: string } {
  const script = `set -eu\nsite=santinela.service program=program work=$FOLDER\nas_service() { env "$@"; }\n${FUNCTIONS.join("\n")}\n${calls}`;
  const PATH = `${join(folder, "bin")}${delimiter}${process.env["PATH"]}`;
  return spawnSync("sh", ["-c", script], { env: { PATH, FOLDER: folder }, encoding: "utf8" });
}

test("the copy and the test have the database that the running service has open, wherever it is", async () => {
  const data = join(folder, "elsewhere/my data");
  await runDaemon(join(data, "santinela.db"));
  mkdirSync(join(folder, "trial"));
  const outcome = run('data=$(data_of "$site" "$work/site" /usual); try_database "$data" "$work/trial"');
  expect(outcome).toMatchObject({ status: 0, stderr: "" });
  expect(readFileSync(join(data, "before-upgrade.db"), "utf8")).toBe("records");
  expect(readFileSync(join(folder, "tested"), "utf8")).toBe("records");
});

test("of a stopped service the configuration names the data; where there is none yet, the script reports it", () => {
  const outcome = run(
    'data=$(data_of "$site" "$work/site" /usual); echo "$data"; try_database "$data" "$work/trial"',
  );
  expect(outcome.stdout).toBe(
    "/nowhere/at all\nThere is no database in /nowhere/at all yet, so none is tested\n",
  );
  put("site", "the file is valid\n");
  expect(run('data_of "$site" "$work/site" /usual').stdout).toBe("/usual\n");
});

test("an upgrade stops if the database exists for the unit alone, or cannot be copied, and changes nothing", async () => {
  put("bin/find", "#!/bin/sh\necho /only/there/santinela.db\n");
  const hidden = run('data=$(data_of "$site" "$work/site" /usual); echo goes on');
  expect(hidden).toMatchObject({ status: 1, stdout: "" });
  expect(hidden.stderr).toContain("/only/there/santinela.db");
  expect(hidden.stderr).toContain("no changes made");
  // Another file has this name outside the unit, as the former one beside BindPaths=.
  put("bin/find", '#!/bin/sh\necho "/proc/self/fd/0 $FOLDER/elsewhere/my data/santinela.db"\n');
  const former = run('data=$(data_of "$site" "$work/site" /usual); echo goes on');
  expect(former).toMatchObject({ status: 1, stdout: "" });
  expect(former.stderr).toContain("no changes made");
  rmSync(join(folder, "bin/santinela"));
  put("bin/santinela", "#!/bin/sh\necho no room >&2; exit 1\n");
  const full = run('try_database "$FOLDER/elsewhere/my data" "$work/trial"; echo goes on');
  expect(full).toMatchObject({ status: 1, stdout: "" });
  expect(full.stderr).toMatch(/no room[\s\S]*no changes made/);
});
