import { execFile } from "node:child_process";
import { join } from "node:path";
import { isDeepStrictEqual, promisify } from "node:util";
import { connectAsync } from "mqtt";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { StatusView } from "../../src/site/status-view.ts";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { Installation, MAIN } from "../support/installation.ts";
import { freePort } from "../support/loopback.ts";

const OBJECTIVE = "objective: { type: obiective/cladiri, id: 12 }";
const ZONES = `site: { name: Hala Nord, ref: hala-nord }
http: { port: 0 }
mqtt: off
gpio: { backend: simulated }
objectives: { obiective/cladiri: [ { id: 12, name: Hala Nord } ] }
zones:
  - { id: smoke, name: Fum depozit, kind: fire, ${OBJECTIVE}, input: { simulated: true } }
  - { id: cellar, name: Apă subsol, kind: flood, ${OBJECTIVE}, input: { simulated: true } }
`;

const run = promisify(execFile);

let installation: Installation;
let site: DaemonProcess;
beforeEach(async () => {
  installation = Installation.temporary();
  site = installation.daemon("site", ZONES);
  await site.start();
  await headline("well");
});

type Headline = StatusView["headline"];

async function ask(method: "POST" | "PUT" | "DELETE", path: string, body?: unknown): Promise<void> {
  const { status, value } = await askDaemon(join(installation.folder, "site"), method, path, body);
  expect(status, JSON.stringify(value)).toBeLessThan(300);
}

/** Output of a command. @throws when it does not exit with 0 */
async function commandLine(command: readonly string[]): Promise<string> {
  const file = join(installation.folder, "site.yaml");
  return (await run(process.execPath, [MAIN, ...command, "--config", file])).stdout;
}

/**
 * Waits for a headline and returns the rest of the summary.
 * @param codes all its reasons in order; any by default. A trip before its intervention is a reason for a
 * moment, so tests of the text list all reasons.
 */
function headline(level: Headline["level"], ...codes: readonly string[]): Promise<Headline> {
  return eventually(`the headline ${level} ${codes.join(", ")}`, async () => {
    const { headline: said } = await site.get<StatusView>("/site/status");
    const codesFound = said.reasons.map(({ code }) => code);
    if (said.level !== level || (codes.length > 0 && !isDeepStrictEqual(codesFound, codes)))
      throw new Error(JSON.stringify(said));
    return said;
  });
}

