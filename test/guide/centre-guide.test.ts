import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { eventually } from "../support/eventually.ts";
import { pause } from "../support/installation.ts";
import { Container, LIMIT_MS } from "../systemd/container.ts";
import { commandsOf } from "./page-commands.ts";

/** A Debian 13 with systemd and sshd, and a folder with the packages of Debian: see scripts/test-centre-guide.sh. */
const ROOT = process.env["TEST_GUIDE_ROOT"] ?? "";
const ARCHIVE = process.env["TEST_GUIDE_ARCHIVE"] ?? "";
const SECTIONS = {
  servers: "Two servers that survive the loss of one",
  backups: "Backups of the two servers",
  restore: "Point-in-time recovery",
} as const;
const ADDRESSES = { centre1: "10.0.0.11", centre2: "10.0.0.12", witness: "10.0.0.13" } as const;
const NAMES = Object.keys(ADDRESSES);
/** Instead of the … of the page. */
const PASSWORD = "correcthorsebattery";
const ADMIN = { email: "admin@santinela.local", password: PASSWORD };
const RECORD = JSON.stringify({ name: "n", objectiveType: "obiective/cladiri", objectiveId: 12 });

let folder: string;
let authority = "";
const machines = new Map<string, Container>();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "santinela-guide-"));
  const ip = (...words: readonly string[]): Buffer => execFileSync("ip", words);
  ip("link", "set", "lo", "up");
  ip("link", "add", "lan", "type", "bridge");
  ip("address", "add", "10.0.0.1/24", "dev", "lan");
  ip("link", "set", "lan", "up");
  for (const name of NAMES) prepare(name);
  await Promise.all(NAMES.map((name) => boot(name)));
});

