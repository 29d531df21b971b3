import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AppError } from "../../domain/errors.ts";
import type { Intervention } from "../../domain/intervention.ts";
import type { SyncView } from "../../site/sync-view.ts";
import { oneTimePassword } from "../../ops/secrets.ts";
import { SystemClock } from "../../ops/system-clock.ts";
import type { Terminal } from "../terminal.ts";
import { DaemonProcess } from "./daemon-process.ts";
import { Relay } from "./relay.ts";

const STEP_LIMIT_MS = 60_000;
const POLL_INTERVAL_MS = 200;
const EDGE_EMAIL = "edge@site.example";

/**
 * Runs the demo: site and dispatch centre as two daemons, trips over GPIO and MQTT, a link outage, more trips, a kill of
 * the site and the recovery.
 * @throws AppError `conflict` unless every record of the site is at the dispatch centre exactly once
 */
export async function demo(terminal: Terminal): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "santinela-demo-"));
  const run = new DemoRun(folder, terminal);
  try {
    if (!(await run.run()))
      throw new AppError("conflict", "the dispatch centre does not have every record exactly once");
  } finally {
    await run.cleanUp();
    rmSync(folder, { recursive: true, force: true });
  }
}

class DemoRun {
  readonly #stdout: Terminal["stdout"];
  readonly #clock = new SystemClock();
  readonly #startedMs = this.#clock.monotonicMs();
  readonly #folder: string;
  readonly #centre: DaemonProcess;
  readonly #site: DaemonProcess;
  #relay: Relay | undefined;
  #mqttPort = 0;

  constructor(folder: string, { stdout, main }: Terminal) {
    this.#stdout = stdout;
    this.#folder = folder;
    const daemon = (name: string): DaemonProcess =>
      new DaemonProcess({ main, configFile: join(folder, `${name}.yaml`), dataDir: join(folder, name) });
    this.#centre = daemon("centre");
    this.#site = daemon("site");
  }

  async run(): Promise<boolean> {
    await this.#startBoth();
    this.#print("Tripping the front door on GPIO line 17 and the back gate with a zigbee2mqtt message.");
    await this.#site.run(["trip", "--zone", "front-door"]);
    await this.#publishGate({ contact: true });
    await this.#publishGate({ contact: false });
    await this.#waitFor("both interventions to arrive at the dispatch centre", () => this.#isSynchronised(2));

    this.#print("Cutting the link to the dispatch centre.");
    this.#relay?.cut();
    this.#print("Tripping the smoke detector and the window during the outage.");
    await this.#site.run(["trip", "--zone", "smoke"]);
    await this.#site.run(["trip", "--zone", "window"]);
    await this.#waitFor("both to be recorded on the site and queued", async () => {
      const { summary } = await this.#site.get<SyncView>("/site/sync");
      return (await this.#records(this.#site)).length === 4 && summary.waiting === 2;
    });

