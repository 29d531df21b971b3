import { createHash } from "node:crypto";
import { join } from "node:path";
import { Writable } from "node:stream";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { Terminal } from "../../src/cli/terminal.ts";
import type { WalkTestView } from "../../src/site/zone-view.ts";
import { santinela as run } from "../support/command-line.ts";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { Installation } from "../support/installation.ts";

const installation = Installation.temporary(afterAll);
let site: DaemonProcess;
const zone = (id: string, name: string): string =>
  `  - { id: ${id}, name: "${name}", kind: intrusion, objective: { type: obiective/cladiri, id: 1 }, input: { simulated: true } }\n`;
beforeAll(async () => {
  site = installation.daemon(
    "site",
    `http: { port: 0, basePath: /api }\nmqtt: off\nobjectives: { obiective/cladiri: [ { id: 1, name: Hala Nord } ] }\nzones:\n${zone("gate", "Poarta")}${zone("door", "Ușa principală")}${zone("attic", "Pod")}`,
  );
  await site.start();
});

const words = (line: string): string[] => [
  ...line.split(" "),
  "--config",
  join(installation.folder, "site.yaml"),
];
const santinela = (line: string, more: Partial<Terminal> = {}) =>
  run(words(line), { cwd: installation.folder, ...more });

/** Limit for a command that ends. */
const never = (): Promise<void> => new Promise(() => {});

/** A command that runs until it is stopped. */
class Running {
  text = "";
  readonly outcome: Promise<{ code: number; stderr: string }>;
  end: () => void = () => {};

  constructor(line: string, isTTY = false) {
    const stdout = Object.assign(
      new Writable({
        write: (chunk: Buffer, _encoding, done) => {
          this.text += chunk.toString();
          done();
        },
      }),
      { isTTY },
    );
    const asked = new Promise<void>((resolve) => (this.end = resolve));
    this.outcome = santinela(line, { stdout, untilSignal: () => asked });
  }

  get lines(): string[] {
    return this.text.split("\n").slice(0, -1);
  }
}

describe("zones", () => {
  test("are listed with their contacts, as text and as JSON", async () => {
    const { code, stdout } = await santinela("zones list");
    expect(code).toBe(0);
    expect(stdout.split("\n").slice(0, 2)).toEqual([
      expect.stringMatching(/^ZONE {3}NAME {12}SOURCE {5}CONTACT {2}SINCE +SERVICE +BATTERY +FAULTS$/),
      expect.stringMatching(/^gate {3}Poarta {10}simulated {2}\w+ +\S.* in service$/),
    ]);
    expect(JSON.parse((await santinela("zones list --json")).stdout)).toMatchObject([
      { id: "gate" },
      { id: "door", name: "Ușa principală" },
      { id: "attic" },
    ]);
  });

  test("that change are printed, one JSON a line", async () => {
    const watch = new Running("zones watch --json");
    await eventually("all zones", () => watch.lines.length === 3);
    await santinela("trip --zone gate");
    const line = await eventually("the gate's line", () => watch.lines[3]);
    expect(JSON.parse(line)).toMatchObject({ id: "gate", contact: "open" });
    watch.end();
    expect((await watch.outcome).code).toBe(0);
    expect(watch.lines).toHaveLength(4);
    await santinela("trip --zone gate --restore");
  });

  test("are redrawn in place on a terminal, and only after a change", async () => {
    const watch = new Running("zones watch", true);
    await eventually("the table", () => watch.text.includes("attic"));
    await santinela("trip --zone door");
    await eventually("the door open", () => /door .*open/.test(watch.text));
    watch.end();
    await watch.outcome;
    const drawings = watch.text.split("\u001B[4A\u001B[J");
    expect(drawings).toHaveLength(2);
    expect(drawings[1]?.split("\n")).toHaveLength(5);
  });

  test("are followed across a restart of the daemon", async () => {
    const watch = new Running("zones watch --json");
    await eventually("all zones", () => watch.lines.length === 3);
    await site.end("SIGTERM");
    await site.start();
    await santinela("trip --zone attic");
    await eventually("the attic's line", () => watch.lines.some((line) => /"attic".*"open"/.test(line)));
    watch.end();
    const { code, stderr } = await watch.outcome;
    expect(code).toBe(0);
    expect(stderr.split("\n").filter((line) => line.endsWith("waiting for it")).length).toBeLessThanOrEqual(
      2,
    );
  });
});

describe("a zone", () => {
  test("is bypassed for a time and returned to service, with user and reason", async () => {
    const out = await santinela("zones bypass --zone door --reason painter --minutes 60");
    expect(out).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^door is bypassed until 20\S+ \S+ \S+ \(.+: painter\)\n$/) as string,
    });
    expect((await santinela("zones list")).stdout).toMatch(/^door .* bypassed until .*painter\)$/m);
    expect((await santinela("zones restore --zone door")).stdout).toBe("door is in service\n");
  });

  test.each([
    ["zones bypass --zone nope --reason x", 65, /unknown zone "nope"\. Known: /],
    ["zones bypass --zone door --reason x --minutes 99999", 65, /minutes/],
    ["zones bypass --zone door", 64, /--reason/],
    ["zones bypass --zone door --reason x --minutes soon", 64, /takes a whole number, not soon/],
    ["zones restore --zone nope", 65, /unknown zone "nope"\. Known: /],
  ])("is not changed by %s", async (line, code, message) => {
    const outcome = await santinela(line);
    expect([outcome.code, outcome.stderr]).toEqual([code, expect.stringMatching(message)]);
  });
});

