import { execFile } from "node:child_process";
import { X509Certificate } from "node:crypto";
import { cpSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createSecureContext } from "node:tls";
import { promisify } from "node:util";
import { beforeEach, describe, expect, test } from "vitest";
import { certificateChecks } from "../../src/cli/installation-checks.ts";
import type { Config } from "../../src/config/config.ts";
import type { ConditionCode } from "../../src/domain/condition.ts";
import { CertificateKeeper } from "../../src/ops/certificate-renewal.ts";
import { certificateFromFiles, ownCertificate } from "../../src/ops/certificates.ts";
import { JsonLog } from "../../src/ops/log.ts";
import { eventually } from "../support/eventually.ts";
import { ManualClock } from "../support/manual-clock.ts";
import { MonitoredZones } from "../support/monitored-zones.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const NOW_MS = Date.UTC(2026, 10, 20);
const DAY_MS = 86_400_000;
let folder: string;
beforeEach(() => (folder = temporaryFolder()));
const make = (options: Partial<Parameters<typeof ownCertificate>[1]> = {}) =>
  ownCertificate(folder, { names: [], nowMs: NOW_MS, isClockTrusted: true, ...options });

describe("the self-signed certificate", () => {
  test("is valid for the names of this machine and the configured ones, and signed by the local authority", async () => {
    const { cert, names, authority, validUntilMs } = await make({ names: ["Panel.example.ro"] });
    expect(names).toEqual(
      expect.arrayContaining(["panel.example.ro", "localhost", "127.0.0.1", "::1"]) as string[],
    );
    expect(names.some((name) => name.endsWith(".local"))).toBe(true);
    const [server, signer] = [new X509Certificate(cert), new X509Certificate(authority?.pem ?? "")];
    expect(server.verify(signer.publicKey)).toBe(true);
    expect([server.ca, signer.ca]).toEqual([false, true]);
    expect(authority?.fingerprint).toMatch(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/);
    expect((validUntilMs - NOW_MS) / DAY_MS).toBeCloseTo(800, 0);
  });

  test.each([
    ["secrets/server.key", []],
    ["secrets/ca.key", ["new.lan"]],
  ])(
    "is created again if a power cut has left a newer %s with the older certificate",
    async (file, names) => {
      const first = await make();
      const other = temporaryFolder();
      await ownCertificate(other, { names: [], nowMs: NOW_MS, isClockTrusted: true });
      cpSync(join(other, file), join(folder, file));
      rmSync(other, { recursive: true });
      const { cert, key, authority } = await make({ names });
      expect(cert).not.toBe(first.cert);
      expect(() => createSecureContext({ cert, key })).not.toThrow();
      expect(new X509Certificate(cert).verify(new X509Certificate(authority?.pem ?? "").publicKey)).toBe(
        true,
      );
    },
  );

  test("has keys that only its user can read", async () => {
    await make();
    for (const name of ["ca.key", "server.key"])
      expect(statSync(join(folder, "secrets", name)).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(folder, "tls", "server.crt"), "utf8")).not.toMatch(/PRIVATE/);
  });

  test("is kept until a name is missing or it expires soon, and the authority is kept", async () => {
    const first = await make();
    expect((await make()).cert).toBe(first.cert);
    expect((await make({ nowMs: NOW_MS + 700 * DAY_MS })).cert).toBe(first.cert);
    const later = await make({ nowMs: NOW_MS + 741 * DAY_MS });
    expect(later.cert).not.toBe(first.cert);
    const named = await make({ names: ["new.lan"] });
    expect(named.names).toContain("new.lan");
    const renewed = await make({ names: ["new.lan"], renew: true });
    expect(renewed.cert).not.toBe(named.cert);
    expect([later, named, renewed].map(({ authority }) => authority)).toEqual([
      first.authority,
      first.authority,
      first.authority,
    ]);
  });

  test("is unique to this installation", async () => {
    const first = await make();
    rmSync(join(folder, "tls"), { recursive: true });
    rmSync(join(folder, "secrets"), { recursive: true });
    const second = await make();
    expect(second.authority?.fingerprint).not.toBe(first.authority?.fingerprint);
    expect(second.key).not.toBe(first.key);
  });

  test("is created again when a power cut has truncated its file", async () => {
    const first = await make();
    truncateSync(join(folder, "tls", "server.crt"), 100);
    const second = await make();
    expect(second.cert).not.toBe(first.cert);
    expect(second.authority).toEqual(first.authority);
  });

  test("created with a clock in 1970 is valid today", async () => {
    const { validUntilMs } = await make({ nowMs: 0 });
    expect(validUntilMs).toBeGreaterThan(Date.UTC(2027, 0, 1));
  });

  test("created with a clock in 2100 is replaced with its authority once the clock is trusted", async () => {
    const early = await make({ nowMs: Date.UTC(2100, 0, 1), isClockTrusted: false });
    const unset = await make({ isClockTrusted: false });
    expect(unset.authority).toEqual(early.authority);
    const set = await make();
    expect(set.authority?.fingerprint).not.toBe(early.authority?.fingerprint);
    for (const pem of [set.cert, set.authority?.pem ?? ""]) {
      const { validFrom, validTo } = new X509Certificate(pem);
      expect(Date.parse(validFrom)).toBeLessThanOrEqual(NOW_MS);
      expect(Date.parse(validTo)).toBeGreaterThan(NOW_MS);
    }
    expect((await make()).cert).toBe(set.cert);
  });

  test("has a new authority if the files of the present one are damaged, which are kept", async () => {
    const first = await make();
    writeFileSync(join(folder, "secrets", "ca.key"), "nonsense");
    const { cert, authority } = await make({ renew: true });
    expect(authority?.fingerprint).not.toBe(first.authority?.fingerprint);
    expect(new X509Certificate(cert).verify(new X509Certificate(authority?.pem ?? "").publicKey)).toBe(true);
    const kept = ["secrets/ca.key", "tls/ca.crt"].map((name) =>
      readFileSync(join(folder, `${name}.unusable`), "utf8"),
    );
    expect(kept).toEqual(["nonsense", first.authority?.pem]);
  });
});

