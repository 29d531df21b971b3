import { join } from "node:path";
import Sqlite from "better-sqlite3";
import type { Intervention } from "../../src/domain/intervention.ts";
import { eventually } from "../support/eventually.ts";
import type { Fault, SeenRequest } from "../support/fault-proxy.ts";
import { ApiUser } from "../support/api-user.ts";
import { PEOPLE } from "./story-configuration.ts";
import { StoryInstallation } from "./story-installation.ts";

/** How both daemons of the story end: in order, or as by a power cut. */
export type Ending = "stopped" | "killed";

/** A record that the story creates, by what becomes of it. */
const NAMES = {
  synced: "Revizie anuală",
  changed: "Înlocuire baterie",
  deleted: "Greșită",
  done: "Reparație poartă",
  dispatcherDeletes: "Dispecerul o șterge",
  dispatcherEdits: "Dispecerul o schimbă",
  refused: "Centrul o respinge",
  dropped: "Nu mai pleacă",
  blocked: "Tabloul electric",
  unsure: "Răspuns pierdut",
  writing: "Scriere întreruptă",
  later: "Cât legătura lipsea",
  changedLater: "Schimbată fără legătură",
  deletedLater: "Ștearsă fără legătură",
} as const;

/**
 * A release is used through its own doors until each table of its databases has rows, and ends with work of every kind
 * underway.
 */
export class Story extends StoryInstallation {
  /** Runs all of it. Both daemons have ended afterwards, and the folder has what they left. */
  async tell(ending: Ending): Promise<void> {
    try {
      await this.startCentre();
      await this.#people();
      await this.#alarms();
      await this.#records();
      await this.#tests();
      await this.extras?.use(this);
      await this.#restoreBackup();
      await this.#loseAnswers();
      await this.#cutLink();
      await this.extras?.leave(this);
      await this.#end(ending);
    } finally {
      await this.clearUp();
    }
  }

