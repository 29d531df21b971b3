import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import { RECORD_FIELDS, type Intervention } from "../../src/domain/intervention.ts";
import type { EnrolmentCode } from "../../src/generated/types.ts";
import type { ComparisonView, SyncView } from "../../src/site/sync-view.ts";
import { santinela as run } from "../support/command-line.ts";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { FaultProxy } from "../support/fault-proxy.ts";
import { reportNow } from "../support/fleet.ts";
import { buildingsYaml, EDGE, Installation, interventionsOf } from "../support/installation.ts";
import { freePort } from "../support/loopback.ts";
import { describeOnPostgres } from "../support/postgres.ts";

/* A dispatch centre with a site moves from SQLite to PostgreSQL. Neither the site nor the users do anything. */

const SITE = `site: { ref: hala-nord, name: Hala Nord }
http: { port: 0 }
mqtt: off
gpio: { backend: simulated }
zones: [ { id: gate, name: Gate, kind: intrusion, objective: { type: obiective/cladiri, id: 2 }, input: { simulated: true } } ]
`;
const BUILDING = { objectiveType: "obiective/cladiri", objectiveId: 1 } as const;
const SCOPED = { email: "paza@site.example", password: EDGE.password } as const;
const KEYED = { name: "Cu cheie", ...BUILDING, police: true };
const KEY = randomUUID();