    this.#print("Killing the site (SIGKILL) while the link is down, then restarting it.");
    await this.#site.end("SIGKILL");
    await this.#startSite();
    this.#print(
      `The site still has its ${(await this.#records(this.#site)).length} interventions; the dispatch centre has ${(await this.#records(this.#centre)).length}.`,
    );

    this.#print("Restoring the link. The site reconnects automatically.");
    this.#relay?.reconnect();
    await this.#waitFor("all four to arrive at the dispatch centre", () => this.#isSynchronised(4));
    return this.#compare();
  }

  async cleanUp(): Promise<void> {
    await this.#site.end("SIGTERM");
    this.#relay?.stop();
    await this.#centre.end("SIGTERM");
  }

  async #startBoth(): Promise<void> {
    const password = oneTimePassword();
    writeFileSync(join(this.#folder, "centre.yaml"), CENTRE_YAML);
    writeFileSync(join(this.#folder, "upstream.password"), password, { mode: 0o600 });
    this.#print("Starting the dispatch centre (a second Santinela) and giving the site an account there.");
    await this.#centre.addAccount({ email: EDGE_EMAIL, password }, "operator");
    const { httpPort } = await this.#centre.start();
    this.#relay = new Relay(httpPort);
    const linkPort = await this.#relay.start();
    writeFileSync(join(this.#folder, "site.yaml"), siteYaml(linkPort));
    this.#print("Starting the site: simulated GPIO lines, its own MQTT broker, its own database.");
    await this.#startSite();
  }

  async #startSite(): Promise<void> {
    const { mqttPort } = await this.#site.start();
    if (mqttPort === undefined) throw new Error("the site's MQTT broker does not listen");
    this.#mqttPort = mqttPort;
  }

  async #publishGate(state: { contact: boolean }): Promise<void> {
    const { connectAsync } = await import("mqtt");
    const sensor = await connectAsync(`mqtt://127.0.0.1:${this.#mqttPort}`);
    const payload = {
      battery: 60,
      battery_low: false,
      ...state,
      linkquality: 23,
      tamper: false,
      voltage: 2900,
    };
    await sensor.publishAsync("zigbee2mqtt/backgate", JSON.stringify(payload), { qos: 1 });
    await sensor.endAsync();
  }

  async #compare(): Promise<boolean> {
    const here = await this.#records(this.#site);
    const there = await this.#records(this.#centre);
    this.#print("");
    this.#print(`${"at the site".padEnd(42)}at the dispatch centre`);
    const counts = here.map((record) => {
      const found = there.filter(
        ({ name, dateStart, objectiveId }) =>
          name === record.name && dateStart === record.dateStart && objectiveId === record.objectiveId,
      );
      const answer = found.length === 1 ? `#${found[0]?.id}, once` : `${found.length} times`;
      this.#print(`${`#${record.id} ${record.name}`.padEnd(42)}${answer}`);
      return found.length;
    });
    const eachOnce = here.length === 4 && there.length === 4 && counts.every((count) => count === 1);
    const seconds = ((this.#clock.monotonicMs() - this.#startedMs) / 1000).toFixed(1);
    this.#print("");
    this.#print(
      eachOnce
        ? `Every trip is one intervention at the dispatch centre. ${seconds} s.`
        : "Site and dispatch centre differ.",
    );
    return eachOnce;
  }

  /** Whether the centre has all records, and the site has their answers: only then is the queue empty. */
  async #isSynchronised(count: number): Promise<boolean> {
    const { summary } = await this.#site.get<SyncView>("/site/sync");
    return summary.waiting === 0 && (await this.#records(this.#centre)).length === count;
  }

  #records(daemon: DaemonProcess): Promise<Intervention[]> {
    return daemon.get("/interventii");
  }

  async #waitFor(what: string, isDone: () => Promise<boolean>): Promise<void> {
    const clock = this.#clock;
    const startedMs = clock.monotonicMs();
    this.#print(`  waiting for ${what} …`);
    while (!(await isDone())) {
      if (clock.monotonicMs() - startedMs > STEP_LIMIT_MS)
        throw new Error(`after ${STEP_LIMIT_MS / 1000} s still waiting for ${what}`);
      await new Promise<void>((resolve) => {
        clock.after(POLL_INTERVAL_MS, resolve);
      });
    }
    this.#print(`  … done after ${((clock.monotonicMs() - startedMs) / 1000).toFixed(1)} s`);
  }

  #print(line: string): void {
    this.#stdout.write(`${line}\n`);
  }
}

const OBJECTIVES = `objectives:
  obiective/cladiri:
    - { id: 1, name: North Hall }
    - { id: 2, name: Yard }
    - { id: 3, name: Store }
    - { id: 4, name: Office }
`;

const CENTRE_YAML = `dataDir: ./centre
site: { name: Centre, ref: centre, locale: en }
http: { port: 0 }
mqtt: off
gpio: { backend: simulated }
${OBJECTIVES}`;

function siteYaml(linkPort: number): string {
  return `dataDir: ./site
site: { name: Demo site, ref: demo, locale: en }
http: { port: 0 }
mqtt: { listen: { port: 0 } }
gpio: { backend: simulated }
upstream:
  baseUrl: http://127.0.0.1:${linkPort}
  email: ${EDGE_EMAIL}
  passwordFile: ./upstream.password
${OBJECTIVES}zones:
  - { id: front-door, name: Front door, kind: intrusion, objective: { type: obiective/cladiri, id: 1 }, input: { gpio: 17, contact: nc } }
  - { id: back-gate, name: Back gate, kind: perimeter, objective: { type: obiective/cladiri, id: 2 }, input: { mqtt: zigbee2mqtt/backgate, path: /contact, open: [false], normal: [true] } }
  - { id: smoke, name: Smoke detector, kind: fire, objective: { type: obiective/cladiri, id: 3 }, input: { gpio: 22, contact: no } }
  - { id: window, name: Office window, kind: glass, objective: { type: obiective/cladiri, id: 4 }, input: { gpio: 27, contact: nc } }
`;
}