test("a provided certificate requires both files", async () => {
  const { names } = await make();
  const [cert, key] = [join(folder, "tls", "server.crt"), join(folder, "secrets", "server.key")];
  expect(certificateFromFiles(cert, key)).toMatchObject({ names, authority: null });
  expect(() => certificateFromFiles(cert, join(folder, "nothing"))).toThrow(/cannot use .*nothing/);
  expect(() => certificateFromFiles(key, cert)).toThrow(/cannot use/);
});

test("a provided certificate or key that never ends is refused", async () => {
  await make();
  const [cert, key] = [join(folder, "tls", "server.crt"), join(folder, "secrets", "server.key")];
  const tooLarge = /cannot use .*\/dev\/zero.*larger than 1048576 bytes/;
  expect(() => certificateFromFiles("/dev/zero", key)).toThrow(tooLarge);
  expect(() => certificateFromFiles(cert, "/dev/zero")).toThrow(tooLarge);
});

describe("the certificate renewal", () => {
  const keeperOf = (tls: ConstructorParameters<typeof CertificateKeeper>[0]["tls"]) => {
    const clock = new ManualClock();
    clock.stepWall(NOW_MS - clock.wallMs());
    const renewed: string[] = [];
    const open = new Set<string>();
    const nameOf = (code: ConditionCode, subject = ""): string => `${code} ${subject}`.trim();
    const host = { isClockSet: true };
    const keeper = new CertificateKeeper({
      tls,
      dataDir: folder,
      names: [],
      clock,
      time: { isTrusted: () => host.isClockSet },
      log: new JsonLog({ level: "error", clock, write: () => {} }),
      conditions: {
        raise: (code, _said, subject) => void open.add(nameOf(code, subject)),
        clear: (code, subject) => void open.delete(nameOf(code, subject)),
      },
      onRenewed: ({ cert }) => void renewed.push(cert),
    });
    return { clock, renewed, open, keeper, host };
  };

  test("renews while the daemon runs, and reports nothing without a problem", async () => {
    const { clock, renewed, keeper } = keeperOf({ mode: "own" });
    const first = await keeper.start();
    expect(keeper.authority).toBe(first?.authority?.pem);
    clock.advance(3_600_000);
    await Promise.resolve();
    expect(renewed).toEqual([]);
    clock.stepWall(745 * DAY_MS);
    await eventually("the hourly check", () => {
      clock.advance(3_600_000);
      expect(renewed).toHaveLength(1);
      return true;
    });
    expect(renewed[0]).not.toBe(first?.cert);
    keeper.stop();
  });

  test("keeps the current certificate and raises a condition when the renewal fails", async () => {
    const { cert, key } = await make();
    const [certFile, keyFile] = [join(folder, "own.crt"), join(folder, "own.key")];
    writeFileSync(certFile, cert);
    writeFileSync(keyFile, key);
    const { clock, renewed, open, keeper } = keeperOf({ mode: "files", certFile, keyFile });
    await keeper.start();
    writeFileSync(certFile, "nonsense");
    await eventually("the hourly check", () => {
      clock.advance(3_600_000);
      expect([...open]).toEqual(["certificate-not-renewed"]);
      return true;
    });
    const next = await make({ renew: true });
    writeFileSync(certFile, next.cert);
    writeFileSync(keyFile, next.key);
    await eventually("the hourly check", () => {
      clock.advance(3_600_000);
      expect(renewed).toEqual([next.cert]);
      return true;
    });
    expect([...open]).toEqual([]);
    clock.stepWall(790 * DAY_MS);
    await eventually("the hourly check", () => {
      clock.advance(3_600_000);
      expect([...open]).toEqual(["certificate-not-renewed"]);
      return true;
    });
    keeper.stop();
  });

  test("replaces a certificate of 2100 after a time synchronisation, and reports it for a day", async () => {
    const { clock, renewed, open, keeper, host } = keeperOf({ mode: "own" });
    const aheadMs = Date.UTC(2100, 0, 1) - NOW_MS;
    host.isClockSet = false;
    clock.stepWall(aheadMs);
    const first = await keeper.start();
    expect([...open]).toEqual([]);
    clock.stepWall(-aheadMs);
    await eventually("the condition", () => {
      clock.advance(60_000);
      return open.has("certificate-of-wrong-time certificate");
    });
    host.isClockSet = true;
    await eventually("the check after the clock step", () => {
      clock.advance(60_000);
      return renewed.length > 0 && keeper.authority !== first?.authority?.pem;
    });
    expect([...open]).toEqual(["certificate-of-wrong-time authority"]);
    clock.advance(DAY_MS);
    expect([...open]).toEqual([]);
    keeper.stop();
  });

  test("replaces a certificate that was renewed while the trusted clock was ahead, a minute after it is right again", async () => {
    const { clock, renewed, open, keeper } = keeperOf({ mode: "own" });
    const first = await keeper.start();
    const aheadMs = 10 * 365 * DAY_MS;
    clock.stepWall(aheadMs);
    await eventually("the hourly check", () => {
      clock.advance(3_600_000);
      return renewed.length > 0;
    });
    clock.stepWall(-aheadMs);
    const backAtMs = clock.monotonicMs();
    await eventually("the check after the clock step", () => {
      clock.advance(30_000);
      return renewed.length > 1;
    });
    expect(clock.monotonicMs() - backAtMs).toBeLessThanOrEqual(120_000);
    const { validFrom, validTo } = new X509Certificate(renewed[1] ?? "");
    expect(Date.parse(validFrom)).toBeLessThan(clock.wallMs());
    expect(Date.parse(validTo)).toBeGreaterThan(clock.wallMs());
    expect(keeper.authority).toBe(first?.authority?.pem);
    expect([...open]).toEqual([]);
    keeper.stop();
  });

  test("does nothing without TLS", async () => {
    expect(await keeperOf({ mode: "off" }).keeper.start()).toBeUndefined();
  });
});

