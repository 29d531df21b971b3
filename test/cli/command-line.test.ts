import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { promisify } from "node:util";
import Sqlite from "better-sqlite3";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import { VERSION } from "../../src/generated/version.ts";
import { takeInstanceLock } from "../../src/store/instance-lock.ts";
import { santinela as run } from "../support/command-line.ts";
import { Installation, MAIN } from "../support/installation.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

let folder: string;
beforeEach(() => (folder = temporaryFolder()));

const santinela = (words: readonly string[], input = "") => run(words, { cwd: folder, input });

describe("the command line", () => {
  test("prints its version and nothing else", async () => {
    expect(await santinela(["version"])).toEqual({ code: 0, stdout: `${VERSION}\n`, stderr: "" });
  });

  test("prints the help on standard output, and usage errors on standard error", async () => {
    const help = await santinela(["--help"]);
    expect(help).toMatchObject({ code: 0, stderr: "" });
    for (const command of ["serve", "check-config", "user", "objectives", "trip", "sync", "demo", "version"])
      expect(help.stdout).toContain(command);
    for (const words of [["nonsense"], ["trip"], ["serve", "--prot"], ["user", "add", "--email", "a@b"]]) {
      const { code, stdout, stderr } = await santinela(words);
      expect([code, stdout]).toEqual([64, ""]);
      expect(stderr).toMatch(/error: /);
    }
  });

  test("loads neither Express nor SQLite to print its version", async () => {
    const env = { ...process.env, NODE_V8_COVERAGE: join(folder, "loaded") };
    await promisify(execFile)(process.execPath, [MAIN, "version"], { env });
    const reports = readdirSync(env.NODE_V8_COVERAGE).map((name) =>
      readFileSync(join(env.NODE_V8_COVERAGE, name), "utf8"),
    );
    const scripts = reports.flatMap((report) => (JSON.parse(report) as { result: { url: string }[] }).result);
    const parts = scripts.filter(({ url }) => url.startsWith("file:")).map(({ url }) => new URL(url));
    // Before each module of a part a comment names its file.
    const loaded = parts.map((part) => readFileSync(part, "utf8")).join("\n");
    expect(loaded).toMatch(/^\/\/ node_modules\/commander\//m);
    expect(loaded).not.toMatch(/^\/\/ node_modules\/(express|better-sqlite3|mqtt|aedes)\//m);
    expect(loaded).not.toMatch(/require\("better-sqlite3"\)/);
  });
});

describe("check-config", () => {
  test("exits with 0 and summarises the configuration", async () => {
    writeFileSync(join(folder, "a.yaml"), "mqtt: off\nzones: []\n");
    const { code, stdout } = await santinela(["check-config", "--config", "a.yaml"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/a\.yaml is valid: 0 zones, standalone/);
  });

  test("exits with 78 and lists every error", async () => {
    writeFileSync(join(folder, "a.yaml"), "http:\n  prot: 1\nsite: { locale: de }\n");
    const { code, stdout, stderr } = await santinela(["check-config", "--config", "a.yaml"]);
    expect([code, stdout]).toEqual([78, ""]);
    expect(stderr).toMatch(/a\.yaml:2:3: http\.prot: .*\n.*a\.yaml:3:9: site\.locale: /);
  });

  test("prints the same as JSON with --json", async () => {
    writeFileSync(join(folder, "a.yaml"), "http:\n  prot: 1\n");
    const invalid = await santinela(["check-config", "--config", "a.yaml", "--json"]);
    expect([invalid.code, JSON.parse(invalid.stdout)]).toEqual([
      78,
      {
        valid: false,
        errors: [
          {
            place: expect.stringMatching(/a\.yaml:2:3$/),
            message: expect.stringMatching(/^http\.prot: /),
          },
        ],
      },
    ]);
    writeFileSync(join(folder, "a.yaml"), "mqtt: off\nzones: []\n");
    const right = await santinela(["check-config", "--config", "a.yaml", "--json"]);
    expect([right.code, JSON.parse(right.stdout)]).toMatchObject([
      0,
      { valid: true, errors: [], zones: 0, upstream: null },
    ]);
  });

  test("exits with 66 for a missing file", async () => {
    expect((await santinela(["check-config", "--config", "b.yaml"])).code).toBe(66);
  });
});

describe("user add", () => {
  const add = (email: string, role: string, password: string) =>
    santinela(["user", "add", "--email", email, "--role", role, "--password-stdin"], password);

  test("adds an account to the configured database", async () => {
    expect(await add("ana@example.ro", "operator", "correct horse\n")).toEqual({
      code: 0,
      stdout: "added ana@example.ro as operator\n",
      stderr: expect.stringMatching(
        `^no configuration file found: .*\n.*\ndatabase: ${join(folder, "var", "santinela.db")}\n$`,
      ) as string,
    });
  });

  test.each([
    [
      "an unknown role",
      "ana@example.ro",
      "boss",
      "correct horse",
      64,
      /is not a role; use one of administrator, operator, viewer/,
    ],
    ["an invalid address", "ana", "operator", "correct horse", 65, /no.*e-mail|not an e-mail address/],
    [
      "one character eight times",
      "ana@example.ro",
      "operator",
      "aaaaaaaa",
      65,
      /at least 4 different characters/,
    ],
    [
      "an address with a control character",
      "ana\u0007@example.ro",
      "operator",
      "correct horse",
      65,
      /is not an e-mail/,
    ],
    ["a short password", "ana@example.ro", "operator", "short", 65, /at least 8 characters/],
    [
      "a password longer than bcrypt reads",
      "ana@example.ro",
      "operator",
      "ș".repeat(37),
      65,
      /at most 72 bytes/,
    ],
    [
      "the daemon's own address",
      "device@santinela.local",
      "operator",
      "correct horse",
      1,
      /is reserved for the daemon/,
    ],
  ])("rejects %s", async (_what, email, role, password, code, message) => {
    const outcome = await add(email, role, password);
    expect(outcome.code).toBe(code);
    expect(outcome.stderr).toMatch(message);
    expect(outcome.stderr).not.toContain(password);
  });

  test("rejects an address that exists already", async () => {
    await add("ana@example.ro", "operator", "correct horse");
    expect(await add("ANA@example.ro", "viewer", "correct horse")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/already exists/),
    });
  });

  test("does not prompt on a pipe", async () => {
    const { code, stderr } = await santinela(["user", "add", "--email", "a@b", "--role", "operator"]);
    expect(code).toBe(64);
    expect(stderr).toMatch(/--password-stdin/);
  });
});

describe("accounts", () => {
  const user = (...words: string[]) => santinela(["user", ...words], "another password");

  test("are listed, get passwords and roles, and are disabled and enabled", async () => {
    await santinela(
      ["user", "add", "--email", "ana@example.ro", "--role", "administrator", "--password-stdin"],
      "correct horse",
    );
    await santinela(
      ["user", "add", "--email", "ion@example.ro", "--role", "viewer", "--password-stdin"],
      "correct horse",
    );
    expect((await user("passwd", "--email", "ion@example.ro", "--password-stdin")).code).toBe(0);
    expect((await user("role", "--email", "ion@example.ro", "--role", "operator")).stdout).toMatch(
      /is now operator/,
    );
    expect((await user("disable", "--email", "ion@example.ro")).code).toBe(0);
    expect((await user("list")).stdout).toBe(
      "ana@example.ro  administrator\nion@example.ro  operator  disabled\n",
    );
    expect((await user("disable", "--email", "ion@example.ro", "--undo")).code).toBe(0);
    expect(JSON.parse((await user("list", "--json")).stdout)).toMatchObject([
      { disabled: false },
      { disabled: false, role: "operator" },
    ]);
  });

  test("of a site are restricted to objectives and released again, and the list shows it", async () => {
    const site = ["--email", "hala@example.ro"];
    await santinela(["user", "add", ...site, "--role", "operator", "--password-stdin"], "correct horse");
    const only = ["--only", "obiective/cladiri/12", "obiective/bunuri/3"];
    expect((await user("objectives", ...site, ...only)).stdout).toBe(
      "hala@example.ro now sees 2 objectives; existing sessions are ended\n",
    );
    expect((await user("list")).stdout).toBe("hala@example.ro  operator  2 objectives\n");
    expect(JSON.parse((await user("list", "--json")).stdout)).toMatchObject([
      { objectives: ["obiective/cladiri/12", "obiective/bunuri/3"] },
    ]);
    expect((await user("objectives", ...site, "--all")).stdout).toBe(
      "hala@example.ro now sees all objectives; existing sessions are ended\n",
    );
    expect((await user("list")).stdout).toBe("hala@example.ro  operator\n");
    expect(JSON.parse((await user("list", "--json")).stdout)).toMatchObject([{ objectives: null }]);
  });

  test.each([
    [["--only", "12"], /"12" is not an objective/],
    [["--only", "obiective/cladiri/0"], /"obiective\/cladiri\/0" is not an objective/],
    [["--only", "obiective/case/12"], /is not an objective/],
    [["--only", "obiective/cladiri/12", "--all"], /either --only or --all/],
    [[], /either --only or --all/],
  ])("are not restricted by %j", async (words, message) => {
    await santinela(
      ["user", "add", "--email", "hala@example.ro", "--role", "operator", "--password-stdin"],
      "correct horse",
    );
    const { code, stderr } = await user("objectives", "--email", "hala@example.ro", ...words);
    expect(code).toBe(64);
    expect(stderr).toMatch(message);
    expect((await user("list")).stdout).toBe("hala@example.ro  operator\n");
  });

  test("always keep one administrator", async () => {
    await santinela(
      ["user", "add", "--email", "ana@example.ro", "--role", "administrator", "--password-stdin"],
      "correct horse",
    );
    for (const words of [
      ["disable", "--email", "ana@example.ro"],
      ["role", "--email", "ana@example.ro", "--role", "viewer"],
    ])
      expect(await user(...words)).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/the last administrator\nMake another account administrator first/),
      });
    expect((await user("list")).stdout).toBe("ana@example.ro  administrator\n");
  });

  test("that do not exist cannot be changed, nor can the daemon's own", async () => {
    for (const email of ["unknown@example.ro", "device@santinela.local"])
      expect(await user("passwd", "--email", email, "--password-stdin")).toMatchObject({
        code: 65,
        stderr: expect.stringMatching(/account .* does not exist/),
      });
  });
});