describe("a walk test", () => {
  test("prints each zone that trips, and its report after Ctrl-C", async () => {
    const walk = new Running("test walk --minutes 30");
    await eventually("the test", async () => {
      const { stdout } = await santinela("test walk --status --json");
      return (JSON.parse(stdout) as { running?: boolean } | null)?.running === true;
    });
    expect((await santinela("test walk")).code).toBe(1);
    await santinela("trip --zone gate");
    await eventually("the gate in the report", async () =>
      /gate +1 /.test((await santinela("test walk --status")).stdout),
    );
    walk.end();
    const { code, stderr } = await walk.outcome;
    expect(code).toBe(0);
    expect(stderr).toMatch(/^walk test until 20/);
    expect(walk.text).toMatch(
      /^walk test 1 at .+: 1 of 3 zones tested\nZONE +TRIPS +FIRST +LAST\ngate +1 .*\ndoor +NOT TESTED\nattic +NOT TESTED\nSHA-256 [0-9a-f]{64}\n$/m,
    );
    const again = await santinela("test walk --end");
    expect(again.stderr).toBe("no walk test is running; this is the last one:\n");
    expect(again.stdout).toMatch(/^walk test 1 at /);
    expect(JSON.parse((await santinela("test walk --status --json")).stdout)).toMatchObject({
      running: false,
    });
    expect((await santinela("test walk --end")).code).toBe(0);
    await santinela("trip --zone gate --restore");
  });

  test("is listed and printed afterwards, and its hash is that of the printed JSON", async () => {
    const { stdout: list } = await santinela("test walk --list");
    const [, sha256 = ""] =
      /^NUMBER +STARTED +ENDED +BY +TESTED +SHA-256\n1 .+ 1 of 3 +([0-9a-f]{64})\n$/.exec(list) ?? [];
    const { stdout: shown } = await santinela("test walk --show 1");
    expect(shown).toMatch(/1 of 3 zones tested\nZONE [^]*\ngate +1 /);
    expect(shown.endsWith(`\nSHA-256 ${sha256}\n`)).toBe(true);
    const { stdout: json } = await santinela("test walk --show 1 --json");
    expect(createHash("sha256").update(json.trimEnd()).digest("hex")).toBe(sha256);
    expect(await santinela("test walk --show 2")).toMatchObject({
      code: 65,
      stderr: expect.stringMatching(/no result of walk test 2 is stored/) as string,
    });
  });

  test("is extended while it runs, to four hours in all", async () => {
    expect((await santinela("test walk --extend 15")).stderr).toMatch(/no walk test is running/);
    const walk = new Running("test walk --minutes 200");
    await eventually("the test", async () => /, until /.test((await santinela("test walk --status")).stdout));
    const minutes = async (words: string): Promise<number> => {
      const { since, until } = JSON.parse((await santinela(`${words} --json`)).stdout) as WalkTestView;
      return (Date.parse(until) - Date.parse(since)) / 60_000;
    };
    expect(await minutes("test walk --extend 15")).toBe(215);
    expect(await minutes("test walk --extend 60")).toBe(240);
    expect((await santinela("test walk --extend 15")).stderr).toMatch(
      /a walk test lasts at most 240 minutes/,
    );
    expect(await minutes("test walk --status")).toBe(240);
    walk.end();
    expect((await walk.outcome).code).toBe(0);
  });
});