test("doctor reports a certificate that was created with a wrong clock", async () => {
  const config = {
    dataDir: folder,
    http: { tls: { mode: "own" } },
    site: { timezone: "UTC" },
  } as Config;
  expect(certificateChecks(config, NOW_MS)).toEqual([]);
  await make({ nowMs: Date.UTC(2100, 0, 1), isClockTrusted: false });
  expect(certificateChecks(config, NOW_MS)).toMatchObject([
    {
      status: "error",
      text: expect.stringMatching(/^not valid before 2099-12-31.* clock was wrong$/) as string,
    },
  ]);
  await make();
  expect(certificateChecks(config, NOW_MS)).toMatchObject([{ status: "ok" }]);
});

describe("the certificate authority of an installation", () => {
  const runFile = promisify(execFile);

  /** The verdict of openssl on a certificate for a name that a copy of the authority's key has signed. */
  const verdict = async (san: string): Promise<string> => {
    const at = (name: string): string => join(folder, name);
    writeFileSync(at("stolen.ext"), `subjectAltName=${san}\nbasicConstraints=critical,CA:FALSE\n`);
    // The key of the request does not matter.
    const request = ["req", "-new", "-key", at("secrets/server.key"), "-subj", "/CN=stolen"];
    await runFile("openssl", [...request, "-out", at("stolen.csr")]);
    const signer = ["-CA", at("tls/ca.crt"), "-CAkey", at("secrets/ca.key"), "-set_serial", "7"];
    const output = ["-extfile", at("stolen.ext"), "-days", "30", "-out", at("stolen.crt")];
    await runFile("openssl", ["x509", "-req", "-in", at("stolen.csr"), ...signer, ...output]);
    return verify("stolen.crt");
  };
  const verify = async (file: string): Promise<string> => {
    const trusted = ["-CAfile", join(folder, "tls/ca.crt"), "-no_check_time"];
    try {
      return (await runFile("openssl", ["verify", ...trusted, join(folder, file)])).stdout;
    } catch (error) {
      return (error as { readonly stderr: string }).stderr;
    }
  };

  test("certifies the names of the panel, and a copy of its key certifies no other one", async () => {
    const { names, leftOut } = await make({ names: ["panel.example.ro"] });
    expect(names).toContain("panel.example.ro");
    expect(leftOut).toEqual([]);
    expect(await verify("tls/server.crt")).toMatch(/OK/);
    const foreign = ["DNS:bank.example.com", "DNS:example.ro", "DNS:local.example.com", "DNS:notlocal"];
    for (const san of [...foreign, "IP:8.8.8.8", "IP:172.32.0.1", "IP:2001:db8::1"])
      expect(await verdict(san), san).toMatch(/permitted subtree violation/);
    const near = ["DNS:hala.local", "DNS:hala.lan", "DNS:a.b.home.arpa", "DNS:x.internal", "DNS:localhost"];
    for (const san of [...near, "IP:192.168.7.9", "IP:172.31.0.1", "IP:fd00::7", "IP:fe80::1", "IP:::1"])
      expect(await verdict(san), san).toMatch(/OK/);
  });

  test("leaves out a name that is configured later, until a user replaces the authority", async () => {
    const first = await make();
    const later = await make({ names: ["panel.example.ro", "hala.lan"] });
    expect(later.leftOut).toEqual(["panel.example.ro"]);
    expect(later.names).toContain("hala.lan");
    expect(later.authority).toEqual(first.authority);
    expect(await verify("tls/server.crt")).toMatch(/OK/);
    // It is not issued again for that name at each check.
    expect((await make({ names: ["panel.example.ro", "hala.lan"] })).cert).toBe(later.cert);
    const replaced = await make({ names: ["panel.example.ro"], withNewAuthority: true });
    expect(replaced.authority?.fingerprint).not.toBe(first.authority?.fingerprint);
    expect(replaced.names).toContain("panel.example.ro");
    expect(replaced.leftOut).toEqual([]);
    expect(await verify("tls/server.crt")).toMatch(/OK/);
  });

  test("of an earlier release, without constraints, is kept and certifies every name", async () => {
    await make();
    const request = ["req", "-x509", "-key", join(folder, "secrets/ca.key"), "-subj", "/CN=earlier"];
    await runFile("openssl", [...request, "-days", "7000", "-out", join(folder, "tls/ca.crt")]);
    const earlier = readFileSync(join(folder, "tls/ca.crt"), "utf8");
    const nowMs = Date.parse(new X509Certificate(earlier).validTo) - 6_000 * DAY_MS;
    const { names, leftOut, authority } = await make({ names: ["new.example.ro"], nowMs });
    expect(names).toContain("new.example.ro");
    expect(leftOut).toEqual([]);
    expect(authority?.pem).toBe(earlier);
  });

  test("that may not certify a name is a condition with that name", async () => {
    await make();
    const clock = new ManualClock();
    clock.stepWall(NOW_MS - clock.wallMs());
    const { log, health } = new MonitoredZones([]);
    const common = { dataDir: folder, clock, time: { isTrusted: () => true }, log, conditions: health };
    const keeper = (names: string[]): CertificateKeeper =>
      new CertificateKeeper({ ...common, tls: { mode: "own" }, names, onRenewed: () => {} });
    const limited = keeper(["panel.example.ro", "Panou"]);
    await limited.start();
    limited.stop();
    expect(health.list()).toMatchObject([{ code: "certificate-incomplete" }]);
    expect(health.list()[0]?.text).toContain("panel.example.ro, panou");
    const local = keeper(["hala.lan"]);
    await local.start();
    local.stop();
    expect(health.list()).toEqual([]);
  });
});