describe("cert", () => {
  test("creates an authority and a certificate, prints its fingerprint, and prints the authority alone on request", async () => {
    const shown = await santinela(["cert"]);
    expect(shown).toMatchObject({ code: 0, stderr: expect.stringMatching(/http\.tls is off/) as string });
    expect(shown.stdout).toMatch(/names: .*localhost.*\nvalid until: .*\nauthority: .*ca\.crt\nfingerprint/);
    expect((await santinela(["cert"])).stdout).toBe(shown.stdout);
    const { stdout } = await santinela(["cert", "--ca"]);
    expect(stdout).toBe(readFileSync(join(folder, "var", "tls", "ca.crt"), "utf8"));
    expect(JSON.parse((await santinela(["cert", "--json"])).stdout)).toMatchObject({
      names: expect.arrayContaining(["localhost"]),
      authority: { fingerprint: expect.stringMatching(/^[0-9A-F:]{95}$/) },
      tls: "off",
    });
    const renewed = await santinela(["cert", "--renew"]);
    expect(renewed.stdout.split("\n").at(-2)).toBe(shown.stdout.split("\n").at(-2));
  });
});

describe("factory-reset", () => {
  test("removes the files of the daemon and no others, and only after confirmation", async () => {
    await santinela(
      ["user", "add", "--email", "ana@example.ro", "--role", "operator", "--password-stdin"],
      "correct horse",
    );
    await santinela(["cert"]);
    writeFileSync(join(folder, "var", "notes.txt"), "mine");
    // Of a change in the web panel, and of one whose daemon was killed.
    mkdirSync(join(folder, "var", "configurations"));
    for (const name of ["configuration-trial.json", "configuration-origins.json"])
      writeFileSync(join(folder, "var", name), "{}");
    // The copy of santinela-upgrade.
    writeFileSync(join(folder, "var", "before-upgrade.db"), "");
    const answered = await run(["factory-reset"], {
      cwd: folder,
      stdin: Object.assign(Readable.from(["no\n"]), { isTTY: true }),
    });
    expect([answered.code, answered.stderr]).toEqual([
      1,
      expect.stringMatching(/cancelled, no changes made/),
    ]);
    const unconfirmed = await santinela(["factory-reset"]);
    expect([unconfirmed.code, unconfirmed.stderr]).toEqual([
      64,
      expect.stringMatching(/permanently removes [^\n]*santinela\.db[^]*--yes/),
    ]);
    expect(readdirSync(join(folder, "var"))).toContain("santinela.db");
    expect((await santinela(["factory-reset", "--yes"])).code).toBe(0);
    expect(readdirSync(join(folder, "var"))).toEqual(["notes.txt"]);
    expect((await santinela(["user", "list", "--json"])).stdout).toBe("[]\n");
  });
});