afterAll(async () => {
  for (const machine of machines.values()) await machine.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** A disk of its own for a machine, which knows its name and address. */
function prepare(name: string): void {
  const disk = join(folder, name);
  execFileSync("cp", ["--archive", ROOT, disk]);
  const write = (path: string, text: string): void => writeFileSync(join(disk, path), text);
  write("etc/hostname", `${name}\n`);
  write("etc/hosts", `127.0.0.1 localhost\n127.0.1.1 ${name}\n`);
  write(
    "etc/systemd/network/10-lan.network",
    `[Match]\nName=host0\n[Network]\nAddress=${ADDRESSES[name as keyof typeof ADDRESSES]}/24\n`,
  );
}

async function boot(name: string): Promise<void> {
  const options = ["--volatile=no", "--network-bridge=lan", `--hostname=${name}`];
  machines.set(
    name,
    await Container.boot(join(folder, name), [], [...options, `--bind-ro=${ARCHIVE}:/archive`]),
  );
}

function machine(name: string): Container {
  const found = machines.get(name);
  if (!found) throw new Error(`no machine ${name}`);
  return found;
}

/** Follows a section of the page: each fence on its machines, with what was exported before. @param filledIn instead of the … */
async function followPage(section: keyof typeof SECTIONS, filledIn = PASSWORD): Promise<void> {
  const exported = new Map<string, string>();
  for (const { machines: names, text } of commandsOf(
    readFileSync("docs/centre.md", "utf8"),
    SECTIONS[section],
    NAMES,
  )) {
    const commands = text.replaceAll("…", filledIn);
    await Promise.all(
      names.map(async (name) => {
        const before = exported.get(name) ?? "";
        await machine(name).ok(`set -e\ncd /packages\n${before}${commands}`);
        const exports = commands.split("\n").filter((line) => line.startsWith("export "));
        exported.set(name, `${before}${exports.map((line) => `${line}\n`).join("")}`);
      }),
    );
  }
}

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** A request to the address of the sites, on a connection of its own; status 0 without an answer. */
function ask(method: string, path: string, headers: Record<string, string>, body = ""): Promise<Answer> {
  return new Promise((resolve) => {
    const failed = (): void => resolve({ status: 0, text: "" });
    const sent = request(
      {
        host: "10.0.0.10",
        port: 8443,
        servername: "dispecerat.example.ro",
        ca: authority,
        agent: false,
        method,
        path,
        headers: { Host: "dispecerat.example.ro:8443", "Content-Type": "application/json", ...headers },
        timeout: 8_000,
      },
      (answer) => {
        let text = "";
        answer.on("data", (chunk: Buffer) => (text += chunk.toString()));
        answer.on("error", failed);
        answer.on("end", () => resolve({ status: answer.statusCode ?? 0, text }));
      },
    );
    sent.on("error", failed);
    sent.on("timeout", () => sent.destroy());
    sent.end(body);
  });
}

/** Sites that create records, each with its key until there is an answer. */
class Sites {
  readonly acknowledged = new Map<string, number>();
  #isEnded = false;
  readonly #work: Promise<void>[];

  constructor(token: string) {
    this.#work = Array.from({ length: 8 }, () => this.#write(token));
  }

  async grow(): Promise<void> {
    const from = this.acknowledged.size;
    await eventually("more records", () => this.acknowledged.size >= from + 50, LIMIT_MS);
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    await Promise.all(this.#work);
  }

  async #write(token: string): Promise<void> {
    while (!this.#isEnded) {
      const key = randomUUID();
      const headers = { Authorization: `Bearer ${token}`, "Idempotency-Key": key };
      for (;;) {
        const { status, text } = await ask("POST", "/interventii", headers, RECORD);
        if (status === 201) this.acknowledged.set(key, (JSON.parse(text) as { id: number }).id);
        if (status === 201) break;
        await pause(250);
      }
    }
  }
}

/** A token, as soon as there is one at the address of the sites. */
async function signedIn(): Promise<string> {
  const { text } = await answered(200, () => ask("POST", "/auth/token", {}, JSON.stringify(ADMIN)));
  return (JSON.parse(text) as { token: string }).token;
}

/** Repeats a request until it has this answer. */
function answered(status: number, request: () => Promise<Answer>): Promise<Answer> {
  return eventually(
    `an answer ${status} at the address of the sites`,
    async () => {
      const answer = await request();
      return answer.status === status && answer;
    },
    LIMIT_MS,
  );
}

/** The roles of the servers as Patroni at a machine sees them, by name. */
async function roles(at: string): Promise<Map<string, string>> {
  const { stdout } = await machine(at).run(
    "patronictl --config-file /etc/patroni/config.yml list --format json",
  );
  const members = JSON.parse(stdout || "[]") as { Member: string; Role: string; State: string }[];
  return new Map(members.map((member) => [member.Member, member.Role]));
}

async function whole(): Promise<string> {
  return eventually(
    "a leader and a synchronous standby",
    async () => {
      const found = await roles("centre1");
      if ([...found.values()].toSorted().join() !== "Leader,Sync Standby") return undefined;
      return [...found].find(([, role]) => role === "Leader")?.[0];
    },
    LIMIT_MS,
  );
}

test("docs/centre.md leads from empty machines to a centre that survives the loss of any one", async () => {
  await followPage("servers");
  authority = await machine("centre1").ok("cat /var/lib/santinela-centre/tls/ca.crt");
  const sites = new Sites(await signedIn());
  await sites.grow();
  // Each of them once as the leader, and the witness.
  const first = await whole();
  for (const lost of [first, first === "centre1" ? "centre2" : "centre1", "witness"]) {
    const leader = await whole();
    await machine(lost).stop();
    await sites.grow();
    await boot(lost);
    process.stdout.write(
      `${lost} was lost (the leader was ${leader}), ${sites.acknowledged.size} acknowledged\n`,
    );
    await whole();
    await sites.grow();
  }
  await sites.end();
  const leader = await whole();
  const stored = await machine(leader).ok(
    `runuser -u postgres -- psql --tuples-only --no-align --field-separator=' ' santinela --command='SELECT uid, id FROM interventions'`,
  );
  const rows = stored.split("\n").map((line) => line.split(" "));
  expect(new Map(rows.map(([key = "", id]) => [key, Number(id)]))).toEqual(sites.acknowledged);
  // Everything runs again by itself.
  for (const name of ["centre1", "centre2"])
    for (const unit of ["etcd", "patroni", "haproxy", "santinela-centre", "keepalived"])
      await eventually(
        `${unit} on ${name}`,
        async () => (await machine(name).property("ActiveState", `${unit}.service`)) === "active",
        LIMIT_MS,
      );
});

test("docs/centre.md leads to backups on the witness, and back to a moment between two records", async () => {
  await followPage("backups");
  const info = await machine("witness").ok(
    "runuser -u postgres -- pgbackrest --stanza=centre info --output=json",
  );
  const [stanza] = JSON.parse(info) as { status: { message: string }; backup: { type: string }[] }[];
  expect(stanza).toMatchObject({ status: { message: "ok" }, backup: [{ type: "full" }, { type: "incr" }] });

  const headers = { Authorization: `Bearer ${await signedIn()}` };
  const create = async (): Promise<{ id: number }> => {
    const key = { "Idempotency-Key": randomUUID() };
    const { text } = await answered(201, () => ask("POST", "/interventii", { ...headers, ...key }, RECORD));
    return JSON.parse(text) as { id: number };
  };
  const kept = await create();
  const moment = await machine(await whole()).ok(
    "runuser -u postgres -- psql --tuples-only --no-align --command='SELECT clock_timestamp()'",
  );
  const lost = await create();
  await followPage("restore", moment.trim());
  await whole();
  const read = ({ id }: { id: number }, status: number): Promise<Answer> =>
    answered(status, () => ask("GET", `/interventii/${id}`, headers));
  expect(JSON.parse((await read(kept, 200)).text)).toEqual(kept);
  await read(lost, 404);
  // It goes on: records, and their backups.
  await create();
  await machine("witness").ok("runuser -u postgres -- pgbackrest --stanza=centre check");
  await machine("witness").ok("systemctl start centre-backup@incr");
});