test("a signal test prints each step, as far as there is a dispatch centre", async () => {
  const { code, stdout } = await santinela("test signal --zone gate", { untilSignal: never });
  expect(code).toBe(0);
  expect(stdout).toMatch(/gate: intervention #\d+, no dispatch centre configured\n$/);
  const steps = (await santinela("test signal --json", { untilSignal: never })).stdout.trimEnd().split("\n");
  expect(JSON.parse(steps.at(-1) ?? "")).toMatchObject({ state: "posted", isOver: true });
});

describe("events", () => {
  test("are followed: first the past ones, then new ones, each once", async () => {
    const follow = new Running("events --follow --json --limit 3 --zone gate");
    await santinela("trip --zone gate");
    const posted = () =>
      follow.lines
        .map((line) => JSON.parse(line) as { who: string; detail: { state: string } })
        .filter(({ detail }) => detail.state === "posted");
    await eventually("the trip as an intervention", () => posted().length > 0);
    follow.end();
    expect((await follow.outcome).code).toBe(0);
    expect(new Set(follow.lines).size).toBe(follow.lines.length);
    expect(posted().every(({ who }) => who === "zone gate")).toBe(true);
    await santinela("trip --zone gate --restore");
  });

  test("are filtered by time, zone and number", async () => {
    const readJson = async (line: string) =>
      JSON.parse((await santinela(`${line} --json`)).stdout) as unknown[];
    expect(await readJson("events --since 2999-01-01T00:00Z")).toEqual([]);
    expect((await readJson("events --since 1h")).length).toBeGreaterThan(1);
    expect(await readJson("events --zone gate --limit 2")).toMatchObject([
      { event: "trip", who: "zone gate" },
      { event: "restore", who: "zone gate" },
    ]);
    const { code, stderr } = await santinela("events --since yesterday");
    expect([code, stderr]).toEqual([64, expect.stringMatching(/--since takes 30m, 2h, 1d or a time/)]);
  });

  test("since a time as they are printed, in the time of the site, are that one and later ones", async () => {
    const lines = (await santinela("events")).stdout.trimEnd().split("\n");
    const [, printed = ""] = /^(\S+ \S+ \S+) {2}/.exec(lines.at(-1) ?? "") ?? [];
    const since = (time: string) => run([...words("events"), "--since", time], { cwd: installation.folder });
    const from = lines.slice(lines.findIndex((line) => line.startsWith(printed)));
    expect((await since(printed)).stdout.trimEnd().split("\n")).toEqual(from);
    expect((await since(printed.replace(/ \S+$/, ""))).stdout.trimEnd().split("\n")).toEqual(from);
    expect(await since(printed.replace(/ \S+$/, " XYZ"))).toMatchObject({ code: 64, stdout: "" });
  });

  test("of a zone that is not there are an error with the zones, and more than a page is refused", async () => {
    expect(await santinela("events --zone gaet")).toMatchObject({
      code: 65,
      stdout: "",
      stderr: 'unknown zone "gaet". Known: gate, door, attic\n',
    });
    for (const command of ["events", "interventions list"])
      expect(await santinela(`${command} --limit 1001`)).toMatchObject({
        code: 64,
        stderr: "--limit takes a number up to 1000, not 1001\n",
      });
  });
});

describe("interventions", () => {
  test("are listed, shown and changed below the base path of the site", async () => {
    await santinela("trip --zone gate");
    const listed = await eventually("a record", async () => {
      const records = JSON.parse((await santinela("interventions list --json")).stdout) as {
        id: number;
        dateStart: string;
      }[];
      return records[0];
    });
    const { stdout } = await santinela("interventions list --limit 1");
    expect(stdout).toMatch(/^ID +START +STATUS +PRIORITY +OBJECTIVE +NAME\n\d+ .*obiective\/cladiri\/1/);
    expect(stdout.trimEnd().split("\n")).toHaveLength(2);
    expect(stdout).toContain(listed.dateStart.replace("T", " "));
    expect((await santinela(`interventions set ${listed.id} --status in_progress`)).stdout).toBe(
      `#${listed.id} is in_progress\n`,
    );
    expect((await santinela(`interventions show ${listed.id}`)).stdout).toMatch(/^status: in_progress$/m);
    expect(
      JSON.parse((await santinela("interventions list --status in_progress --json")).stdout),
    ).toMatchObject([{ id: listed.id, status: "in_progress" }]);
    expect((await santinela("events --limit 3")).stdout).toMatch(
      new RegExp(`changed intervention #${listed.id} - status: \\w+ → in_progress \\(`),
    );
    const notes = { notes: "one\ntwo\r\nid: 9" };
    await askDaemon(join(installation.folder, "site"), "PUT", `/api/interventii/${listed.id}`, notes);
    expect((await santinela(`interventions show ${listed.id}`)).stdout).toContain(
      "\nnotes: one\n  two\n  id: 9\n",
    );
    await santinela("trip --zone gate --restore");
  });

  test.each([
    ["show 999999", 65, /intervention 999999 does not exist/],
    ["show twelve", 64, /invalid intervention id twelve/],
    ["set 1 --status maybe", 65, /status/],
  ])("reject %s", async (line, code, message) => {
    const outcome = await santinela(`interventions ${line}`);
    expect([outcome.code, outcome.stderr]).toEqual([code, expect.stringMatching(message)]);
  });
});

test("objectives are listed in the format of the import", async () => {
  expect((await santinela("objectives list")).stdout).toMatch(
    /^TYPE +ID +NAME\nobiective\/cladiri +1 +Hala Nord\n$/,
  );
  expect(JSON.parse((await santinela("objectives list --type obiective/cladiri --json")).stdout)).toEqual({
    "obiective/cladiri": [expect.objectContaining({ id: 1, name: "Hala Nord" })],
  });
  expect((await santinela("objectives list --type cladiri")).code).toBe(64);
});

test("audit trail, certificate and checks show their times in the time zone of the site", async () => {
  const LOCAL = /\d{4}-\d\d-\d\d \d\d:\d\d:\d\d (?:EES?T|GMT\+[23])/;
  for (const line of ["events verify", "cert", "doctor --listen 1"]) {
    const { stdout } = await santinela(line);
    expect(stdout, line).toMatch(LOCAL);
    expect(stdout, line).not.toMatch(/\d{4}-\d\d-\d\dT[\d:.]+Z/);
  }
});