describe("backup and restore", () => {
  test("names the entries of the audit trail that a backup lacks or that were altered, and restores it", async () => {
    for (const name of ["ana", "ion", "eva", "dan"])
      await santinela(
        ["user", "add", "--email", `${name}@example.ro`, "--role", "operator", "--password-stdin"],
        "correct horse",
      );
    await santinela(["backup", "--out", "copy.db"]);
    const copy = new Sqlite(join(folder, "copy.db"));
    const triggers = copy
      .prepare<[], string>("SELECT sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'audit'")
      .pluck()
      .all();
    copy.exec("DROP TRIGGER audit_is_final; DROP TRIGGER audit_is_kept");
    copy.exec("UPDATE audit SET who = 'changed' WHERE position = 1; DELETE FROM audit WHERE position = 3");
    for (const sql of triggers) copy.exec(sql);
    copy.close();
    const { stdout } = await santinela(["restore", "--dry-run", "copy.db"]);
    expect(stdout).toMatch(/\nEntries of its audit trail that are missing or altered: 1, 3\nNo changes made/);
    const { plan } = JSON.parse((await santinela(["restore", "--json", "copy.db"])).stdout) as {
      plan: object;
    };
    expect(plan).toMatchObject({ brokenTrail: "1, 3" });
    const restored = new Sqlite(join(folder, "var", "santinela.db"), { readonly: true });
    const [detail] = restored
      .prepare<[], string>("SELECT detail FROM events WHERE event = 'database-restored'")
      .pluck()
      .all();
    restored.close();
    expect(detail).toContain('"brokenTrail":"1, 3"');
  });

  test("back up the database and restore it, with text and JSON output", async () => {
    const add = (email: string) =>
      santinela(["user", "add", "--email", email, "--role", "operator", "--password-stdin"], "correct horse");
    await add("ana@example.ro");
    const made = await santinela(["backup", "--out", "copy.db", "--json"]);
    expect(JSON.parse(made.stdout)).toEqual({
      file: join(folder, "copy.db"),
      bytes: readFileSync(join(folder, "copy.db")).length,
    });
    await add("ion@example.ro");
    const plan = await santinela(["restore", "--dry-run", "copy.db"]);
    expect(plan.stdout).toMatch(/^Records in the backup: 0\n[^]*No changes made\.\n$/);
    const planned = await santinela(["restore", "--dry-run", "--json", "copy.db"]);
    expect(JSON.parse(planned.stdout)).toEqual({
      plan: { recordsInBackup: 0, onlyInCurrent: [], onlyInBackup: [] },
      done: null,
    });
    expect((await santinela(["restore", "copy.db"])).stdout).toMatch(/is kept as .*\nRestored\. 0 trips/);
    expect((await santinela(["user", "list"])).stdout).toBe("ana@example.ro  operator\n");
    expect((await santinela(["restore", "a.yaml"])).code).toBe(65);
    const release = takeInstanceLock(join(folder, "var", "lock.db"));
    const running = await santinela(["restore", "copy.db"]);
    release();
    expect([running.code, running.stderr]).toEqual([
      75,
      expect.stringMatching(/\na daemon is running on \S+var\nStop the daemon first/),
    ]);
    for (const place of ["var", "media/usb/copy.db"]) {
      const { code, stdout, stderr } = await santinela(["backup", "--out", place]);
      expect([code, stdout]).toEqual([73, ""]);
      expect(stderr).toMatch(/cannot write the backup/);
    }
  });
});

