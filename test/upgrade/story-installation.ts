import { randomUUID } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { connectAsync, type MqttClient } from "mqtt";
import { ControlClient } from "../../src/cli/control-client.ts";
import { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { Intervention } from "../../src/domain/intervention.ts";
import { eventually } from "../support/eventually.ts";
import { FaultProxy } from "../support/fault-proxy.ts";
import { startMosquitto, type Mosquitto } from "../support/mosquitto.ts";
import { ApiUser } from "../support/api-user.ts";
import { centreYaml, PEOPLE, siteYaml } from "./story-configuration.ts";

/** What a release has beside what 0.1.0 has. */
export interface Extras {
  /** Sections and zones for the configuration of the site, and sections of that of the dispatch centre; after `start`. */
  readonly site: string;
  readonly zones: string;
  readonly centre: string;
  /** Starts what they need beside the two daemons. @param folder for keys that the configuration names */
  readonly start: (folder: string) => Promise<void>;
  readonly stop: () => Promise<void>;
  /** Prepares the site before its first start. */
  readonly before: (story: StoryInstallation) => void;
  /** Uses them, while the link is up. */
  readonly use: (story: StoryInstallation) => Promise<void>;
  /** Leaves work of them behind, while the link is down. */
  readonly leave: (story: StoryInstallation) => Promise<void>;
}

/** A site and its dispatch centre below one folder, with the doors that a story uses. */
export class StoryInstallation {
  readonly folder: string;
  /** The program of the release. */
  readonly main: string;
  readonly extras: Extras | undefined;
  readonly centre: DaemonProcess;
  readonly site: DaemonProcess;
  /** The link of the site. */
  proxy: FaultProxy | undefined;
  #broker: Mosquitto | undefined;
  #sensor: MqttClient | undefined;
  centrePort = 0;
  sitePort = 0;

  /** @param main the program of the release @param folder empty; gets the configurations and the data directories */
  constructor(main: string, folder: string, extras?: Extras) {
    this.folder = folder;
    this.main = main;
    this.extras = extras;
    this.centre = this.#daemon("centre");
    this.site = this.#daemon("site");
  }

  /** Signs a person in at the site. */
  atSite(account: keyof typeof PEOPLE): Promise<ApiUser> {
    return ApiUser.signIn(this.sitePort, PEOPLE[account]);
  }

  /** Signs a person in at the dispatch centre. */
  atCentre(account: keyof typeof PEOPLE): Promise<ApiUser> {
    return ApiUser.signIn(this.centrePort, PEOPLE[account]);
  }

  /** Opens the contact of a zone, or closes it. */
  async contact(zone: string, isOpen: boolean): Promise<void> {
    const control = new ControlClient(join(this.folder, "site"));
    await control.post("/site/simulate", { zone, contact: isOpen ? "open" : "normal" });
  }

  /** Publishes a message of a sensor. */
  async publish(topic: string, payload: unknown, retain = false): Promise<void> {
    const text = typeof payload === "string" ? payload : JSON.stringify(payload);
    await this.#sensor?.publishAsync(topic, text, { qos: 1, retain });
  }

  /** Waits until the outbox has nothing to send. */
  async synced(): Promise<void> {
    await eventually(
      "all records at the dispatch centre",
      async () => {
        const { summary } = await this.site.get<{ summary: { waiting: number } }>("/site/sync");
        const trips = await this.site.get<{ state: string }[]>("/site/trips?limit=1000");
        return summary.waiting === 0 && trips.every(({ state }) => state !== "waiting");
      },
      90_000,
    );
  }

  /** Creates a record with an idempotency key. */
  async create(person: ApiUser, name: string, more: object = {}): Promise<void> {
    const body = { name, objectiveType: "obiective/cladiri", objectiveId: 1, type: "other", ...more };
    await person.ask("POST", "/interventii", body, { "Idempotency-Key": `"${randomUUID()}"` });
  }

  /** The id of the newest intervention with this text in its name. */
  async idOf(name: string): Promise<number> {
    return idIn(await this.site.get<Intervention[]>("/interventii"), name);
  }

  async idAtCentre(name: string): Promise<number> {
    return idIn(await this.centre.get<Intervention[]>("/interventii"), name);
  }

  /** Waits for the phase of the record with this text in its name. */
  async phase(name: string, phase: string): Promise<void> {
    await eventually(
      `${name}: ${phase}`,
      async () => {
        const { records } = await this.site.get<{ records: { id?: number; name: string; phase: string }[] }>(
          "/site/sync",
        );
        const found = records.filter((record) => record.name.includes(name));
        if (!found.some((record) => record.phase === phase)) throw new Error(JSON.stringify(records));
        return true;
      },
      60_000,
    );
  }

  /** Starts the dispatch centre, and configures the site. */
  async startCentre(): Promise<void> {
    mkdirSync(this.folder, { recursive: true });
    await this.extras?.start(this.folder);
    writeFileSync(join(this.folder, "centre.yaml"), centreYaml(this.extras?.centre));
    await this.centre.addAccount(PEOPLE.edge, "operator");
    await this.centre.addAccount(PEOPLE.dispecer, "administrator");
    this.centrePort = (await this.centre.start()).httpPort;
    this.#broker = await startMosquitto(["sys_interval 1"]);
    this.proxy = new FaultProxy(this.centrePort);
    writeFileSync(join(this.folder, "upstream.password"), PEOPLE.edge.password, { mode: 0o600 });
    writeFileSync(
      join(this.folder, "site.yaml"),
      siteYaml({
        centrePort: await this.proxy.start(),
        mqtt: `{ url: ${this.#broker.url} }`,
        more: this.extras?.site ?? "",
        zones: this.extras?.zones ?? "",
      }),
    );
  }

  /** Starts the site, and a sensor at its broker. */
  async startSite(): Promise<void> {
    this.sitePort = (await this.site.start()).httpPort;
    this.#sensor ??= await connectAsync(this.#broker?.url ?? "");
  }

  /** Ends everything. */
  async clearUp(): Promise<void> {
    await this.site.end("SIGKILL");
    await this.centre.end("SIGKILL");
    await this.#sensor?.endAsync(true);
    await this.proxy?.stop();
    await this.#broker?.stop();
    await this.extras?.stop();
  }

  #daemon(name: "site" | "centre"): DaemonProcess {
    return new DaemonProcess({
      main: this.main,
      configFile: join(this.folder, `${name}.yaml`),
      dataDir: join(this.folder, name),
      ...(this.extras && name === "centre" ? { command: "centre" as const } : {}),
    });
  }
}

function idIn(records: readonly Intervention[], name: string): number {
  const found = records.findLast((record) => record.name.includes(name));
  if (!found)
    throw new Error(`no intervention ${name} among ${records.map((record) => record.name).join(", ")}`);
  return found.id;
}
