import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { Installation, MAIN } from "../support/installation.ts";
import { listen } from "../support/loopback.ts";

/** The first start of a daemon: no file, no root, an empty directory. */
class FirstRun {
  readonly folder = mkdtempSync(join(tmpdir(), "santinela-first-"));
  stdout = "";
  stderr = "";
  #process: ChildProcessWithoutNullStreams | undefined;

  async start(command: "serve" | "centre" = "serve"): Promise<{ port: number }> {
    const environment = {
      ...process.env,
      HOME: this.folder,
      XDG_CONFIG_HOME: join(this.folder, "none"),
      SANTINELA_HTTP__PORT: "0",
      ...(command === "serve" ? { SANTINELA_MQTT__LISTEN__PORT: "0" } : {}),
    };
    const daemon = spawn(process.execPath, [MAIN, command], { cwd: this.folder, env: environment });
    this.#process = daemon;
    this.stdout = "";
    this.stderr = "";
    daemon.stdout.on("data", (chunk: Buffer) => (this.stdout += chunk.toString()));
    daemon.stderr.on("data", (chunk: Buffer) => (this.stderr += chunk.toString()));
    return eventually("the daemon to be ready", () => this.event("ready") as { port: number } | undefined);
  }

  event(name: string): Record<string, unknown> | undefined {
    const entries = this.stdout
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    return entries.find(({ event }) => event === name);
  }

  async end(signal: "SIGTERM" | "SIGINT"): Promise<number | null> {
    const daemon = this.#process;
    if (!daemon || daemon.exitCode !== null) return daemon?.exitCode ?? null;
    const exited = new Promise<number | null>((resolve) => {
      daemon.once("exit", resolve);
    });
    daemon.kill(signal);
    return exited;
  }
}

let first: FirstRun;
beforeEach(() => {
  first = new FirstRun();
});
afterEach(async () => {
  await first.end("SIGTERM").catch(() => null);
  rmSync(first.folder, { recursive: true, force: true });
});

describe("the first start", () => {
  test("creates an administrator and shows the password once, and not in the log", async () => {
    const { port } = await first.start();
    const [, email, password] = /e-mail +(\S+)\s+password +(\S+)/.exec(first.stderr) ?? [];
    expect(first.stdout).not.toContain(password);
    const answer = await fetch(`http://127.0.0.1:${port}/auth/token`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ email, password }),
    });
    expect(answer.status).toBe(200);
    expect(await first.end("SIGTERM")).toBe(0);

    await first.start();
    expect(first.stderr).toBe("");
    expect(await first.end("SIGINT")).toBe(0);
  });

  test("creates secrets that only its user can read", async () => {
    await first.start();
    const secrets = join(first.folder, "var", "secrets");
    expect(statSync(secrets).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(secrets)) expect(statSync(join(secrets, name)).mode & 0o777).toBe(0o600);
    expect(statSync(join(first.folder, "var", "control.sock")).mode & 0o777).toBe(0o660);
    for (const name of ["santinela.db", "journal.db"])
      expect(statSync(join(first.folder, "var", name)).mode & 0o007).toBe(0);
  });

  test("removes its control socket at a clean shutdown", async () => {
    await first.start();
    await first.end("SIGTERM");
    expect(readdirSync(join(first.folder, "var"))).not.toContain("control.sock");
    expect(readdirSync(join(first.folder, "var")).filter((name) => name.endsWith("-wal"))).toEqual([]);
  });
});

test("a dispatch centre without a file starts in an empty folder, and takes a record with its one-time code", async () => {
  // As `npm run centre` calls it.
  const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as { scripts: Record<string, string> };
  expect(scripts["centre"]).toBe("node dist/main.js centre");
  const { port } = await first.start("centre");
  const [, email, code] = /e-mail +(\S+)\s+password +(\S+)/.exec(first.stderr) ?? [];
  const ask = (method: string, path: string, body: object, token = "") =>
    fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { "Content-Type": "application/json", Authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
  const signIn = async (password = ""): Promise<string> => {
    const answer = await ask("POST", "/auth/token", { email, password });
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { token: string }).token;
  };
  const password = "four words that differ";
  const change = { currentPassword: code, password };
  expect((await ask("POST", "/site/password", change, await signIn(code))).status).toBe(200);
  const record = { name: "Door", objectiveType: "obiective/cladiri", objectiveId: 1 };
  const created = await ask("POST", "/interventii", record, await signIn(password));
  expect([created.status, await created.json()]).toMatchObject([201, { name: "Door", status: "planned" }]);
  expect(existsSync(join(first.folder, "var-centre", "santinela.db"))).toBe(true);
  expect(await first.end("SIGTERM")).toBe(0);
});

