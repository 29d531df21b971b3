import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, test } from "vitest";
import { failpointOf } from "../../src/ops/failpoint.ts";
import { ConditionRegistry } from "../../src/ops/condition-registry.ts";
import { JsonLog } from "../../src/ops/log.ts";
import {
  revokePreviousKey,
  mqttClientId,
  oneTimePassword,
  prepareDataDir,
  rotateSigningKey,
  signingKeys,
  type SigningKeys,
} from "../../src/ops/secrets.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const failed = (reason: string): never => expect.fail(reason);

let folder: string;
beforeEach(() => (folder = temporaryFolder()));

describe("secrets", () => {
  const keysOf = (dataDir: string): SigningKeys =>
    signingKeys(dataDir, (reason) => expect.unreachable(reason));

  test("are created once, readable only by the user of the daemon", () => {
    prepareDataDir(folder);
    const first = keysOf(folder).current.export().toString("hex");
    expect(keysOf(folder).current.export().toString("hex")).toBe(first);
    expect(statSync(join(folder, "secrets")).mode & 0o777).toBe(0o700);
    expect(statSync(join(folder, "secrets", "token-signing.key")).mode & 0o777).toBe(0o600);
    expect(first).toHaveLength(64);
  });

  test("are different in two installations: key, client id and first password", () => {
    const other = temporaryFolder();
    prepareDataDir(folder);
    prepareDataDir(other);
    expect(keysOf(other).current.export()).not.toEqual(keysOf(folder).current.export());
    expect(mqttClientId(other, failed)).not.toBe(mqttClientId(folder, failed));
    expect(oneTimePassword()).not.toBe(oneTimePassword());
    expect(oneTimePassword()).toMatch(/^([a-z1-9]{5}-){3}[a-z1-9]{5}$/);
  });

  test.each([
    "secret",
    "00",
    "ab".repeat(31),
    "00".repeat(32),
    "00112233445566778899aabbccddeeff".repeat(2),
    Buffer.from("your-256-bit-secret-your-256-bit-").toString("hex"),
  ])("replace the damaged or weak signing key %j, and keep its file", (weak) => {
    prepareDataDir(folder);
    const path = join(folder, "secrets", "token-signing.key");
    writeFileSync(path, weak);
    const key = keysOf(folder).current.export();
    expect(key.toString("hex")).not.toBe(weak);
    expect(key.length).toBe(32);
    expect(keysOf(folder).current.export()).toEqual(key);
    expect(readFileSync(`${path}.unusable`, "utf8")).toBe(weak);
  });

  test("that cannot be stored last until the end of the run, with the reason", () => {
    mkdirSync(join(folder, "secrets", "token-signing.key"), {
      recursive: true,
    });
    const reasons: string[] = [];
    expect(signingKeys(folder, (reason) => void reasons.push(reason)).current.export().length).toBe(32);
    expect(reasons).toEqual([expect.stringMatching(/cannot read .*token-signing\.key/)]);
  });

  test("replace an empty key file after a power cut; restrict the permissions of a readable one", () => {
    prepareDataDir(folder);
    const path = join(folder, "secrets", "token-signing.key");
    writeFileSync(path, "", { mode: 0o600 });
    const { current } = keysOf(folder);
    chmodSync(path, 0o644);
    expect(keysOf(folder).current.export()).toEqual(current.export());
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, "secrets"))).toEqual(["token-signing.key"]);
  });

  test("rotate: the previous key is kept beside the new one until it is removed", () => {
    prepareDataDir(folder);
    const first = keysOf(folder);
    expect(first.previous).toBeUndefined();
    rotateSigningKey(folder);
    const second = keysOf(folder);
    expect(second.previous?.export()).toEqual(first.current.export());
    expect(second.current.export()).not.toEqual(first.current.export());
    expect(statSync(join(folder, "secrets", "token-signing.previous.key")).mode & 0o777).toBe(0o600);
    revokePreviousKey(folder);
    expect(keysOf(folder)).toEqual({ current: second.current });
  });

  test("require a data directory, whose absence is an error with a remedy", () => {
    writeFileSync(join(folder, "file"), "");
    expect(() => prepareDataDir(join(folder, "file", "var"))).toThrow(/cannot create the data directory/);
    expect(readFileSync(join(folder, "file"), "utf8")).toBe("");
  });
});

