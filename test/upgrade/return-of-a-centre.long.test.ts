import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { MIGRATION_LOCK } from "../../src/postgres/migrations.ts";
import { MAIN } from "../support/built-program.ts";
import { freePort } from "../support/loopback.ts";
import { describeWithPostgres, PostgresServer } from "../support/postgres.ts";

/*
 * Whether a dispatch centre may return to the release before, as santinela-upgrade decides it: its own function, with the program
 * and with PostgreSQL. Of systemd and of the user of the service there are only stand-ins.
 */

const SCRIPT = readFileSync(
  fileURLToPath(new URL("../../systemd/santinela-upgrade", import.meta.url)),
  "utf8",
);
const FUNCTIONS = ["centre_check", "can_return", "is_updating"].map((name) => {
  const [text] = new RegExp(`^${name}\\(\\) \\{(?: .* \\}|\\n[\\s\\S]*?^\\})$`, "m").exec(SCRIPT) ?? [];
  if (text === undefined) throw new Error(`santinela-upgrade has no function ${name}`);
  return text;
});

describeWithPostgres("the release before of a dispatch centre", () => {
  let server: PostgresServer;
  let folder: string;
  let environment: NodeJS.ProcessEnv;

  beforeAll(async () => {
    server = await PostgresServer.start();
    folder = mkdtempSync(join(tmpdir(), "santinela-return-"));
    const programs = join(folder, "programs");
    const release = join(folder, "release");
    mkdirSync(programs);
    mkdirSync(join(release, "node", "bin"), { recursive: true });
    symlinkSync(process.execPath, join(release, "node", "bin", "node"));
    symlinkSync(dirname(MAIN), join(release, "dist"));
    symlinkSync("release", join(folder, "current"));
    stub(join(programs, "systemctl"), `echo SANTINELA_CONFIG=${join(folder, "centre.yaml")}`);
    stub(join(programs, "setpriv"), 'while [ "${1#--}" != "$1" ]; do shift; done; exec "$@"');
    environment = { ...process.env, PATH: `${programs}${delimiter}${process.env["PATH"]}` };
  });
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
  });
  beforeEach(async () => {
    await server.query("postgres", "DROP DATABASE IF EXISTS centre");
    await server.query("postgres", "CREATE DATABASE centre");
    configure(`database: postgres://santinela@${encodeURIComponent(server.folder)}/centre\n`);
  });

  function stub(path: string, command: string): void {
    writeFileSync(path, `#!/bin/sh\n${command}\n`);
    chmodSync(path, 0o755);
  }

  function configure(yaml: string): void {
    writeFileSync(join(folder, "centre.yaml"), `http: { port: 0 }\ndataDir: ./data\n${yaml}`);
  }

  /** What a function answers, and what it prints for the log. */
  function answerOf(call: string): Promise<{ answer: boolean; said: string }> {
    const names = `home=${folder}\ncentre=santinela-centre.service`;
    const script = `set -eu\n${names}\n${FUNCTIONS.join("\n")}\n${call}`;
    return new Promise((resolve) => {
      execFile("sh", ["-c", script], { env: environment }, (error, _out, said) =>
        resolve({ answer: error === null, said }),
      );
    });
  }

  async function canReturn(): Promise<{ mayReturn: boolean; said: string }> {
    const { answer, said } = await answerOf('can_return "$home/release"');
    return { mayReturn: answer, said };
  }

  async function migrate(): Promise<void> {
    const arguments_ = [MAIN, "migrate", "--config", join(folder, "centre.yaml")];
    await new Promise<void>((resolve, reject) => {
      execFile(process.execPath, arguments_, (error) => (error ? reject(error) : resolve()));
    });
  }

  test("starts again on a schema that it knows, and not on that of a newer release, which it names", async () => {
    await migrate();
    expect(await canReturn()).toMatchObject({ mayReturn: true });
    await server.query("centre", "INSERT INTO schema_steps(step, at) VALUES(1000, now())");
    const { mayReturn, said } = await canReturn();
    expect([mayReturn, said]).toEqual([false, expect.stringContaining("the schema of a newer release")]);
  });

  test("is not awaited as one that hangs while a process updates the schema, for as long as that takes", async () => {
    await migrate();
    expect((await answerOf("is_updating")).answer).toBe(false);
    const updater = new pg.Client({ host: server.folder, user: "santinela", database: "centre" });
    await updater.connect();
    await updater.query("SELECT pg_advisory_lock($1)", [MIGRATION_LOCK]);
    expect((await answerOf("is_updating")).answer).toBe(true);
    await updater.end();
  });

  test("is not started while the database is absent; it may return to a file that it rejects", async () => {
    configure(`database: postgres://santinela@127.0.0.1:${await freePort()}/centre\n`);
    const absent = await canReturn();
    expect([absent.mayReturn, absent.said]).toEqual([false, expect.stringContaining("ECONNREFUSED")]);
    configure("htp: 1\n");
    const invalid = await canReturn();
    expect([invalid.mayReturn, invalid.said]).toEqual([true, expect.stringContaining("htp")]);
  });
});
