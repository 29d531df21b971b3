import { onTestFinished } from "vitest";
import type { AlarmPanelAccount } from "../../src/domain/alarm-panel.ts";
import { AlarmPanelReceiver } from "../../src/inputs/dc09/alarm-panel-receiver.ts";
import { AlarmPanelZones } from "../../src/inputs/dc09/alarm-panel-zones.ts";
import { resolveProfiles } from "../../src/domain/zone-rules.ts";
import type { Zone } from "../../src/domain/zone.ts";
import { AlarmPanel, type AlarmPanelOptions, type AlarmPanelReply } from "./alarm-panel.ts";
import { eventually } from "./eventually.ts";
import { MonitoredZones } from "./monitored-zones.ts";

const OBJECTIVE = { type: "obiective/cladiri", id: 12 } as const;
const PROFILES = Object.fromEntries(resolveProfiles({}));

/** An account of a panel, plain and from this machine by default. */
export function alarmPanelAccount(
  account: string,
  options: Partial<AlarmPanelAccount> = {},
): AlarmPanelAccount {
  const defaults = {
    key: null,
    isPlain: true,
    from: [],
    objective: OBJECTIVE,
    zones: "auto",
    silenceS: null,
  } as const;
  return { account, timestamps: "checked", ...defaults, ...options };
}

/** A site with the receiver for alarm panels on free ports of 127.0.0.1. */
export class Dc09Site extends MonitoredZones {
  receiver: AlarmPanelReceiver;
  readonly #accounts: readonly AlarmPanelAccount[];
  #declared: readonly Zone[];

  private constructor(
    accounts: readonly AlarmPanelAccount[],
    declared: readonly Zone[],
    journalPath?: string,
  ) {
    super(declared, journalPath === undefined ? {} : { journalPath });
    this.#accounts = accounts;
    this.#declared = declared;
    this.receiver = this.#newReceiver();
  }

  /** A site whose receiver runs until the end of the test. */
  static async start(
    accounts: readonly AlarmPanelAccount[],
    declared: readonly Zone[] = [],
    journalPath?: string,
  ): Promise<Dc09Site> {
    const site = new Dc09Site(accounts, declared, journalPath);
    await site.receiver.start();
    onTestFinished(() => site.#end());
    return site;
  }

  /** A panel with the site's time. */
  panel(account: string, options: Partial<AlarmPanelOptions> = {}): AlarmPanel {
    return new AlarmPanel({
      account,
      port: () => this.receiver.ports[options.transport ?? "tcp"] ?? 0,
      wallMs: () => this.clock.wallMs(),
      ...options,
    });
  }

  /**
   * Sends a message of account 1234 that the disk rejects, and returns when it was rejected.
   * @throws if it gets a reply
   */
  async sendUnstored(send: (panel: AlarmPanel) => Promise<AlarmPanelReply | undefined>): Promise<void> {
    const before = this.count("not-stored");
    const reply = await send(this.panel("1234", { replyWithinMs: 100 }));
    if (reply) throw new Error(`the message got ${reply.token}`);
    await eventually("the message is rejected", () => this.count("not-stored") > before);
  }

  /** Stops the daemon and starts it again. @param declared zones of the configuration by then, the same by default */
  async startAgain(declared = this.#declared): Promise<void> {
    await this.receiver.stop();
    this.#declared = declared;
    const { journal } = this;
    const zones = new AlarmPanelZones({
      accounts: this.#accounts,
      profiles: PROFILES,
      locale: "en",
      journal,
    });
    this.restart([...this.#declared, ...zones.created(this.#declared)]);
    this.receiver = this.#newReceiver();
    await this.receiver.start();
  }

  /** Reloads the configuration while the receiver runs. */
  async reload(declared: readonly Zone[]): Promise<void> {
    this.#declared = declared;
    this.zoneService.exchange(declared, { who: "system", from: "test" });
    this.receiver.exchanged();
  }

  /** Messages with a result. */
  count(result: string): number {
    return this.receiver.use.messages.find((entry) => entry.result === result)?.count ?? 0;
  }

  async #end(): Promise<void> {
    await this.receiver.stop();
    this.close();
  }

  #newReceiver(): AlarmPanelReceiver {
    const { host, zoneService } = this;
    return new AlarmPanelReceiver({
      ...this.common,
      source: {
        host: "127.0.0.1",
        port: 0,
        transports: ["tcp", "udp"],
        accounts: this.#accounts,
        profiles: PROFILES,
      },
      time: host.time,
      locale: "en",
      addZone: (zone, by) =>
        zoneService.exchange([...zoneService.monitor.watched().map((known) => known.zone), zone], by),
    });
  }
}
