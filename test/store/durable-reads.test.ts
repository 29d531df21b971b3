import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { openReadOnly } from "../../src/store/database.ts";
import { openMainDatabase } from "../../src/store/main-database.ts";
import { BUILD } from "../support/built-program.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { describeWithStrace } from "../support/traced-daemon.ts";

/*
 * The front and sensing read on connections of their own. SQLite publishes a commit (the header of the wal-index) only
 * after the sync of its frames, so they never see what a power cut could still take back.
 */

const COMMITS = 5;
/** Of each sync, before it begins. */
const DELAY_MS = 300;
const WRITER = `
const { openMainDatabase } = await import(process.argv[1]);
const { writeSync } = await import("node:fs");
const database = openMainDatabase(process.argv[2]);
const now = () => performance.timeOrigin + performance.now();
for (let id = 1; id <= ${COMMITS}; id += 1) {
  const fromMs = now();
  database.prepare("INSERT INTO objectives VALUES('obiective/cladiri', ?, '{}', 'config')").run(id);
  writeSync(1, JSON.stringify({ id, fromMs, untilMs: now() }) + "\\n");
}
// Until the reader has seen the last one.
process.stdin.resume();
`;

interface Commit {
  readonly id: number;
  readonly fromMs: number;
  readonly untilMs: number;
}

/** When the syncs of the write-ahead log ended, from the trace. */
function syncEnds(trace: string): number[] {
  return [...trace.matchAll(/(\d+\.\d+) f(?:data)?sync\(\d+<[^>]*-wal>\) += 0 .*<(\d+\.\d+)>/g)].map(
    ([, start, seconds]) => (Number(start) + Number(seconds)) * 1000,
  );
}

describeWithStrace("a reader on its own connection", () => {
  test("sees a commit only after its frames are on disk, even while the flush takes long", async () => {
    const folder = temporaryFolder();
    const [path, output] = [join(folder, "santinela.db"), join(folder, "trace")];
    openMainDatabase(path).close();
    const store = pathToFileURL(join(BUILD, "store/main-database.js")).href;
    const traced = ["-f", "-ttt", "-T", "-y", "-o", output, "-e", "trace=fsync,fdatasync"];
    const slow = ["-e", `inject=fsync,fdatasync:delay_enter=${DELAY_MS * 1000}`];
    const node = [process.execPath, "--input-type=module", "-e", WRITER, store, path];
    const writer = spawn("strace", [...traced, ...slow, ...node], { stdio: ["pipe", "pipe", "inherit"] });
    let text = "";
    writer.stdout.on("data", (chunk: Buffer) => (text += chunk.toString()));
    const reader = openReadOnly(path);
    const count = reader.prepare<[], number>("SELECT count(*) FROM objectives").pluck();
    const looks: { readonly atMs: number; readonly seen: number }[] = [];
    try {
      for (let seen = 0; seen < COMMITS;) {
        seen = count.get() as number;
        looks.push({ atMs: performance.timeOrigin + performance.now(), seen });
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
      }
      writer.stdin.end();
      await once(writer, "exit");
    } finally {
      writer.kill();
      reader.close();
    }
    const commits = text
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Commit);
    const ends = syncEnds(readFileSync(output, "utf8"));
    expect(commits).toHaveLength(COMMITS);
    let earlyLooks = 0;
    for (const { id, fromMs, untilMs } of commits) {
      const syncEnd = ends.find((end) => end > fromMs && end < untilMs);
      expect(syncEnd, `the sync of commit ${id}`).toBeDefined();
      const early = looks.filter(({ atMs }) => atMs > fromMs && atMs < (syncEnd ?? 0));
      expect(early.filter(({ seen }) => seen >= id)).toEqual([]);
      earlyLooks += early.length;
    }
    // The reader looked while frames were written but not yet on disk; on a busy machine not during each sync.
    expect(earlyLooks).toBeGreaterThan(1);
  });
});