describe("the summary of a site", () => {
  test("is an alarm from a fire until its intervention is done, also after the contact has closed", async () => {
    await site.run(["trip", "--zone", "smoke"]);
    const alarm = await headline("alarm", "alarm-unfinished", "zone-open");
    expect(alarm.text).toContain("Fum depozit");
    expect(alarm.reasons.map(({ code }) => code)).toEqual(["alarm-unfinished", "zone-open"]);

    await site.run(["trip", "--zone", "smoke", "--restore"]);
    const restored = await headline("alarm", "alarm-unfinished");
    expect(restored.reasons).toMatchObject([{ count: 1, items: [{ about: "intervention", id: 1 }] }]);

    await ask("PUT", "/interventii/1", { status: "in_progress" });
    await headline("alarm", "alarm-unfinished");
    await ask("PUT", "/interventii/1", { status: "done" });
    expect(await headline("well")).toMatchObject({ text: "all is well", reasons: [] });
  });

  test("is an alarm until a leak is done, although its record is a repair", async () => {
    await site.run(["trip", "--zone", "cellar"]);
    await site.run(["trip", "--zone", "cellar", "--restore"]);
    const { reasons } = await headline("alarm", "alarm-unfinished");
    expect(reasons).toMatchObject([{ count: 1, items: [{ id: 1 }] }]);
  });

  test("is an alarm while a contact is open, although its intervention is done", async () => {
    await site.run(["trip", "--zone", "smoke"]);
    await headline("alarm", "alarm-unfinished", "zone-open");
    await ask("PUT", "/interventii/1", { status: "done" });
    const { reasons } = await headline("alarm", "zone-open");
    expect(reasons[0]).toMatchObject({ items: [{ about: "zone", id: "smoke", name: "Fum depozit" }] });
  });

  test("is not an alarm during an entry delay, and is one at its end unless the zone is disarmed", async () => {
    await site.end("SIGTERM");
    const port = await freePort();
    const key = "gate: { mqtt: key, open: ['1'], normal: ['0'] }, entryDelayS: 3";
    site = installation.daemon(
      "site",
      ZONES.replace("mqtt: off", `mqtt: { listen: { port: ${port} } }`) +
        `  - { id: door, name: Ușa, kind: intrusion, ${OBJECTIVE}, input: { simulated: true }, ${key} }\n`,
    );
    await site.start();
    const keypad = await connectAsync(`mqtt://127.0.0.1:${port}`);
    onTestFinished(() => keypad.endAsync(true));
    await keypad.publishAsync("key", "1", { qos: 1 });
    await headline("well");
    await site.run(["trip", "--zone", "door"]);
    const { text, reasons } = await headline("attention", "entry-delay");
    expect(text).toBe("attention: entry delay of 1 zone (Ușa)");
    expect(reasons).toMatchObject([{ items: [{ about: "zone", id: "door" }] }]);
    await keypad.publishAsync("key", "0", { qos: 1 });
    await headline("attention", "zone-not-ready");
    await site.run(["trip", "--zone", "door", "--restore"]);
    await keypad.publishAsync("key", "1", { qos: 1 });
    await headline("well");
    await site.run(["trip", "--zone", "door"]);
    await headline("attention", "entry-delay");
    await headline("alarm", "alarm-unfinished", "zone-open");
    expect(await site.get<unknown[]>("/interventii")).toHaveLength(1);
  });

  test("is well before a planned maintenance visit, and no longer on its day", async () => {
    const visit = { name: "Revizie anuală", objectiveType: "obiective/cladiri", objectiveId: 12 };
    const dateStart = new Date(Date.now() + 7 * 86_400_000).toISOString();
    await ask("POST", "/interventii", { ...visit, dateStart });
    expect(await headline("well")).toMatchObject({ planned: 1, text: "all is well; 1 intervention planned" });

    await ask("PUT", "/interventii/1", { dateStart: new Date(Date.now() - 60_000).toISOString() });
    const { reasons } = await headline("attention", "work-unfinished");
    expect(reasons).toMatchObject([{ count: 1, items: [{ name: "Revizie anuală" }] }]);
    await ask("DELETE", "/interventii/1");
    await headline("well");
  });

  test("is the same in the status, on the command line and in the metrics, and doctor still exits with 0", async () => {
    await site.run(["trip", "--zone", "smoke"]);
    const { text } = await headline("alarm", "alarm-unfinished", "zone-open");
    const printed = await commandLine(["status"]);
    expect(printed).toContain(`Hala Nord: ${text}`);
    expect(text).toMatch(/^ALARM: 1 unfinished alarm \(#1 .*Fum depozit.*\); 1 zone open while armed/);
    const metrics = await commandLine(["metrics"]);
    const levels = [...metrics.matchAll(/^santinela_headline\{level="(\w+)"\} (\d)$/gm)];
    expect(levels.map(([, level, value]) => `${level} ${value}`)).toEqual([
      "alarm 1",
      "fault 0",
      "attention 0",
      "well 0",
    ]);
    expect(metrics).toMatch(/^santinela_headline_reasons\{reason="zone-open",level="alarm"\} 1$/m);
    const findings = JSON.parse(await commandLine(["doctor", "--json"])) as { check: string; text: string }[];
    expect(findings).toContainEqual({ check: "Headline", status: "warning", text });
  });

  test("needs attention while a walk test or a bypass suppresses a fire detector, and names it", async () => {
    await ask("POST", "/site/walk-test", { minutes: 5 });
    await headline("attention", "walk-test");
    await ask("POST", "/site/walk-test", { end: true });
    await headline("well");
    await ask("POST", "/site/zones/smoke/bypass", { reason: "zugrav", minutes: 5 });
    const { reasons } = await headline("attention", "zone-bypassed");
    expect(reasons).toMatchObject([{ items: [{ id: "smoke", name: "Fum depozit" }] }]);
  });
});

test("a site without zones is not well in the status, on the command line, in the metrics and in Home Assistant", async () => {
  await site.end("SIGTERM");
  const port = await freePort();
  const listen = `mqtt: { listen: { port: ${port} } }\nhomeAssistant: { enabled: true }`;
  const empty = `${ZONES.replace("mqtt: off", listen).split("zones:")[0]}zones: []\n`;
  site = installation.daemon("site", empty);
  await site.start();
  const { text } = await headline("attention", "no-zones");
  expect(text).toBe("attention: no zones yet");
  expect(await commandLine(["status"])).toContain(`Hala Nord: ${text}`);
  const metrics = await commandLine(["metrics"]);
  expect(metrics).toMatch(/^santinela_headline\{level="well"\} 0$/m);
  expect(metrics).toMatch(/^santinela_headline_reasons\{reason="no-zones",level="attention"\} 1$/m);
  const client = await connectAsync(`mqtt://127.0.0.1:${port}`);
  let shown = "";
  client.on("message", (_topic, payload) => {
    shown = payload.toString();
  });
  await client.subscribeAsync("santinela/hala-nord/headline/text");
  await eventually("the headline in Home Assistant", async () => expect(JSON.parse(shown)).toEqual({ text }));
  await client.endAsync();
});
