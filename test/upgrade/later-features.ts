import { execFileSync } from "node:child_process";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import type { EnrolmentCode } from "../../src/generated/types.ts";
import type { PlanView } from "../../src/site/plan-view.ts";
import { AlarmPanel, newAlarmPanelKey } from "../support/alarm-panel.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { eventually } from "../support/eventually.ts";
import { REPORT } from "../support/fleet.ts";
import { freePort } from "../support/loopback.ts";
import { MonitoringReceiver } from "../support/monitoring-receiver.ts";
import { ApiUser } from "../support/api-user.ts";
import type { Extras, StoryInstallation } from "./story-installation.ts";

/** The smallest PNG picture: one pixel. */
const PICTURE = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==",
  "base64",
);
const IN_YARD = "objective: { type: obiective/cladiri, id: 2 }";
const PANEL = "12AB";
const SOUTH = { ref: "depozit-sud", password: "k7w2-9xqpt-m3hcz-v8rbn" };

/** The daemon removes old entries a minute after its start. */
const RETENTION_MS = 180_000;

/**
 * What the releases after 0.1.0 have: alarm panels, a monitoring receiver, outputs, entry delays, gates and losses that are
 * kept, a gate of several keypads, events with an identifier, floor plans, enrolled sites and their reports. A migration that adds a table adds its use
 * here.
 */
export class LaterFeatures implements Extras {
  readonly zones = `  - { id: shed, name: Magazie, kind: intrusion, ${IN_YARD}, input: { mqtt: shed/contact, open: [open], normal: [closed] }, battery: { mqtt: shed/battery, below: 15 }, availability: { mqtt: shed/availability }, gate: { mqtt: keypads/+/state, open: [armed], normal: [disarmed] } }
  - { id: camera, name: Cameră, kind: motion, ${IN_YARD}, input: { mqtt: camera/reviews, path: /type, open: [new], normal: [end], dedupe: { path: /id } } }
  - { id: side-door, name: Ușa laterală, kind: intrusion, ${IN_YARD}, entryDelayS: 45, input: { simulated: true } }
  - { id: mains, name: Rețea, kind: power, ${IN_YARD}, input: { simulated: true } }
`;
  readonly centre = "fleet: { silentS: 20 }\n";
  readonly #key = newAlarmPanelKey(32);
  readonly #receiver: MonitoringReceiver;
  readonly #isOld: boolean;
  #panelPort = 0;

  /** @param isOld whether entries of the audit trail are removed by age as well, which takes a minute */
  constructor(isOld: boolean) {
    this.#isOld = isOld;
    this.#receiver = new MonitoringReceiver({ account: PANEL, key: this.#key, wallMs: () => Date.now() });
  }

  get site(): string {
    return `upstreams: [ { dc09: { account: "${PANEL}", keyFile: panel.key, replyS: 2, receivers: [ { host: 127.0.0.1, port: ${this.#receiver.port}, pollS: 0 } ] } } ]
dc09: { port: ${this.#panelPort}, accounts: [ { account: "${PANEL}", keyFile: panel.key, objective: { type: obiective/cladiri, id: 8 } } ] }
outputs:
  - { name: siren, on: alarm, pulseS: 2, gpio: 27 }
  - { name: lamp, on: alarm, mqtt: out/lamp }
`;
  }

  async start(folder: string): Promise<void> {
    writeFileSync(join(folder, "panel.key"), `${this.#key}\n`, { mode: 0o600 });
    this.#panelPort = await freePort();
    await this.#receiver.start();
  }

  /** The site has an account from before the time for which its audit trail is kept. */
  before({ folder, main }: StoryInstallation): void {
    if (!this.#isOld) return;
    const clock = new FakeClock(folder);
    clock.set("-600d");
    const account = ["user", "add", "--email", "primul@example.ro", "--role", "viewer", "--password-stdin"];
    execFileSync(process.execPath, [main, ...account, "--config", join(folder, "site.yaml")], {
      env: clock.environment,
      input: "was here at the beginning",
    });
    rmSync(join(folder, "clock-offset"));
  }

  async use(story: StoryInstallation): Promise<void> {
    const ana = await story.atSite("ana");
    await ana.send("POST", "/site/plans?name=Parter", PICTURE);
    const [plan] = await ana.ask<PlanView[]>("GET", "/site/plans");
    await ana.ask("PUT", `/site/plans/${plan?.id}`, { pins: [{ zone: "front-door", x: 20, y: 80 }] });
    await this.#fleet(story);
    await story.publish("shed/availability", "online", true);
    await story.publish("shed/battery", 80, true);
    await story.publish("keypads/hall/state", "armed", true);
    for (const type of ["end", "new", "end"]) await story.publish("camera/reviews", { id: "r-1", type });
    await story.contact("mains", true);
    const panel = this.#panel();
    for (const event of ["1130 01 004", "1570 01 003", "1301 00 000"])
      await eventually(event, () => panel.report(event));
    await eventually("events at the receiver", () => this.#receiver.events.length >= 2);
    await story.synced();
    if (this.#isOld)
      await eventually("the removal of old entries", () => rowsOf(story, "audit_cut") > 0, RETENTION_MS);
  }

  async leave(story: StoryInstallation): Promise<void> {
    // The zone has an event for the receiver, which is not there.
    await this.#receiver.stop();
    await eventually("an alarm of the panel", () => this.#panel().report("1110 01 009"));
    await story.publish("shed/availability", "offline", true);
    await eventually("the alarm to be a record", async () => {
      const trips = await story.site.get<{ zoneId: string; state: string }[]>("/site/trips?limit=1000");
      return trips.some(({ zoneId, state }) => zoneId.includes("-9-") && state === "posted");
    });
    await story.contact("side-door", true);
  }

  stop(): Promise<void> {
    return this.#receiver.stop();
  }

  /** One site is enrolled and has reported once, another one has its code. */
  async #fleet(story: StoryInstallation): Promise<void> {
    const dispecer = await story.atCentre("dispecer");
    const codeFor = (site: string): Promise<EnrolmentCode> =>
      dispecer.ask("POST", "/enrolments", { site, objectives: ["obiective/cladiri/3"] });
    await codeFor("depozit-est");
    const { code } = await codeFor(SOUTH.ref);
    const body = { code, site: SOUTH.ref, password: SOUTH.password };
    const { email } = await dispecer.ask<{ email: string }>("POST", "/enrolments/claim", body);
    const south = await ApiUser.signIn(story.centrePort, { email, password: SOUTH.password });
    const report = { ...REPORT, ref: SOUTH.ref, name: "Depozit Sud", at: Date.now() };
    await south.ask("POST", "/site-reports", report);
    await south.ask("POST", "/site-reports", { ...report, level: "fault", at: Date.now() });
  }

  #panel(): AlarmPanel {
    const { panelPort, key } = { panelPort: this.#panelPort, key: this.#key };
    return new AlarmPanel({ account: PANEL, key, port: () => panelPort, wallMs: () => Date.now() });
  }
}

function rowsOf({ folder }: StoryInstallation, table: string): number {
  const database = new Sqlite(join(folder, "site", "santinela.db"), { readonly: true });
  try {
    return database.prepare(`SELECT count(*) FROM ${table}`).pluck().get() as number;
  } finally {
    database.close();
  }
}
