import { createSocket, type Socket as UdpSocket } from "node:dgram";
import { createServer, isIPv6, type AddressInfo, type Server } from "node:net";
import type { CancelTimer, TrustedTime } from "../../domain/clock.ts";
import { messageOf } from "../../domain/errors.ts";
import type { Actor } from "../../domain/event.ts";
import type { Locale } from "../../domain/trip-text.ts";
import type { Zone } from "../../domain/zone.ts";
import type { ZoneContext } from "../zone-context.ts";
import type { ZoneEngine } from "../zone-engine.ts";
import type { ZoneMessages } from "../zone-messages.ts";
import type { FrameRead } from "../../dc09/frame-reader.ts";
import type { Dc09Source } from "../../domain/alarm-panel.ts";
import { AlarmPanelChanges } from "./alarm-panel-changes.ts";
import { AlarmPanelConnections } from "./alarm-panel-connections.ts";
import { AlarmPanelDatagrams } from "./alarm-panel-datagrams.ts";
import { AlarmPanelIntake, type IntakeResult } from "./alarm-panel-intake.ts";
import { AlarmPanelRejections } from "./alarm-panel-rejections.ts";
import { AlarmPanelReports } from "./alarm-panel-reports.ts";
import { AlarmPanelSupervision } from "./alarm-panel-supervision.ts";
import { AlarmPanelZones } from "./alarm-panel-zones.ts";
import { OpenNumbers } from "./open-numbers.ts";
import { RepeatedMessages } from "./repeated-messages.ts";

interface AlarmPanelReceiverOptions extends Pick<
  ZoneContext,
  "journal" | "clock" | "log" | "conditions" | "record"
> {
  readonly source: Dc09Source;
  readonly time: TrustedTime;
  readonly locale: Locale;
  readonly monitor: ZoneEngine;
  readonly messages?: ZoneMessages;
  /** Monitors a created zone from now on. */
  readonly addZone: (zone: Zone, by: Actor) => void;
}

/** Use of the receiver since the start. */
export interface AlarmPanelUse {
  /** Messages by result: acknowledged, repeated, or the reason of the rejection. */
  readonly messages: readonly { readonly result: string; readonly count: number }[];
  readonly refused: AlarmPanelSupervision["refused"];
  /** Seconds since the last accepted message of each account. */
  readonly silences: readonly { readonly account: string; readonly seconds: number }[];
}

/** Time until the next attempt to listen. */
const RETRY_MS = 10_000;

/** Receives the messages of IP alarm panels over TCP and UDP (SIA DC-09). */
export class AlarmPanelReceiver {
  readonly #options: AlarmPanelReceiverOptions;
  readonly #intake: AlarmPanelIntake;
  readonly #refusals: AlarmPanelRejections;
  readonly #reports: AlarmPanelReports;
  readonly #supervision: AlarmPanelSupervision;
  /** What keeps a zone open that several numbers share. */
  readonly openNumbers: OpenNumbers;
  readonly #changes: AlarmPanelChanges;
  readonly #connections: AlarmPanelConnections;
  readonly #datagrams: AlarmPanelDatagrams;
  readonly #zones = (): readonly Zone[] => this.#options.monitor.watched().map(({ zone }) => zone);
  #tcp: Server | undefined;
  #udp: UdpSocket | undefined;
  #isStopping = false;
  readonly #retries = new Map<string, CancelTimer>();

