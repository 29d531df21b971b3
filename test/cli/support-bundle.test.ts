import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { initialPasswordText } from "../../src/cli/serve-texts.ts";
import { installationSecrets } from "../../src/cli/support-bundle.ts";
import { loadConfiguration } from "../../src/config/load.ts";
import { oneTimePassword } from "../../src/ops/secrets.ts";
import { santinela } from "../support/command-line.ts";
import { Installation } from "../support/installation.ts";
import { UNPRIVILEGED, withoutAccess } from "../support/without-access.ts";

let installation: Installation;
let file: string;
beforeEach(() => {
  installation = Installation.temporary();
  file = join(installation.folder, "site.yaml");
});

const bundle = (...more: string[]) =>
  santinela(["support-bundle", "--config", file, ...more], { cwd: installation.folder });

/** Extracts an archive with the system's tar. @returns name within the archive -> content */
function unpacked(archive: string): Map<string, string> {
  const into = join(installation.folder, "unpacked");
  mkdirSync(into, { recursive: true });
  execFileSync("tar", ["-xzf", archive, "-C", into]);
  const [top = ""] = readdirSync(into);
  return new Map(
    readdirSync(join(into, top)).map((name) => [name, readFileSync(join(into, top, name), "utf8")]),
  );
}

const PANEL_KEY = "00112233445566778899AABBCCDDEEFF";
const RECEIVER_KEY = "FFEEDDCCBBAA99887766554433221100";