describe("objectives import", () => {
  test("adds or replaces the objectives of the file", async () => {
    writeFileSync(
      join(folder, "o.json"),
      JSON.stringify({
        "obiective/cladiri": [{ id: 12, name: "Hala" }],
        "obiective/persoane": [{ id: 1, name: "Ana", phone: "0" }],
      }),
    );
    const { code, stdout } = await santinela(["objectives", "import", "o.json"]);
    expect(code).toBe(0);
    expect(stdout).toBe(
      "obiective/cladiri: 1 imported\nobiective/bunuri: 0 imported\nobiective/persoane: 1 imported\n",
    );
  });

  test.each([
    ["invalid JSON", "{", 65, /is not JSON/],
    ["an unknown objective type", '{"cladiri":[]}', 65, /cladiri is not an objective type/],
    [
      "an objective without an id",
      '{"obiective/cladiri":[{"name":"x"}]}',
      65,
      /obiective.*required property 'id'/,
    ],
  ])("rejects %s", async (_what, text, code, message) => {
    writeFileSync(join(folder, "o.json"), text);
    const outcome = await santinela(["objectives", "import", "o.json"]);
    expect(outcome.code).toBe(code);
    expect(outcome.stderr).toMatch(message);
  });

  test("exits with 66 for a missing file", async () => {
    expect((await santinela(["objectives", "import", "none.json"])).code).toBe(66);
  });
});