  /** People at the site: one who is locked out, one with a wrong password, one without the right. */
  async #people(): Promise<void> {
    this.extras?.before(this);
    await this.site.addAccount(PEOPLE.ana, "administrator");
    await this.site.addAccount(PEOPLE.paza, "operator");
    await this.site.addAccount(PEOPLE.vizitator, "viewer");
    await this.site.addAccount(PEOPLE.plecat, "viewer");
    await this.startSite();
    await this.atSite("plecat");
    await this.site.run(["user", "disable", "--email", PEOPLE.plecat.email]);
    await this.site.run(["cert"]);
    await ApiUser.signIn(this.sitePort, { ...PEOPLE.paza, password: "not the one" }).catch(() => {});
    const viewer = await this.atSite("vizitator");
    await viewer.ask("GET", "/interventii").catch(() => {});
    await this.site.run(["objectives", "pull"]);
  }

  /** Trips of each kind of input, that join and confirm incidents; faults; a swinger. */
  async #alarms(): Promise<void> {
    await this.publish("zigbee2mqtt/backgate/availability", "online", true);
    await this.publish("yard/armed", "no", true);
    await this.publish("yard/motion", "OFF");
    await this.#gate({ contact: true });
    await eventually("the gate's state", async () => (await this.#contactOf("back-gate")) === "normal");
    for (const zone of ["front-door", "hall-motion", "smoke", "workshop"]) await this.contact(zone, true);
    await this.#gate({ contact: false });
    await this.#gate({ contact: true });
    await this.publish("yard/motion", "ON");
    for (const zone of ["front-door", "hall-motion", "smoke"]) await this.contact(zone, false);
    // Each opening of the window after the end of its intervention is an incident, until the zone is shut down.
    await this.contact("window", true);
    await this.synced();
    await this.contact("window", false);
    await this.#finish("Geam birou");
    await this.contact("window", true);
    await this.#gate({ contact: true, tamper: true, battery_low: true });
    await this.publish("zigbee2mqtt/backgate/availability", "offline", true);
    for (const fault of ["Sabotaj", "Baterie", "Senzor"])
      await eventually(fault, () => this.idOf(fault).catch(() => undefined));
  }

  /** Records of people on both sides. */
  async #records(): Promise<void> {
    const paza = await this.atSite("paza");
    const types = ["inspection", "maintenance", "repair", "other"] as const;
    for (const [index, name] of Object.values(NAMES).slice(0, 6).entries())
      await this.create(paza, name, { type: types[index % 4], priority: ["low", "medium"][index % 2] });
    await this.create(paza, NAMES.changedLater);
    await this.create(paza, NAMES.deletedLater);
    await this.create(paza, NAMES.writing);
    await this.synced();
    await paza.ask("PUT", `/interventii/${await this.idOf(NAMES.changed)}`, { notes: "Baterie de 12 V" });
    await paza.ask("PUT", `/interventii/${await this.idOf(NAMES.done)}`, { status: "done" });
    const ana = await this.atSite("ana");
    await ana.ask("DELETE", `/interventii/${await this.idOf(NAMES.deleted)}`);
    const dispecer = await this.atCentre("dispecer");
    await dispecer.ask("DELETE", `/interventii/${await this.idAtCentre(NAMES.dispatcherDeletes)}`);
    const edited = await this.idAtCentre(NAMES.dispatcherEdits);
    await dispecer.ask("PUT", `/interventii/${edited}`, { status: "in_progress", crews: 3 });
    await this.site.run(["sync", "now"]);
    await this.create(paza, NAMES.blocked, { objectiveType: "obiective/bunuri", objectiveId: 77 });
    await this.synced();
    await eventually("the dispatcher's change", async () => {
      const records = await this.site.get<Intervention[]>("/interventii");
      return records.some(({ name, crews }) => name === NAMES.dispatcherEdits && crews === 3);
    });
  }

  /** A walk test, a bypass, a signal test, and a change of an account. */
  async #tests(): Promise<void> {
    const paza = await this.atSite("paza");
    await paza.ask("POST", "/site/walk-test", { minutes: 30 });
    await this.contact("front-door", true);
    await this.contact("front-door", false);
    await paza.ask("POST", "/site/walk-test", { end: true });
    await paza.ask("POST", "/site/signal-test", { zone: "front-door" });
    await paza.ask("POST", "/site/zones/workshop/bypass", { reason: "zugrav", minutes: 10_080 });
    await this.site.run(["user", "role", "--email", PEOPLE.vizitator.email, "--role", "viewer"]);
    await this.synced();
  }

  /** A backup without the last trip is restored: that trip is sought at the dispatch centre, and not sent twice. */
  async #restoreBackup(): Promise<void> {
    await this.site.run(["backup"]);
    const backup = join(this.folder, "backup.db");
    await this.site.run(["backup", "--out", backup]);
    await this.contact("cash-desk", true);
    await this.contact("cash-desk", false);
    await this.synced();
    await this.site.end("SIGTERM");
    await this.site.run(["restore", backup]);
    await this.startSite();
    await this.synced();
  }

  /** A record that the centre refuses, one whose answer is lost each time, and a change and an alarm without an answer. */
  async #loseAnswers(): Promise<void> {
    const proxy = this.proxy;
    if (!proxy) return;
    proxy.faultFor = (request) => faultOf(request);
    const paza = await this.atSite("paza");
    await this.create(paza, NAMES.refused);
    await this.create(paza, NAMES.dropped);
    await this.phase(NAMES.refused, "rejected");
    await this.phase(NAMES.dropped, "rejected");
    await this.site.run(["sync", "drop", "--yes", String(await this.idOf(NAMES.dropped))]);
    await this.create(paza, NAMES.unsure);
    await this.phase(NAMES.unsure, "unsure");
    await paza.ask("PUT", `/interventii/${await this.idOf(NAMES.writing)}`, { notes: "fără răspuns" });
    // It would wait for the answer.
    void this.site.run(["sync", "now"]).catch(() => {});
    await this.phase(NAMES.writing, "writing");
    await this.contact("safe", true);
    await this.phase("Ușa seifului", "posting");
  }

  /** Work that waits for the link. */
  async #cutLink(): Promise<void> {
    if (this.proxy)
      this.proxy.faultFor =
        () =>
        ({ near }) =>
          void near.destroy();
    const paza = await this.atSite("paza");
    const ana = await this.atSite("ana");
    await this.create(paza, NAMES.later);
    await paza.ask("PUT", `/interventii/${await this.idOf(NAMES.changedLater)}`, { notes: "fără legătură" });
    await ana.ask("DELETE", `/interventii/${await this.idOf(NAMES.deletedLater)}`);
    for (const zone of ["smoke", "guard"]) await this.contact(zone, true);
    await this.#gate({ contact: false });
    await eventually("the trips to be records", async () => {
      const trips = await this.site.get<{ state: string }[]>("/site/trips?limit=1000");
      return trips.every(({ state }) => state !== "waiting");
    });
  }

  /** Trips that are in the journal alone, because the main database is locked; then the end. */
  async #end(ending: Ending): Promise<void> {
    const lock = new Sqlite(join(this.folder, "site", "santinela.db"));
    lock.exec("BEGIN IMMEDIATE");
    try {
      await this.contact("cash-desk", true).catch(() => {});
      await this.contact("cellar", true).catch(() => {});
      await this.contact("safe", false).catch(() => {});
      await eventually("two trips to wait", async () => {
        const trips = await this.site.get<{ state: string }[]>("/site/trips?limit=1000");
        return trips.filter(({ state }) => state === "waiting").length >= 2;
      });
      if (ending === "stopped") this.proxy?.cut();
      await this.site.end(ending === "killed" ? "SIGKILL" : "SIGTERM");
    } finally {
      lock.exec("ROLLBACK");
      // Closing would complete the files that a power cut has left.
      if (ending === "stopped") lock.close();
    }
    await this.centre.end(ending === "killed" ? "SIGKILL" : "SIGTERM");
  }

  async #finish(name: string): Promise<void> {
    const paza = await this.atSite("paza");
    await paza.ask("PUT", `/interventii/${await this.idOf(name)}`, { status: "done" });
    await this.synced();
  }

  #gate(state: object): Promise<void> {
    return this.publish("zigbee2mqtt/backgate", {
      contact: true,
      tamper: false,
      battery_low: false,
      ...state,
    });
  }

  async #contactOf(zone: string): Promise<string | undefined> {
    const zones = await this.site.get<{ id: string; contact: string }[]>("/site/zones");
    return zones.find(({ id }) => id === zone)?.contact;
  }
}

/** What becomes of a request on its way to the dispatch centre; undefined if it arrives. */
function faultOf({ method, body }: SeenRequest): Fault | undefined {
  const has = (name: string): boolean => body.includes(name);
  if (method === "POST" && (has(NAMES.refused) || has(NAMES.dropped)))
    return ({ near }) => {
      const text = '{"error":"Unprocessable","message":"not today","statusCode":422}';
      near.end(
        `HTTP/1.1 422 Unprocessable\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\nConnection: close\r\n\r\n${text}`,
      );
    };
  if (method === "POST" && has(NAMES.unsure))
    return async (exchange) => {
      await exchange.carry();
      exchange.near.destroy();
    };
  if (method === "PUT" && has("fără răspuns")) return () => {};
  if (method === "POST" && has("Ușa seifului"))
    return async (exchange) => {
      await exchange.carry();
    };
  return undefined;
}