describe("a missing dependency is a condition and not an exit", () => {
  let installation: Installation;
  beforeEach(() => (installation = Installation.temporary()));

  test("a broker, GPIO lines and a dispatch centre that do not respond", async () => {
    const objective = "objective: { type: obiective/cladiri, id: 1 }";
    installation.secret("password", "secret");
    const site = installation.daemon(
      "site",
      `http: { port: 0 }
mqtt: { url: "mqtt://127.0.0.1:1" }
gpio: { backend: onoff, chip: no-such-chip }
upstream: { baseUrl: "http://127.0.0.1:1", email: a@b, passwordFile: ./password }
zones:
  - { id: wire, name: Wire, kind: intrusion, ${objective}, input: { gpio: 17 } }
  - { id: air, name: Air, kind: intrusion, ${objective}, input: { mqtt: a/b, open: [1] } }
  - { id: hand, name: Hand, kind: intrusion, ${objective}, input: { simulated: true } }
`,
    );
    await site.start();
    await site.run(["trip", "--zone", "hand"]);
    const codes = await eventually("the three conditions", async () => {
      const { conditions } = await site.get<{ conditions: { code: string }[] }>("/site/status");
      return conditions.length >= 3 && conditions.map(({ code }) => code);
    });
    expect(new Set(codes)).toEqual(new Set(["gpio-unavailable", "mqtt-unreachable", "upstream-unreachable"]));
    await eventually(
      "the record of the trip",
      async () => (await site.get<unknown[]>("/interventii")).length === 1,
    );
  });

  test("a dispatch centre that accepts everything and never responds does not delay the shutdown", async () => {
    let connections = 0;
    const silent = createServer((socket) => {
      connections += 1;
      socket.resume();
    });
    const port = await listen(silent);
    installation.secret("password", "secret");
    const site = installation.daemon(
      "site",
      `http: { port: 0 }\nmqtt: off\nupstream: { baseUrl: "http://127.0.0.1:${port}", email: a@b, passwordFile: ./password, timeoutS: 120 }\nzones:\n  - { id: hand, name: Hand, kind: fire, objective: { type: obiective/cladiri, id: 1 }, input: { simulated: true } }\n`,
    );
    await site.start();
    await site.run(["trip", "--zone", "hand"]);
    await eventually("the request to be in progress", () => connections > 0);
    await site.end("SIGTERM");
    silent.close();
    await site.start();
    expect(await site.get("/interventii")).toHaveLength(1);
  });

  test("a port of the built-in broker that is in use", async () => {
    const other = createServer();
    const port = await listen(other);
    const site = installation.daemon(
      "site",
      `http: { port: 0 }\nmqtt: { listen: { port: ${port} } }\ngpio: { backend: simulated }\n`,
    );
    await site.start();
    const { conditions } = await site.get<{ conditions: { code: string; text: string }[] }>("/site/status");
    expect(conditions).toMatchObject([
      { code: "mqtt-broker-not-listening", text: expect.stringMatching(/port in use/) },
    ]);
    other.close();
  });
});

describe("a start that fails", () => {
  let installation: Installation;
  beforeEach(() => (installation = Installation.temporary()));

  test("a second daemon on the same data exits with 75", async () => {
    const yaml = "http: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\n";
    await installation.daemon("site", yaml).start();
    await expect(installation.daemon("site", yaml).start()).rejects.toThrow(
      /exited with 75: another daemon is using this data directory/,
    );
  });

  test("a port in use exits with 75 and the remedy", async () => {
    const { httpPort } = await installation
      .daemon("one", "http: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\n")
      .start();
    const other = installation.daemon(
      "two",
      `http: { port: ${httpPort} }\nmqtt: off\ngpio: { backend: simulated }\n`,
    );
    await expect(other.start()).rejects.toThrow(
      /exited with 75:[^]*port \d+ of 127.0.0.1 is in use by another program\n.*set http.port/,
    );
  });

  test("a port in use does not prevent the monitoring in a service: the port is opened when it is free", async () => {
    const other = createServer();
    const port = await listen(other);
    const site = installation.daemon(
      "site",
      `http: { port: ${port} }\nmqtt: off\ngpio: { backend: simulated }\n`,
    );
    // As systemd sets it.
    await site.start({ ...process.env, NOTIFY_SOCKET: "/run/systemd/notify" });
    const conditions = async () =>
      (await site.get<{ conditions: { code: string; text: string }[] }>("/site/status")).conditions;
    expect(await conditions()).toMatchObject([
      {
        code: "http-address-unavailable",
        text: expect.stringContaining(`port ${port} of 127.0.0.1 is in use by another program`),
      },
    ]);
    other.close();
    await eventually("the port", async () => (await conditions()).length === 0);
    expect((await fetch(`http://127.0.0.1:${port}/interventii`)).status).toBe(401);
  });

  test("an invalid configuration exits with 78, its line and the remedy", async () => {
    const broken = installation.daemon("site", "http: { prot: 8080 }\n");
    await expect(broken.start()).rejects.toThrow(
      /exited with 78: .*site\.yaml:2:9: http\.prot: unknown option\. Did you mean port\?/,
    );
  });

  test("a data directory that cannot be created exits with 73", async () => {
    writeFileSync(join(installation.folder, "site"), "a file stands where the folder should be");
    const site = installation.daemon("site", "mqtt: off\n");
    await expect(site.start()).rejects.toThrow(/exited with 73: cannot create the data directory/);
  });
});