describe("a support bundle", () => {
  test("of a running site holds its state and none of its secrets, wherever they occur", async () => {
    installation.secret("centre.password", "zaporojan-fără-frică\n");
    installation.secret("broker.password", 'quote"and\\slash');
    installation.secret("metrics.token", "0123456789abcdefghij");
    installation.secret("reader.password", "cititor-de-carduri");
    installation.secret("panel.key", PANEL_KEY);
    installation.secret("receiver.key", RECEIVER_KEY);
    const site = installation.daemon(
      "site",
      [
        "site: { name: 'Hala zaporojan-fără-frică', ref: hala }",
        "http: { port: 0, tls: own }",
        "upstream: { baseUrl: 'http://127.0.0.1:1', email: hala@example.ro, passwordFile: centre.password }",
        "mqtt: { listen: { port: 0 }, username: sensors, passwordFile: broker.password, accounts: [ { username: reader, passwordFile: reader.password, publish: [a/b], subscribe: [] } ] }",
        "dc09: { port: 0, accounts: [ { account: '1234', keyFile: panel.key, objective: { type: obiective/cladiri, id: 1 } } ] }",
        "upstreams: [ { dc09: { account: '4321', keyFile: receiver.key, receivers: [ { host: 127.0.0.1, port: 1 } ] } } ]",
        "metrics: { tokenFile: metrics.token }",
        "objectives: { obiective/cladiri: [ { id: 1, name: 'Hall quote\"and\\slash' } ] }",
        `zones: [ ${[PANEL_KEY, RECEIVER_KEY, "cititor-de-carduri"].map((secret, index) => `{ id: z${index}, name: 'Zone ${secret}', kind: perimeter, objective: { type: obiective/cladiri, id: 1 }, input: { simulated: true } }`).join(", ")},`,
        "  { id: gate, name: 'Gate 0123456789abcdefghij', kind: perimeter, objective: { type: obiective/cladiri, id: 1 }, input: { simulated: true } } ]",
        "",
      ].join("\n"),
    );
    await site.start();
    await santinela(["trip", "--zone", "gate", "--config", file], { cwd: installation.folder });

    const { code, stdout } = await bundle();
    expect(code).toBe(0);
    const archive = stdout.trim();
    expect(archive).toMatch(/santinela-support-hala-[\dTZ-]+\.tar\.gz$/);
    expect(statSync(archive).mode & 0o777).toBe(0o600);
    const files = unpacked(archive);
    expect(JSON.parse(files.get("status.json") ?? "")).toMatchObject({ site: { ref: "hala" } });
    expect(JSON.parse(files.get("databases.json") ?? "")).toEqual({ "santinela.db": [], "journal.db": [] });
    expect(files.get("events.json")).toContain('"zone gate"');
    expect(files.get("configuration.json")).toMatch(/"upstream\.baseUrl"/);
    expect(files.get("data-folder.txt")).toMatch(/0600 .* secrets\/token-signing\.key/);
    expect(files.get("zones.json")).toContain("Gate [secret]");

    const secrets = installationSecrets(loadConfiguration({ file, env: {}, cwd: "/" }));
    expect(secrets).toEqual(
      expect.arrayContaining([
        "zaporojan-fără-frică",
        'quote"and\\slash',
        "0123456789abcdefghij",
        "cititor-de-carduri",
        PANEL_KEY,
        RECEIVER_KEY,
      ]),
    );
    // The signing key, the MQTT client id, and the two certificate keys beside the six above.
    expect(secrets.length).toBeGreaterThan(9);
    const whole = gunzipSync(readFileSync(archive)).toString();
    for (const secret of secrets)
      for (const form of [secret, JSON.stringify(secret).slice(1, -1)]) expect(whole).not.toContain(form);
  });

  test("is created while the daemon is stopped, the configuration invalid and a database damaged", async () => {
    const site = installation.daemon("site", "http: { port: 0 }\nmqtt: off\n");
    await site.start();
    await site.end("SIGTERM");
    writeFileSync(file, readFileSync(file, "utf8").replace("mqtt:", "mqqt:"));
    writeFileSync(join(installation.folder, "site", "journal.db"), "no database");
    const out = join(installation.folder, "b.tar.gz");
    expect((await bundle("--out", out)).code).toBe(0);
    const files = unpacked(out);
    expect(files.get("status.json")).toMatch(/cannot connect to the daemon/);
    expect(JSON.parse(files.get("configuration.json") ?? "")).toMatchObject({
      errors: [expect.stringMatching(/site\.yaml:3:1: mqqt/)],
    });
    expect(JSON.parse(files.get("databases.json") ?? "")).toEqual({
      "santinela.db": [],
      "journal.db": [expect.stringMatching(/not a database/)],
    });
    expect((await bundle("--out", out)).code).toBe(73);
  });

  test("is created beside the data if the user may not write into the current directory", async () => {
    const [cwd, data] = [join(installation.folder, "root"), join(installation.folder, "site")];
    for (const folder of [cwd, data]) mkdirSync(folder);
    writeFileSync(file, "dataDir: ./site\nmqtt: off\n", { mode: 0o644 });
    chmodSync(installation.folder, 0o755);
    if (process.getuid?.() === 0) chownSync(data, UNPRIVILEGED, UNPRIVILEGED);
    // The modules of the command are loaded here.
    expect((await bundle()).stdout).toMatch(`${installation.folder}/santinela-support-`);
    const words = ["support-bundle", "--config", file];
    const { code, stdout } = await withoutAccess(cwd, () => santinela(words, { cwd }));
    expect([code, stdout]).toEqual([0, expect.stringMatching(`^${data}/santinela-support-.*\\.tar\\.gz\n$`)]);
  });

  test.each([
    ["a site", "mqtt: off\n", "santinela"],
    ["a dispatch centre", "mqtt: off\ndatabase: postgres://127.0.0.1:1/centre\n", "santinela-centre"],
  ])("of %s has the log of its unit, and why it may be missing", async (_what, yaml, unit) => {
    writeFileSync(file, yaml);
    const programs = join(installation.folder, "bin");
    mkdirSync(programs);
    const script = '#!/bin/sh\necho "log of $2"\necho "Hint: not in the group" >&2\n';
    writeFileSync(join(programs, "journalctl"), script, { mode: 0o755 });
    vi.stubEnv("PATH", `${programs}:${process.env["PATH"]}`);
    const out = join(installation.folder, "b.tar.gz");
    expect((await bundle("--out", out)).code).toBe(0);
    vi.unstubAllEnvs();
    expect(unpacked(out).get("log.txt")).toBe(`Hint: not in the group\nlog of ${unit}\n`);
  });

  test("before the set-up is finished has neither the one-time code of the log nor its QR code", async () => {
    writeFileSync(file, "http: { host: 192.0.2.1, tls: own }\nmqtt: off\n");
    const { http } = loadConfiguration({ file, env: {}, cwd: "/" });
    const password = oneTimePassword();
    const announced = await initialPasswordText({ email: "admin@santinela", password }, http, true);
    expect(announced).toMatch(/█{20}/);
    const log = announced.replaceAll(/^/gm, "2026-11-27T10:00:00+0200 pi santinela[612]: ");
    const programs = join(installation.folder, "bin");
    mkdirSync(programs);
    writeFileSync(join(programs, "log"), log);
    const script = `#!/bin/sh\ncat ${join(programs, "log")}\n`;
    writeFileSync(join(programs, "journalctl"), script, { mode: 0o755 });
    vi.stubEnv("PATH", `${programs}:${process.env["PATH"]}`);
    const out = join(installation.folder, "b.tar.gz");
    expect((await bundle("--out", out)).code).toBe(0);
    vi.unstubAllEnvs();
    const text = unpacked(out).get("log.txt");
    expect(text).toContain("with the one-time code [secret]");
    expect(text).not.toContain(password);
    expect(text).not.toMatch(/[▀▄█]/);
  });
});
