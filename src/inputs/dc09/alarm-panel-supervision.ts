import { DeadlineTimer } from "../../domain/clock.ts";
import { alarmPanelName } from "../../domain/alarm-panel-name.ts";
import type { Zone } from "../../domain/zone.ts";
import type { ZoneContext } from "../zone-context.ts";
import type { ZoneEngine } from "../zone-engine.ts";
import type { AlarmPanelAccount } from "../../domain/alarm-panel.ts";
import { plainAddress } from "./allowed-addresses.ts";

interface AlarmPanelSupervisionOptions extends Pick<ZoneContext, "clock" | "log" | "conditions"> {
  readonly accounts: readonly AlarmPanelAccount[];
  readonly monitor: ZoneEngine;
  readonly zones: () => readonly Zone[];
}

/** Time until the next attempt to store the fault of a silent panel. */
const RETRY_MS = 5_000;

/**
 * Reports a panel of which nothing is accepted, not even its supervision message: one fault for all its zones. One that was refused
 * at a limit of the receiver is not silent.
 */
export class AlarmPanelSupervision {
  readonly #options: AlarmPanelSupervisionOptions;
  readonly #timer: DeadlineTimer;
  /** Monotonic time of the last accepted message; of the start before the first. */
  readonly #lastMessageMs = new Map<string, number>();
  /** Address of the last accepted message. */
  readonly #addresses = new Map<string, string>();
  readonly #silent = new Set<string>();
  /** Limits at which a panel was refused since its last accepted message. */
  readonly #limits = new Map<string, ReadonlySet<string>>();
  readonly #refused = new Map<string, number>();
  #retryAtMs: number | undefined;

  constructor(options: AlarmPanelSupervisionOptions) {
    this.#options = options;
    this.#timer = new DeadlineTimer(options.clock, () => this.#check());
  }

  start(): void {
    const nowMs = this.#options.clock.monotonicMs();
    for (const { account } of this.#options.accounts) this.#lastMessageMs.set(account, nowMs);
    this.#arm();
  }

  stop(): void {
    this.#timer.stop();
  }

  /** Seconds since the last accepted message of each account, or since the start before the first. */
  get silences(): { readonly account: string; readonly seconds: number }[] {
    const nowMs = this.#options.clock.monotonicMs();
    return [...this.#lastMessageMs].map(([account, lastMessageMs]) => ({
      account,
      seconds: (nowMs - lastMessageMs) / 1000,
    }));
  }

  /** How often each account was refused at a limit since the start, its connections included. */
  get refused(): { readonly account: string; readonly count: number }[] {
    return this.#options.accounts.map(({ account }) => ({ account, count: this.#refused.get(account) ?? 0 }));
  }

  /** The accounts that send from an address: those whose last message came from it, otherwise those configured with it. */
  accountsAt(address: string): readonly string[] {
    const known = [...this.#addresses].flatMap(([account, last]) => (last === address ? [account] : []));
    if (known.length > 0) return known;
    const plain = plainAddress(address);
    return this.#options.accounts.flatMap(({ account, from }) => (from.includes(plain) ? [account] : []));
  }

  /** A message or connection of a panel was refused at a limit. */
  noteRefused(account: string, limit: string): void {
    this.#refused.set(account, (this.#refused.get(account) ?? 0) + 1);
    const before = this.#limits.get(account);
    if (before?.has(limit) === true) return;
    this.#limits.set(account, new Set([...(before ?? []), limit]));
    const { silenceS } = this.#options.accounts.find((panel) => panel.account === account) ?? {};
    if (this.#silent.has(account) && silenceS) this.#raise(account, silenceS);
  }

  /** Called for each accepted message. If the end of a fault cannot be stored, the next message tries again. */
  noteMessage(account: string, address: string): void {
    const { clock, log } = this.#options;
    this.#lastMessageMs.set(account, clock.monotonicMs());
    this.#addresses.set(account, address);
    this.#limits.delete(account);
    try {
      this.#setAvailable(account, true);
    } catch (error) {
      log.error("zone-fault-write-failed", { account, error });
    }
    // Also of a fault that could not be stored.
    for (const code of ["alarm-panel-silent", "alarm-panel-refused"] as const)
      this.#options.conditions.clear(code, account);
    if (this.#silent.delete(account)) this.#arm();
  }

  #check(): void {
    const { accounts, clock, log } = this.#options;
    const nowMs = clock.monotonicMs();
    this.#retryAtMs = undefined;
    for (const { account, silenceS } of accounts) {
      const lastMessageMs = this.#lastMessageMs.get(account) ?? nowMs;
      if (silenceS === null || this.#silent.has(account) || nowMs - lastMessageMs < silenceS * 1000) continue;
      this.#raise(account, silenceS);
      try {
        this.#setAvailable(account, false);
        this.#silent.add(account);
      } catch (error) {
        log.error("zone-fault-write-failed", { account, error });
        this.#retryAtMs = nowMs + RETRY_MS;
      }
    }
    this.#arm();
  }

  #raise(account: string, seconds: number): void {
    const { conditions } = this.#options;
    const limits = [...(this.#limits.get(account) ?? [])].join(", ");
    if (limits === "") return conditions.raise("alarm-panel-silent", { account, seconds }, account);
    conditions.clear("alarm-panel-silent", account);
    conditions.raise("alarm-panel-refused", { account, seconds, limits }, account);
  }

  #setAvailable(account: string, up: boolean): void {
    const { zones, monitor } = this.#options;
    // One zone is enough: the fault belongs to the panel and names all its zones.
    const zone = zones().find(({ input }) => input.source === "dc09" && input.dc09 === account);
    if (zone)
      monitor.take(zone.id, { kind: "availability", up, bridge: alarmPanelName(account) }, { live: false });
  }

  #arm(): void {
    const retryAtMs = this.#retryAtMs;
    this.#timer.arm(
      this.#options.accounts.flatMap(({ account, silenceS }) => {
        const lastMessageMs = this.#lastMessageMs.get(account);
        if (silenceS === null || lastMessageMs === undefined || this.#silent.has(account)) return [];
        return [Math.max(lastMessageMs + silenceS * 1000, retryAtMs ?? 0)];
      }),
    );
  }
}