test("a damaged database does not delay alarms: it is quarantined, and a condition is raised", async () => {
  const installation = Installation.temporary();
  const folder = join(installation.folder, "site");
  mkdirSync(folder);
  writeFileSync(join(folder, "santinela.db"), "this is not a database, only some text ".repeat(50));
  const site = installation.daemon("site", "http: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\n");
  await site.start();
  const { conditions } = await site.get<{ conditions: { code: string }[] }>("/site/status");
  expect(conditions.map(({ code }) => code)).toEqual(["database-recovered", "data-lost"]);
  const [kept = ""] = readdirSync(join(folder, "quarantine"));
  expect(readFileSync(join(folder, "quarantine", kept, "santinela.db"), "utf8")).toMatch(
    /^this is not a database/,
  );
});

describe("a page damaged after a clean shutdown", () => {
  let installation: Installation;
  let folder: string;
  let site: DaemonProcess;
  beforeEach(async () => {
    installation = Installation.temporary();
    folder = join(installation.folder, "site");
    site = installation.daemon(
      "site",
      `http: { port: 0 }
mqtt: off
gpio: { backend: simulated }
objectives: { obiective/cladiri: [{ id: 1, name: Hall }] }
zones:
  - { id: hand, name: hand, kind: panic, objective: { type: obiective/cladiri, id: 1 }, input: { simulated: true } }
`,
    );
    await site.start();
    await site.end("SIGTERM");
  });

  /** Overwrites the first page of a table. */
  function damage(name: string, table: string): void {
    const path = join(folder, name);
    const database = new Sqlite(path);
    const pageBytes = database.pragma("page_size", { simple: true }) as number;
    const root = "SELECT rootpage FROM sqlite_schema WHERE name = ?";
    const page = database.prepare(root).pluck().get(table) as number;
    database.close();
    const file = openSync(path, "r+");
    writeSync(file, Buffer.alloc(pageBytes, 0xff), 0, pageBytes, (page - 1) * pageBytes);
    closeSync(file);
  }

  async function conditions(): Promise<string[]> {
    const status = await site.get<{ conditions: { code: string }[] }>("/site/status");
    return status.conditions.map(({ code }) => code);
  }

  test.each([
    ["journal.db", "faults"],
    ["santinela.db", "accounts"],
  ])("does not prevent the start (%s, %s): it is found before the page is read", async (name, table) => {
    damage(name, table);
    await site.start();
    expect(await conditions()).toContain("database-recovered");
  });

  test("is recovered when a request meets it, without a person restarting the daemon", async () => {
    await site.start();
    damage("santinela.db", "plans");
    await askDaemon(folder, "GET", "/site/plans");
    await eventually("the recovery", async () => (await conditions()).includes("database-recovered"), 60_000);
    expect(await conditions()).not.toContain("database-damaged");
  });

  test("is searched for at the next start after a trip has hit it, even after a clean shutdown", async () => {
    await site.start();
    // A table that the start does not read: what it has read is in memory.
    damage("journal.db", "incident_zones");
    await askDaemon(folder, "POST", "/site/simulate", { zone: "hand", contact: "open" });
    await eventually("the request of an integrity check", () => existsSync(join(folder, "check-failed.txt")));
    await site.end("SIGTERM");
    await site.start();
    expect(await conditions()).toContain("database-recovered");
  });
});