describe("commands for the running daemon", () => {
  const installation = Installation.temporary(afterAll);
  let site: DaemonProcess;
  let config: string;
  let httpPort: number;
  beforeAll(async () => {
    config = join(installation.folder, "site.yaml");
    const zone = (id: string, input: string) =>
      `  - { id: ${id}, name: ${id}, kind: intrusion, objective: { type: obiective/cladiri, id: 1 }, input: ${input} }\n`;
    site = installation.daemon(
      "site",
      `http: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\nzones:\n${zone("wire", "{ gpio: 17 }")}${zone("loop", "{ gpio: 18, contact: no }")}${zone("hand", "{ simulated: true }")}${zone("air", "{ mqtt: a/b, open: [1] }")}`,
    );
    ({ httpPort } = await site.start());
  });

  test.each(["wire", "loop", "hand"])("trip opens zone %s, once, and --restore closes it", async (zone) => {
    const trip = (...more: string[]) => santinela(["trip", "--zone", zone, "--config", config, ...more]);
    const before = (await site.get<unknown[]>("/site/trips")).length;
    expect(await trip()).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(new RegExp(`^${zone} is open: trip [0-9a-f-]{36}\n$`)),
    });
    expect((await trip()).stdout).toMatch(/was already open; restore it with --restore/);
    expect((await trip("--restore")).stdout).toBe(`${zone} is normal\n`);
    expect(await site.get("/site/trips")).toHaveLength(before + 1);
  });

  test("trip lists the zones when the zone is unknown", async () => {
    const { code, stderr } = await santinela(["trip", "--zone", "nope", "--config", config]);
    expect(code).toBe(65);
    expect(stderr).toMatch(/unknown zone "nope"\. Known: wire, loop, hand, air/);
  });

  test("sync status prints text, and JSON with --json", async () => {
    expect((await santinela(["sync", "status", "--config", config])).stdout).toMatch(
      /^link: none \(standalone\)\nqueued: 0\n/,
    );
    const { stdout } = await santinela(["sync", "now", "--json", "--config", config]);
    expect(JSON.parse(stdout)).toMatchObject({
      link: { state: "none" },
      summary: { rejected: 0 },
      records: expect.any(Array),
    });
  });

  test("events prints who did what and what the zones reported, one line an entry", async () => {
    const { stdout } = await santinela(["events", "--config", config, "--limit", "1000"]);
    expect(stdout).toMatch(
      /^20\d\d-\d\d-\d\d \d\d:\d\d:\d\d \S+ {2}santinela added account admin@santinela\.local \(first start\)$/m,
    );
    const entries = JSON.parse(
      (await santinela(["events", "--config", config, "--json"])).stdout,
    ) as unknown[];
    expect(stdout.trimEnd().split("\n")).toHaveLength(entries.length);
    expect((await santinela(["events", "--limit", "none"])).code).toBe(64);
  });

  test("factory-reset requires a stopped daemon", async () => {
    expect((await santinela(["factory-reset", "--yes", "--config", config])).code).toBe(75);
  });

  test("user add works while it runs", async () => {
    const { code } = await santinela(
      [
        "user",
        "add",
        "--email",
        "new@example.ro",
        "--role",
        "viewer",
        "--password-stdin",
        "--config",
        config,
      ],
      "correct horse",
    );
    expect(code).toBe(0);
    const { status } = await fetch(`http://127.0.0.1:${httpPort}/auth/token`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ email: "new@example.ro", password: "correct horse" }),
    });
    expect(status).toBe(200);
  });

  test("exit with 69 and the remedy when it does not run", async () => {
    const { code, stderr } = await santinela(["sync", "status"]);
    expect(code).toBe(69);
    expect(stderr).toMatch(
      /cannot connect to the daemon at .*control\.sock \(ENOENT\)\nStart it with santinela serve, or/,
    );
  });

  test.each([
    ["/var/lib/none/site", "santinela"],
    ["/var/lib/santinela-centre/none", "santinela-centre"],
  ])("of the package in %s name the unit %s when it does not run", async (dataDir, unit) => {
    writeFileSync(join(folder, "a.yaml"), `dataDir: ${dataDir}\n`);
    const { code, stderr } = await santinela(["zones", "list", "--config", "a.yaml"]);
    expect(code).toBe(69);
    expect(stderr).toContain(
      `Start it with systemctl start ${unit} (journalctl -u ${unit} shows why it stopped), or`,
    );
  });
});