  constructor(options: AlarmPanelReceiverOptions) {
    this.#options = options;
    const { accounts, profiles } = options.source;
    this.#reports = new AlarmPanelReports(options);
    this.#supervision = new AlarmPanelSupervision({ ...options, accounts, zones: this.#zones });
    this.#refusals = new AlarmPanelRejections({ ...options, supervision: this.#supervision });
    this.openNumbers = new OpenNumbers(options);
    const { openNumbers } = this;
    this.#changes = new AlarmPanelChanges({ ...options, reports: this.#reports, openNumbers });
    this.#intake = new AlarmPanelIntake({
      ...options,
      accounts,
      zones: this.#zones,
      repeated: new RepeatedMessages(options),
      changes: this.#changes,
      refusals: this.#refusals,
      supervision: this.#supervision,
      alarmPanelZones: new AlarmPanelZones({ ...options, accounts, profiles }),
      addZone: (zone, by) => {
        options.addZone(zone, by);
        this.#initZones();
      },
    });
    const take = (read: FrameRead, address: string): Promise<IntakeResult> =>
      this.#intake.take(read, address);
    this.#datagrams = new AlarmPanelDatagrams({
      take,
      refusals: this.#refusals,
      isOpen: (socket) => this.#udp === socket,
    });
    this.#connections = new AlarmPanelConnections({
      ...options,
      take,
      onFull: (address) => this.#refusals.note("connections", "", address),
    });
  }

  /** Where it listens; undefined while it does not. */
  get ports(): { readonly tcp: number | undefined; readonly udp: number | undefined } {
    return {
      tcp: (this.#tcp?.address() as AddressInfo | null | undefined)?.port,
      udp: this.#udp?.address().port,
    };
  }

  get use(): AlarmPanelUse {
    const all = [...this.#intake.counts, ...this.#refusals.counts];
    return {
      messages: all.map(([result, count]) => ({ result, count })),
      refused: this.#supervision.refused,
      silences: this.#supervision.silences,
    };
  }

  async start(): Promise<void> {
    this.openNumbers.start(this.#zones());
    this.#initZones();
    this.#restoreGates();
    this.#reports.start(new Set(this.#options.source.accounts.map(({ account }) => account)));
    this.#supervision.start();
    const { transports } = this.#options.source;
    if (transports.includes("tcp")) await this.#listen("tcp");
    if (transports.includes("udp")) await this.#listen("udp");
  }

  /** The zones of the monitor have changed. */
  exchanged(): void {
    this.openNumbers.exchange(this.#zones());
    this.#initZones();
    this.#restoreGates();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const cancel of this.#retries.values()) cancel();
    this.#supervision.stop();
    this.#connections.stop();
    this.#refusals.stop();
    const tcp = this.#tcp;
    const udp = this.#udp;
    this.#tcp = undefined;
    this.#udp = undefined;
    if (udp) await new Promise<void>((resolve) => udp.close(() => resolve()));
    if (tcp) await new Promise<void>((resolve) => tcp.close(() => resolve()));
  }

  /**
   * A panel reports events only: its zones are normal until it reports an alarm, also for one during a restart. An opening that
   * waits for its confirmation is an acknowledged alarm, which the panel does not send again.
   */
  #initZones(): void {
    const { monitor, log } = this.#options;
    for (const { zone, state } of monitor.watched()) {
      if (zone.input.source !== "dc09" || state.contact === "open" || state.pending) continue;
      try {
        monitor.read(zone.id, "normal", { live: false });
      } catch (error) {
        log.error("dc09-zone-initialisation-failed", { zone: zone.id, error });
      }
    }
  }

  /** A panel does not repeat whether it is armed: the last report applies until the next one. */
  #restoreGates(): void {
    const { monitor } = this.#options;
    this.#changes.exchange(this.#zones());
    for (const { zone } of monitor.watched()) if (zone.gate.by === "dc09") monitor.resumeGate(zone.gate.id);
  }

  async #listen(transport: "tcp" | "udp"): Promise<void> {
    if (this.#isStopping) return;
    const { source, clock, conditions, log } = this.#options;
    const { host, port } = source;
    try {
      await (transport === "tcp" ? this.#listenTcp() : this.#listenUdp());
      conditions.clear("alarm-panel-receiver-down", transport);
      log.info("dc09-listening", { transport, host, port: this.ports[transport] });
    } catch (error) {
      const address = `${transport} ${host}:${port}`;
      conditions.raise("alarm-panel-receiver-down", { address, reason: messageOf(error) }, transport);
      this.#retries.set(
        transport,
        clock.after(RETRY_MS, () => void this.#listen(transport)),
      );
    }
  }

  #listenTcp(): Promise<void> {
    const { host, port } = this.#options.source;
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
      this.#connections.accept(socket),
    );
    return new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(port, host, () => {
        server.off("error", reject);
        server.on("error", (error) => this.#options.log.error("dc09-listener-failed", { error }));
        this.#tcp = server;
        resolve();
      });
    });
  }

  #listenUdp(): Promise<void> {
    const { host, port } = this.#options.source;
    const socket = createSocket(isIPv6(host) ? "udp6" : "udp4");
    return new Promise<void>((resolve, reject) => {
      socket.once("error", (error) => {
        socket.close();
        reject(error);
      });
      socket.bind(port, host, () => {
        socket.removeAllListeners("error");
        socket.on("error", (error) => this.#options.log.error("dc09-listener-failed", { error }));
        socket.on("message", (bytes, from) => {
          this.#datagrams
            .answer(socket, bytes, from)
            .catch((error: unknown) =>
              this.#options.log.error("dc09-reply-failed", { address: from.address, error }),
            );
        });
        this.#udp = socket;
        resolve();
      });
    });
  }
}
