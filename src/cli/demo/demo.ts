import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AppError } from "../../domain/errors.ts";
import { oneTimePassword } from "../../ops/secrets.ts";
import type { Terminal } from "../terminal.ts";
import { DaemonProcess } from "./daemon-process.ts";
import { EDGE_EMAIL, OBJECTIVES, siteYaml } from "./demo-configuration.ts";
import { Narrator, interventionsAt } from "./narrator.ts";
import { hasServer, postgresPrograms } from "./postgres-process.ts";
import { Relay } from "./relay.ts";
import { SecondAct } from "./second-act.ts";

/** Options of `santinela demo`. */
export interface DemoOptions {
  /** Folder of PostgreSQL's programs; Debian's by default. */
  readonly postgres?: string;
}

/**
 * Runs the demo: site and dispatch centre as two daemons, trips over GPIO and MQTT, a link outage, more trips, a kill of
 * the site and the recovery. Then, where PostgreSQL is installed, a site and a centre of two processes on it.
 * @throws AppError `conflict` unless every record of the site is at the dispatch centre exactly once
 */
export async function demo({ stdout, main }: Terminal, { postgres }: DemoOptions): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "santinela-demo-"));
  const narrator = new Narrator(stdout);
  const programs = postgres ?? postgresPrograms();
  try {
    narrator.print("Act one: a site, and a dispatch centre on SQLite.");
    await play(narrator, new FirstAct(narrator, { folder, main }));
    narrator.print("");
    if (programs === undefined || !hasServer(programs)) {
      for (const line of WITHOUT_POSTGRES) narrator.print(line);
      return;
    }
    narrator.print("Act two: a dispatch centre of two processes on PostgreSQL.");
    await play(narrator, new SecondAct(narrator, { folder, main, programs }));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const WITHOUT_POSTGRES = [
  "Act two is skipped: it shows a dispatch centre of two processes on PostgreSQL, and PostgreSQL is not installed.",
  "On Debian: sudo apt-get install postgresql. The centre of act one used SQLite, which needs no set-up.",
] as const;

/** Runs an act and ends what it has started. @throws AppError `conflict` if a record is not there exactly once */
async function play(
  narrator: Narrator,
  act: { readonly run: () => Promise<boolean>; readonly cleanUp: () => Promise<void> },
): Promise<void> {
  const startedMs = narrator.nowMs;
  try {
    if (!(await act.run())) {
      narrator.print("Site and dispatch centre differ.");
      throw new AppError("conflict", "the dispatch centre does not have every record exactly once");
    }
    const seconds = ((narrator.nowMs - startedMs) / 1000).toFixed(1);
    narrator.print(`Every trip is one intervention at the dispatch centre. ${seconds} s.`);
  } finally {
    await act.cleanUp();
  }
}

class FirstAct {
  readonly #narrator: Narrator;
  readonly #folder: string;
  readonly #centre: DaemonProcess;
  readonly #site: DaemonProcess;
  #relay: Relay | undefined;
  #mqttPort = 0;

  constructor(narrator: Narrator, { folder, main }: { readonly folder: string; readonly main: string }) {
    this.#narrator = narrator;
    this.#folder = folder;
    const daemon = (name: string): DaemonProcess =>
      new DaemonProcess({ main, configFile: join(folder, `${name}.yaml`), dataDir: join(folder, name) });
    this.#centre = daemon("centre");
    this.#site = daemon("site");
  }

  async run(): Promise<boolean> {
    const narrator = this.#narrator;
    await this.#startBoth();
    narrator.print("Tripping the front door on GPIO line 17 and the back gate with a zigbee2mqtt message.");
    await this.#site.run(["trip", "--zone", "front-door"]);
    await this.#publishGate({ contact: true });
    await this.#publishGate({ contact: false });
    const [site, centre] = [this.#site, this.#centre];
    await narrator.waitForArrival("both interventions to arrive at the dispatch centre", site, centre, 2);

    narrator.print("Cutting the link to the dispatch centre.");
    this.#relay?.cut();
    narrator.print("Tripping the smoke detector and the window during the outage.");
    await this.#site.run(["trip", "--zone", "smoke"]);
    await this.#site.run(["trip", "--zone", "window"]);
    await narrator.waitForQueue(site, 4, 2);

    narrator.print("Killing the site (SIGKILL) while the link is down, then restarting it.");
    await this.#site.end("SIGKILL");
    await this.#startSite();
    narrator.print(
      `The site still has its ${(await interventionsAt(this.#site)).length} interventions; the dispatch centre has ${(await interventionsAt(this.#centre)).length}.`,
    );

    narrator.print("Restoring the link. The site reconnects automatically.");
    this.#relay?.reconnect();
    await narrator.waitForArrival("all four to arrive at the dispatch centre", site, centre, 4);
    return narrator.compare(site, centre, 4);
  }

  async cleanUp(): Promise<void> {
    await this.#site.end("SIGTERM");
    this.#relay?.stop();
    await this.#centre.end("SIGTERM");
  }

  async #startBoth(): Promise<void> {
    const narrator = this.#narrator;
    const password = oneTimePassword();
    writeFileSync(join(this.#folder, "centre.yaml"), CENTRE_YAML);
    writeFileSync(join(this.#folder, "upstream.password"), password, { mode: 0o600 });
    narrator.print("Starting the dispatch centre (a second Santinela) and giving the site an account there.");
    await this.#centre.addAccount({ email: EDGE_EMAIL, password }, "operator");
    const { httpPort } = await this.#centre.start();
    this.#relay = new Relay(httpPort);
    const linkPort = await this.#relay.start();
    writeFileSync(join(this.#folder, "site.yaml"), siteYaml("site", linkPort));
    narrator.print("Starting the site: simulated GPIO lines, its own MQTT broker, its own database.");
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
}

const CENTRE_YAML = `dataDir: ./centre
site: { name: Centre, ref: centre, locale: en }
http: { port: 0 }
mqtt: off
gpio: { backend: simulated }
${OBJECTIVES}`;
