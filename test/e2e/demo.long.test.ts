import { execFile } from "node:child_process";
import { tmpdir } from "node:os";
import { promisify } from "node:util";
import { expect, onTestFinished, test, vi } from "vitest";
import { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import { santinela } from "../support/command-line.ts";
import { MAIN } from "../support/installation.ts";
import { describeWithPostgres } from "../support/postgres.ts";

const LIMIT_MS = 480_000;

async function demo(...words: string[]): Promise<string> {
  const run = promisify(execFile)(process.execPath, [MAIN, "demo", ...words], { timeout: LIMIT_MS });
  return (await run).stdout;
}

test(
  "without PostgreSQL the demo succeeds with a centre on SQLite, prints what it waits for, and says what is left out",
  async () => {
    const stdout = await demo("--postgres", tmpdir());
    expect(stdout).toMatch(/waiting for both interventions to arrive at the dispatch centre/);
    expect(stdout).toMatch(/The site still has its 4 interventions; the dispatch centre has 2/);
    expect(stdout.match(/#\d+, once/g)).toHaveLength(4);
    expect(stdout).toMatch(/Every trip is one intervention at the dispatch centre/);
    expect(stdout).toMatch(/Act two is skipped.*PostgreSQL.*not installed/);
    expect(stdout).toMatch(/apt-get install postgresql/);
  },
  LIMIT_MS,
);

test(
  "the demo fails if the centre lacks one record and has another twice",
  async () => {
    onTestFinished(() => void vi.restoreAllMocks());
    const add = vi.spyOn(DaemonProcess.prototype, "addAccount");
    const { get } = Object.getOwnPropertyDescriptors(DaemonProcess.prototype);
    vi.spyOn(DaemonProcess.prototype, "get").mockImplementation(async function (
      this: DaemonProcess,
      path: string,
    ) {
      const answer = await get.value?.call(this, path);
      // The centre is the daemon with an account for the site.
      const isList = add.mock.contexts.includes(this) && path === "/interventii";
      const [first, ...others] = isList ? (answer as object[]) : [];
      return isList && others.length === 3 ? [first, first, ...others.slice(1)] : answer;
    });
    const { code, stdout, stderr } = await santinela(["demo", "--postgres", tmpdir()], { cwd: tmpdir() });
    expect(stdout).toMatch(/\b2 times\n[^]*\b0 times\n/);
    expect(stdout).toMatch(/Site and dispatch centre differ\.\n$/);
    expect(stderr).toBe("the dispatch centre does not have every record exactly once\n");
    expect(code).toBeGreaterThan(0);
  },
  LIMIT_MS,
);

describeWithPostgres("the demo with PostgreSQL", () => {
  test(
    "has a second act: a process of the centre and the database fail, and every trip arrives once",
    async () => {
      const stdout = await demo();
      const [, second = ""] = stdout.split("Act two:");
      expect(second).toMatch(/Killing the first process of the centre/);
      expect(second).toMatch(/both to be recorded on the site and queued/);
      expect(second.match(/#\d+, once/g)).toHaveLength(4);
      expect(second).toMatch(/Every trip is one intervention at the dispatch centre/);
    },
    LIMIT_MS,
  );
});
