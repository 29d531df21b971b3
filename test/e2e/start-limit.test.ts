import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readFileSync, statSync, truncateSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { Installation, MAIN } from "../support/installation.ts";

let installation: Installation;
let daemon: ChildProcess | undefined;
beforeEach(() => (installation = Installation.temporary()));
afterEach(async () => {
  if (daemon?.kill("SIGTERM")) await once(daemon, "exit");
});

/**
 * Starts the daemon as a service whose log and whose messages to systemd arrive in one file, in their order.
 * @returns what it has written until it is ready
 */
async function startAsService(): Promise<string> {
  const file = join(installation.folder, "output");
  const output = openSync(file, "a");
  // The fourth is the first descriptor that systemd passes.
  daemon = spawn(process.execPath, [MAIN, "serve", "--config", join(installation.folder, "hall.yaml")], {
    stdio: ["ignore", output, output, output],
    env: { ...process.env, LISTEN_FDS: "1", LISTEN_FDNAMES: "notify" },
  });
  closeSync(output);
  const written = (): string => readFileSync(file, "utf8");
  await eventually("the message that it is ready", () => written().includes("READY=1"));
  return written();
}

async function startOnce(): Promise<void> {
  const first = installation.daemon(
    "hall",
    "site: { ref: hall }\nhttp: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\n",
  );
  await first.start();
  await first.end("SIGTERM");
}

/** The seconds of each extension in a part of the output. */
const extensions = (text: string): number[] =>
  [...text.matchAll(/EXTEND_TIMEOUT_USEC=(\d+)/g)].map(([, time]) => Number(time) / 1_000_000);

test.each(["santinela.db", "journal.db"])(
  "a damaged %s is recovered in a time of its own, which does not count towards the limit of the start",
  async (name) => {
    await startOnce();
    const path = join(installation.folder, "hall", name);
    truncateSync(path, Math.floor(statSync(path).size / 2));
    const output = await startAsService();
    const [beforeDamage = "", afterDamage = ""] = output.split('"event":"database-damaged"');
    const [duringRecovery = "", afterRecovery = ""] = afterDamage.split('"event":"database-recovered"');
    // In the order of the work: the checks, the recovery, the report.
    expect(extensions(beforeDamage).length).toBeGreaterThan(0);
    expect(duringRecovery).toContain("EXTEND_TIMEOUT_USEC=");
    for (const seconds of extensions(output)) expect(seconds).toBeGreaterThan(180);
    expect(duringRecovery).not.toContain("READY=1");
    expect(afterRecovery).toContain("READY=1");
  },
);