describeOnPostgres(
  "a dispatch centre that moves to PostgreSQL while a site has records to send",
  (server) => {
    let installation: Installation;
    let centre: DaemonProcess;
    let site: DaemonProcess;
    let line: FaultProxy;
    let port: number;
    /** Tokens from before the move. */
    let tokens: Readonly<Record<"administrator" | "scoped", string>>;
    let freeCode: string;
    let before: Awaited<ReturnType<typeof everything>>;
    let trail: string;

    const centreYaml = (): string =>
      `site: { ref: centre, locale: en }\nhttp: { port: ${port} }\n${buildingsYaml(4)}`;
    const santinela = (of: "site" | "centre", ...words: string[]) =>
      run([...words, "--config", `${of}.yaml`], { cwd: installation.folder });
    const ask = async (token: string, method: string, path: string, body?: object, key?: string) => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
        method,
        headers: {
          ...(token === "" ? {} : { Authorization: `Bearer ${token}` }),
          ...(key === undefined ? {} : { "Idempotency-Key": key }),
          "Content-Type": "application/json",
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      return {
        status: answer.status,
        total: answer.headers.get("X-Total-Count"),
        tag: answer.headers.get("ETag"),
        body: (text === "" ? null : JSON.parse(text)) as unknown,
      };
    };
    const create = async (body: object, key?: string): Promise<Intervention> => {
      const { status, body: record } = await ask(tokens.administrator, "POST", "/interventii", body, key);
      expect(status).toBe(201);
      return record as Intervention;
    };
    const signIn = async ({ email, password }: { email: string; password: string }): Promise<string> => {
      const { body } = await ask("", "POST", "/auth/token", { email, password });
      return (body as { token: string }).token;
    };
    const atSite = (method: "POST" | "DELETE", path: string, body?: object) =>
      askDaemon(join(installation.folder, "site"), method, path, body);
    const settled = (what: string): Promise<SyncView> =>
      eventually(what, async () => {
        await santinela("site", "sync", "now");
        const view = await site.get<SyncView>("/site/sync");
        return view.link.state === "up" && view.records.length === 0 && view;
      });

    /** Everything that clients of the centre can read, as each account sees it. */
    async function everything() {
      const lists = RECORD_FIELDS.flatMap((field) =>
        ["ASC", "DESC"].map((order) => `/interventii?_sort=${field}&_order=${order}&_start=0&_end=100`),
      );
      const filters = ["status=done", "priority_ne=high", "q=usa", "objectiveId=2", "crews_gte=2"];
      const others = ["/obiective/cladiri?_start=0&_end=100", "/enrolments", "/sites?q=hala-sud"];
      const single = Array.from({ length: 20 }, (_, index) => `/interventii/${index + 1}`);
      const paths = [...lists, ...filters.map((filter) => `/interventii?${filter}`), ...others, ...single];
      const read: Record<string, unknown> = {};
      for (const [name, token] of Object.entries(tokens))
        for (const path of paths) read[`${name} ${path}`] = await ask(token, "GET", path);
      const journal = await ask(tokens.administrator, "GET", "/site/journal?limit=1000");
      return { read, journal: journal.body as readonly object[] };
    }

    beforeAll(async () => {
      installation = new Installation();
      port = await freePort();
      line = new FaultProxy(port);
      centre = installation.centre("centre", centreYaml());
      await centre.addAccount(EDGE, "administrator");
      await centre.addAccount(SCOPED, "operator");
      await centre.run(["user", "objectives", "--email", SCOPED.email, "--only", "obiective/cladiri/2"]);
      await centre.start();
      tokens = { administrator: await signIn(EDGE), scoped: await signIn(SCOPED) };
      site = installation.daemon("site", SITE);
      await enrolSite();
      await site.start();
    });
    afterAll(async () => {
      await installation.remove();
      await line.stop();
    });

    async function invite(ref: string, objective: string): Promise<string> {
      const { stdout } = await santinela(
        "centre",
        "sites",
        "invite",
        ref,
        "--objective",
        objective,
        "--json",
      );
      return (JSON.parse(stdout) as EnrolmentCode).code;
    }

    async function enrolSite(): Promise<void> {
      const address = `http://127.0.0.1:${await line.start()}`;
      const code = await invite("hala-nord", "obiective/cladiri/2");
      const { stdout } = await santinela("site", "enrol", code, "--centre", address);
      const [, section = ""] = stdout.split(/(?=^upstream:$)/m);
      writeFileSync(
        join(installation.folder, "site.yaml"),
        `dataDir: ./site\n${SITE}${section}  reportS: 1\n  timeoutS: 1\n`,
      );
    }

    test("is used on SQLite first: changes, deletions, keys, reports, and a site", async () => {
      await create(KEYED, KEY);
      const record = await create({
        ...BUILDING,
        name: "Ușa din spate",
        dateStart: "2026-03-01T08:00:00",
        crews: 3,
      });
      await ask(tokens.administrator, "PUT", `/interventii/${record.id}`, { status: "done", notes: "a\nb" });
      const wrong = await create({ ...BUILDING, name: "By mistake", objectiveId: 2, priority: "high" });
      expect((await ask(tokens.administrator, "DELETE", `/interventii/${wrong.id}`)).status).toBe(204);
      await ask(tokens.administrator, "POST", "/site-reports", {
        ...reportNow(),
        ref: "hala-sud",
        at: Date.now(),
      });
      freeCode = await invite("hala-est", "obiective/cladiri/3");
      await site.run(["trip", "--zone", "gate"]);
      await atSite("POST", "/interventii", { ...BUILDING, objectiveId: 2, name: "Deleted meanwhile" });
      await settled("the records of the site at the centre");
      expect((await interventionsOf(centre)).map(({ objectiveId }) => objectiveId)).toContain(2);
    });

    test("is stopped and moved with one command, while the site records more", async () => {
      line.isDown = true;
      const [old] = (await interventionsOf(site)).filter(({ name }) => name === "Deleted meanwhile");
      await atSite("DELETE", `/interventii/${old?.id}`);
      await atSite("POST", "/interventii", { ...BUILDING, objectiveId: 2, name: "Recorded meanwhile" });
      before = await everything();
      await centre.end("SIGTERM");
      trail = (await santinela("centre", "events", "export")).stdout;
      expect(trail.split("\n").length).toBeGreaterThan(5);

      const url = await server.newDatabase();
      centre = installation.centre("centre", `${centreYaml()}database: "${url}"\n`);
      const { code, stdout, stderr } = await santinela("centre", "migrate", "--from-sqlite", "centre");
      expect([code, stderr]).toEqual([0, expect.stringContaining("checking ")]);
      expect(stdout).toContain("tokens stay valid");
      expect((await santinela("centre", "events", "export")).stdout).toBe(trail);
      await centre.start();
    });

    test("answers each request as before, to the tokens from before", async () => {
      const after = await everything();
      expect(after.read).toEqual(before.read);
      expect(after.journal.slice(-before.journal.length)).toEqual(before.journal);
      expect(Object.keys(before.read).length).toBeGreaterThan(100);
    });

    test("answers a repeated request with the first record, and another one under its key with an error", async () => {
      const path = `/interventii?_start=0&_end=0`;
      const { total } = await ask(tokens.administrator, "GET", path);
      const first = (await interventionsOf(centre)).find(({ name }) => name === KEYED.name);
      expect(await create(KEYED, KEY)).toEqual(first);
      const other = await ask(tokens.administrator, "POST", "/interventii", { ...KEYED, crews: 2 }, KEY);
      expect(other.status).toBe(422);
      expect((await ask(tokens.administrator, "GET", path)).total).toBe(total);
    });

    test("receives what the site has recorded meanwhile once, without a new sign-in, and differs in nothing", async () => {
      const known = (await interventionsOf(centre)).map(({ id }) => id);
      const carried = line.carried.length;
      const upAtMs = Date.now();
      line.isDown = false;
      await settled("the records that waited");
      const records = await interventionsOf(centre);
      const added = records.filter(({ id }) => !known.includes(id));
      expect(added.map(({ name }) => name)).toEqual(["Recorded meanwhile"]);
      expect(Math.min(...added.map(({ id }) => id))).toBeGreaterThan(Math.max(...known));
      expect(records.map(({ name }) => name)).not.toContain("Deleted meanwhile");
      expect(new Set(records.map(({ name }) => name)).size).toBe(records.length);
      expect(line.carried.slice(carried).map(({ path }) => path)).not.toContain("/auth/token");
      const comparison = await eventually("a comparison of all records", async () => {
        await santinela("site", "sync", "now");
        const view: ComparisonView | null = (await site.get<SyncView>("/site/sync")).comparison;
        return view !== null && view.here === 2 && view;
      });
      expect(comparison).toMatchObject({ here: 2, there: 2, differing: 0 });
      await eventually("a report of the site", async () => {
        const [seen] = (await ask(tokens.administrator, "GET", "/sites?q=hala-nord")).body as {
          reportedAt: string;
        }[];
        return seen !== undefined && Date.parse(seen.reportedAt) > upAtMs;
      });
    });

    test("enrols a site with a code from before, and has an intact audit trail", async () => {
      const claim = { code: freeCode, site: "hala-est", password: "k7w2-9xqpt-m3hcz-v8rbn" };
      expect((await ask("", "POST", "/enrolments/claim", claim)).status).toBe(201);
      const verified = await santinela("centre", "events", "verify");
      expect([verified.code, verified.stdout]).toEqual([0, expect.stringContaining(": intact\n")]);
      const exported = (await santinela("centre", "events", "export")).stdout;
      expect(exported.slice(0, trail.length)).toBe(trail);
      expect(exported.length).toBeGreaterThan(trail.length);
    });
  },
);
