import { randomUUID } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test, vi } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import { santinela } from "../support/command-line.ts";
import { SITE_PASSWORD } from "../support/enrolled-site.ts";
import { eventually } from "../support/eventually.ts";
import { reportNow } from "../support/fleet.ts";
import { buildingsYaml, EDGE, Installation, upstreamYaml } from "../support/installation.ts";
import { describeOnPostgres, describeWithPostgres } from "../support/postgres.ts";

const RECORD = { name: "n", objectiveType: "obiective/cladiri", objectiveId: 1 };

describeOnPostgres("two processes of a dispatch centre on one database", (server) => {
  let url: string;
  let installation: Installation;
  let first: DaemonProcess;
  let second: DaemonProcess;
  let ports: readonly [number, number];

  beforeEach(async () => {
    url = await server.newDatabase();
    installation = Installation.temporary();
    const yaml = `database: "${url}"\nsite: { ref: centre, locale: en }\nhttp: { port: 0 }\n${buildingsYaml(2)}`;
    first = installation.centre("first", yaml);
    second = installation.centre("second", yaml);
    await first.addAccount(EDGE, "administrator");
    const [one, other] = await Promise.all([first.start(), second.start()]);
    ports = [one.httpPort, other.httpPort];
  });

  const ask = (which: 0 | 1, path: string, token: string, init: RequestInit = {}): Promise<Response> =>
    fetch(`http://127.0.0.1:${ports[which]}${path}`, {
      ...init,
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json", ...init.headers },
    });
  const signIn = async (which: 0 | 1): Promise<string> => {
    const answer = await ask(which, "/auth/token", "", { method: "POST", body: JSON.stringify(EDGE) });
    expect(answer.status).toBe(200);
    return ((await answer.json()) as { token: string }).token;
  };

  test("share accounts, tokens, records and keys", async () => {
    const token = await signIn(0);
    const keys = Array.from({ length: 20 }, () => randomUUID());
    const answers = await Promise.all(
      keys.flatMap((key) =>
        Array.from({ length: 8 }, (_, turn) =>
          ask(turn % 2 === 0 ? 0 : 1, "/interventii", token, {
            method: "POST",
            headers: { "Idempotency-Key": key },
            body: JSON.stringify(RECORD),
          }),
        ),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    const list = await ask(1, "/interventii?_start=0&_end=0", token);
    expect(list.headers.get("X-Total-Count")).toBe("20");

    const other = { email: "b@site.example", password: EDGE.password };
    await first.addAccount(other, "administrator");
    await first.run(["user", "disable", "--email", EDGE.email]);
    expect((await ask(1, "/interventii", token)).status).toBe(401);
  });

  test("refuse the schema of a newer release, with the way out", async () => {
    await server.query(
      decodeURIComponent(new URL(url).pathname.slice(1)),
      "INSERT INTO schema_steps(step, at) VALUES(1000, now())",
    );
    for (const command of ["migrate", "centre"])
      await expect(first.run([command])).rejects.toThrow(
        /exited with 1: .*newer release.*Install the newer release/s,
      );
  });

  test("accept each other's tokens after a rotation, and none of a revoked key", async () => {
    const token = await signIn(0);
    await first.run(["keys", "rotate"]);
    expect((await ask(1, "/interventii", token)).status).toBe(200);
    await first.run(["keys", "revoke-previous"]);
    await eventually(
      "the old key is refused",
      async () => (await ask(1, "/interventii", token)).status === 401,
    );
    await eventually("a token of one is valid at the other", async () => {
      const next = await signIn(0);
      return (await ask(1, "/interventii", next)).status === 200;
    });
  });

  test("answer 503 while the database is away, report it, and continue by themselves", async () => {
    const token = await signIn(0);
    await server.kill();
    const refused = await ask(1, "/interventii", token);
    expect([refused.status, refused.headers.get("Retry-After")]).toEqual([503, "2"]);
    expect(refused.headers.get("WWW-Authenticate")).toBeNull();
    expect((await ask(1, "/site/setup", "")).status).toBe(503);
    const { conditions } = await second.get<{ conditions: { code: string }[] }>("/site/status");
    expect(conditions.map(({ code }) => code)).toEqual(["database-unavailable"]);
    const up = async (): Promise<string | undefined> => {
      const words = ["metrics", "--config", "second.yaml"];
      const { stdout } = await santinela(words, { cwd: installation.folder });
      return /^santinela_database_up (\d)$/m.exec(stdout)?.[1];
    };
    expect(await up()).toBe("0");
    await server.startAgain();
    await eventually(
      "records are read again",
      async () => (await ask(1, "/interventii", token)).status === 200,
    );
    await eventually("the condition is cleared", async () => {
      const now = await second.get<{ conditions: unknown[] }>("/site/status");
      return now.conditions.length === 0;
    });
    expect(await up()).toBe("1");
    await first.end("SIGTERM");
    expect((await ask(1, "/interventii", token)).status).toBe(200);
  });

  test("have commands that work on the database, and clear errors of those for SQLite", async () => {
    const run = (line: string) =>
      santinela([...line.split(" "), "--config", "first.yaml"], { cwd: installation.folder });
    for (const line of ["backup", "backup --out copy.db", "restore copy.db"]) {
      const refused = await run(line);
      expect([line, refused.code, refused.stderr]).toEqual([line, 64, expect.stringContaining("pg_dump")]);
    }
    const reload = await run("reload");
    expect([reload.code, reload.stderr]).toEqual([64, expect.stringContaining("systemctl restart")]);
    // Servers of tests do not flush; elsewhere it is an error.
    const unsafe = await run("doctor");
    expect(unsafe.stdout).toMatch(/✔ Databases: PostgreSQL 1\d\.\d+ at .*, schema up to date/);
    expect(unsafe.stdout).toContain("✖ Databases: a power cut loses acknowledged records: fsync is off");
    expect(unsafe.stdout).toContain("▲ Standby: no synchronous standby");
    expect(unsafe.code).toBe(1);
    await server.kill();
    const away = await run("doctor");
    expect(away.stdout).toContain("✖ Databases: PostgreSQL: the database is not available");
    expect(away.code).toBe(1);
    await server.startAgain();
  });

  test("sign in to a database with a password from a file, and name the reason when it is wrong", async () => {
    await server.query("postgres", "CREATE ROLE guarded LOGIN PASSWORD 'a p@ss/w?rd&%'");
    await server.query("postgres", "CREATE DATABASE guarded OWNER guarded");
    const file = join(server.folder, "data", "pg_hba.conf");
    writeFileSync(file, `local all guarded scram-sha-256\n${readFileSync(file, "utf8")}`);
    await server.query("postgres", "SELECT pg_reload_conf()");
    installation.secret("database.password", "a p@ss/w?rd&%\n");
    const socket = encodeURIComponent(server.folder);
    const forms = [
      `postgres://guarded@${socket}/guarded`,
      `postgres:///guarded?user=guarded&host=${server.folder}`,
    ];
    for (const [index, form] of forms.entries()) {
      const yaml = `database: "${form}"\ndatabasePasswordFile: ./database.password\nhttp: { port: 0 }\n`;
      const centre = installation.centre(`guarded${index}`, yaml);
      await centre.run(["migrate"]);
      const { httpPort } = await centre.start();
      expect((await fetch(`http://127.0.0.1:${httpPort}/site/setup`)).status).toBe(200);
    }
    const credentials = join(installation.folder, "credentials");
    mkdirSync(credentials);
    writeFileSync(join(credentials, "database-password"), "a p@ss/w?rd&%\n", { mode: 0o600 });
    const bySystemd = installation.centre("systemd", `database: "${forms[0]}"\nhttp: { port: 0 }\n`);
    const { httpPort: itsPort } = await bySystemd.start({
      ...process.env,
      CREDENTIALS_DIRECTORY: credentials,
    });
    expect((await fetch(`http://127.0.0.1:${itsPort}/site/setup`)).status).toBe(200);
    installation.centre("environment", "database: environment\ndatabasePasswordFile: ./database.password\n");
    const migrate = (name: string) =>
      santinela(["migrate", "--config", `${name}.yaml`], { cwd: installation.folder });
    vi.stubEnv("PGHOST", server.folder);
    vi.stubEnv("PGUSER", "guarded");
    vi.stubEnv("PGDATABASE", "guarded");
    const byEnvironment = await migrate("environment");
    vi.unstubAllEnvs();
    expect([byEnvironment.code, byEnvironment.stdout]).toEqual([0, "the schema is up to date\n"]);

    installation.secret("database.password", "wrong\n");
    const refused = await migrate("guarded0");
    expect([refused.code, refused.stderr]).toEqual([
      75,
      expect.stringContaining('password authentication failed for user "guarded"'),
    ]);
  });

  test("have the commands for their objectives, sites, events and metrics", async () => {
    const done = async (line: string): Promise<string> => {
      const words = [...line.split(" "), "--config", "first.yaml"];
      const { code, stdout, stderr } = await santinela(words, { cwd: installation.folder });
      expect([line, code], stderr).toEqual([line, 0]);
      return stdout;
    };
    const post = async <T>(path: string, body: object, token = ""): Promise<T> => {
      const answer = await ask(1, path, token, { method: "POST", body: JSON.stringify(body) });
      const text = await answer.text();
      expect([path, answer.ok], text).toEqual([path, true]);
      return (text === "" ? undefined : JSON.parse(text)) as T;
    };
    const file = { "obiective/cladiri": [{ id: 12, name: "Hala Nord" }] };
    writeFileSync(join(installation.folder, "objectives.json"), JSON.stringify(file));
    expect(await done("objectives import objectives.json")).toContain("obiective/cladiri: 1 imported");
    expect(await done("objectives list --type obiective/cladiri")).toMatch(/ 12 +Hala Nord\n/);

    const invited = await done("sites invite hala-nord --objective obiective/cladiri/12");
    const [, code] = /: (\S+)\nAt the site/.exec(invited) ?? [];
    const claim = { code, site: "hala-nord", password: SITE_PASSWORD };
    const { email } = await post<{ email: string }>("/enrolments/claim", claim);
    const account = { email, password: claim.password };
    const { token } = await post<{ token: string }>("/auth/token", account);
    await post("/site-reports", { ...reportNow(), objective: "obiective/cladiri/12" }, token);
    expect(await done("sites")).toMatch(/\nhala-nord +Hala Nord +well /);
    expect(await done("sites show hala-nord")).toContain(
      "The site reported for the first time, with level well.",
    );
    expect(await done("sites access")).toMatch(/\nhala-nord +enrolled /);
    expect(await done("metrics --sites")).toContain(
      'santinela_site_level{site="hala-nord",level="well"} 1\n',
    );

    expect(await done("sites revoke hala-nord")).toContain("its tokens have ended");
    expect((await ask(1, "/sites", token)).status).toBe(401);
    expect(await done("sites access")).toMatch(/\nhala-nord +revoked /);
    expect(await done("sites remove hala-nord --yes")).toContain("site hala-nord is removed");
    expect(await done("sites")).not.toContain("hala-nord");
    const said = await eventually("the events", async () => {
      const shown = await done("events --limit 30");
      return shown.includes("removed site hala-nord") && shown;
    });
    expect(said).toContain("created a one-time code for site hala-nord");
    expect(said).toContain("Site hala-nord was enrolled");
    await done("events verify");
  });

  test("receive the records of a site", async () => {
    installation.secret("upstream.password", EDGE.password);
    const site = installation.daemon(
      "site",
      `site: { ref: hala }\nhttp: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\n${upstreamYaml(ports[1])}` +
        `zones: [ { id: gate, name: Gate, kind: intrusion, objective: { type: obiective/cladiri, id: 2 }, input: { simulated: true } } ]\n`,
    );
    await site.start();
    await site.run(["trip", "--zone", "gate"]);
    const token = await signIn(0);
    const records = await eventually("the record at the centre", async () => {
      const there = (await (await ask(0, "/interventii", token)).json()) as { objectiveId: number }[];
      return there.length > 0 && there;
    });
    expect(records.map(({ objectiveId }) => objectiveId)).toEqual([2]);
  });
});

describeWithPostgres("a dispatch centre", () => {
  let installation: Installation;
  beforeEach(() => (installation = Installation.temporary()));

  test("shows no password of its database", async () => {
    installation.centre("centre", 'database: "postgres://u:s3cr3t@db/x?password=s3cr3t&sslmode=require"\n');
    const shown = await santinela(["config", "show", "--config", "centre.yaml"], {
      cwd: installation.folder,
    });
    expect(shown.stdout).toContain("postgres://u@db/x?password=…&sslmode=require");
    const checked = await santinela(["check-config", "--centre", "--config", "centre.yaml"], {
      cwd: installation.folder,
    });
    expect(shown.stdout + shown.stderr + checked.stdout + checked.stderr).not.toContain("s3cr3t");
    expect(checked.stdout + checked.stderr).toContain("databasePasswordFile");
  });

  test("rejects the sections of a site, and a site rejects a database", async () => {
    installation.centre("centre", "zones: []\nmqtt: off\n");
    const centre = await santinela(["centre", "--config", "centre.yaml"], { cwd: installation.folder });
    expect(centre.stderr).toMatch(/centre\.yaml:2:1: zones: a dispatch centre has no zones/);
    installation.daemon("site", "database: environment\n");
    const site = await santinela(["serve", "--config", "site.yaml"], { cwd: installation.folder });
    expect([site.code === 0, site.stderr]).toEqual([false, expect.stringContaining("santinela centre")]);
  });
});