describe("the log", () => {
  const lines: string[] = [];
  const clock = new ManualClock(Date.UTC(2026, 10, 20));
  beforeEach(() => lines.splice(0));

  test("has one line an event, whatever the fields hold", () => {
    const log = new JsonLog({ level: "info", clock, write: (line) => lines.push(line) });
    log.info("trip", { zone: "a\nb", error: new Error("x\ny") });
    log.debug("unheard");
    log.warn("real", { event: "forged", level: "debug", time: "never" });
    expect(JSON.parse(lines.pop() ?? "")).toMatchObject({
      event: "real",
      level: "warn",
      time: "2026-11-20T00:00:00.000Z",
    });
    expect(lines).toHaveLength(1);
    expect(lines[0]?.split("\n")).toHaveLength(2);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      time: "2026-11-20T00:00:00.000Z",
      level: "info",
      event: "trip",
      zone: "a\nb",
    });
  });

  test("has debug lines for a limited time, and then the configured level", () => {
    const passing = new ManualClock();
    const log = new JsonLog({ level: "warn", clock: passing, write: (line) => lines.push(line) });
    const logged = (): string[] => {
      log.debug("detail");
      log.warn("trouble");
      return lines.splice(0).map((line) => (JSON.parse(line) as { event: string }).event);
    };
    expect(logged()).toEqual(["trouble"]);
    log.enableDebug(60_000);
    expect(logged()).toEqual(["detail", "trouble"]);
    passing.advance(59_000);
    log.enableDebug(60_000);
    passing.advance(59_000);
    expect(logged()).toEqual(["detail", "trouble"]);
    passing.advance(1_000);
    expect(logged()).toEqual(["trouble"]);
  });

  test("has the syslog priority for journald", () => {
    const log = new JsonLog({ level: "debug", clock, write: (line) => lines.push(line), forJournald: true });
    log.debug("a");
    log.info("b");
    log.warn("c");
    log.error("d");
    expect(lines.map((line) => line.slice(0, 3))).toEqual(["<7>", "<6>", "<4>", "<3>"]);
  });

  test("reports once that a condition opened, changed and closed", () => {
    const log = new JsonLog({ level: "info", clock, write: (line) => lines.push(line) });
    const health = new ConditionRegistry(clock, log);
    health.raise("upstream-unreachable", "refused");
    clock.advance(1000);
    health.raise("upstream-unreachable", "refused");
    health.raise("gpio-line-failed", "line 17 is gone", "front-door");
    expect(health.list().map(({ code, since }) => [code, since])).toEqual([
      ["gpio-line-failed", "2026-11-20T00:00:01.000Z"],
      ["upstream-unreachable", "2026-11-20T00:00:00.000Z"],
    ]);
    health.clear("gpio-line-failed");
    health.clear("gpio-line-failed", "front-door");
    health.clear("upstream-unreachable");
    expect(health.list()).toEqual([]);
    expect(lines).toHaveLength(4);
  });

  test("closes a condition for every subject, and no other", () => {
    const health = new ConditionRegistry(clock, new JsonLog({ level: "info", clock, write: () => {} }));
    for (const site of ["north", "south"]) health.raise("site-writes-limited", { site }, site);
    health.raise("disk-nearly-full", "1 GB is free");
    health.clearAll("site-writes-limited");
    expect(health.list()).toMatchObject([{ code: "disk-nearly-full" }]);
  });

  test("calls a link that is down for ten minutes a fault, and a shorter failure not", () => {
    const health = new ConditionRegistry(clock, new JsonLog({ level: "info", clock, write: () => {} }));
    const severities = () => health.list().map(({ severity }) => severity);
    health.raise("upstream-unreachable", "refused");
    health.raise("disk-nearly-full", "1 GB is free");
    clock.advance(599_000);
    health.raise("upstream-unreachable", "no route to the host");
    expect(severities()).toEqual(["warning", "warning"]);
    clock.advance(1_000);
    expect(health.list()).toMatchObject([
      { code: "upstream-unreachable", severity: "error" },
      { code: "disk-nearly-full", severity: "warning" },
    ]);
    health.clear("upstream-unreachable");
    health.raise("upstream-unreachable", "refused");
    expect(severities()).toEqual(["warning", "warning"]);
  });
});

test("a failpoint triggers at its name and count only", () => {
  let struck = 0;
  const failpoint = failpointOf("trip-posted:3", () => (struck += 1));
  for (const name of ["trip-posted", "other", "trip-posted", "other"]) failpoint(name);
  expect(struck).toBe(0);
  failpoint("trip-posted");
  failpoint("trip-posted");
  expect(struck).toBe(1);
  failpointOf(undefined, () => (struck += 1))("trip-posted");
  expect(struck).toBe(1);
});
