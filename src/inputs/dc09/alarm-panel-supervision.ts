import { DeadlineTimer } from "../../domain/clock.ts";
import { alarmPanelName } from "../../domain/zone-rules.ts";
import type { Zone } from "../../domain/zone.ts";
import type { ZoneContext } from "../zone-context.ts";
import type { ZoneEngine } from "../zone-engine.ts";
import type { AlarmPanelAccount } from "./alarm-panel-account.ts";

interface AlarmPanelSupervisionOptions extends Pick<ZoneContext, "clock" | "log" | "conditions"> {
  readonly accounts: readonly AlarmPanelAccount[];
  readonly monitor: ZoneEngine;
  readonly zones: () => readonly Zone[];
}

/** Time until the next attempt to store the fault of a silent panel. */
const RETRY_MS = 5_000;

/** Reports a panel that sends nothing, not even its supervision message: one fault for all its zones. */
export class AlarmPanelSupervision {
  readonly #options: AlarmPanelSupervisionOptions;
  readonly #timer: DeadlineTimer;
  /** Monotonic time of the last accepted message; of the start before the first. */
  readonly #lastMessageMs = new Map<string, number>();
  readonly #silent = new Set<string>();
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

  /** Called for each accepted message. If the end of a fault cannot be stored, the next message tries again. */
  noteMessage(account: string): void {
    const { clock, log } = this.#options;
    this.#lastMessageMs.set(account, clock.monotonicMs());
    try {
      this.#setAvailable(account, true);
    } catch (error) {
      log.error("zone-fault-write-failed", { account, error });
    }
    if (this.#silent.delete(account)) {
      this.#options.conditions.clear("alarm-panel-silent", account);
      this.#arm();
    }
  }

  #check(): void {
    const { accounts, clock, conditions, log } = this.#options;
    const nowMs = clock.monotonicMs();
    this.#retryAtMs = undefined;
    for (const { account, silenceS } of accounts) {
      const lastMessageMs = this.#lastMessageMs.get(account) ?? nowMs;
      if (silenceS === null || this.#silent.has(account) || nowMs - lastMessageMs < silenceS * 1000) continue;
      conditions.raise("alarm-panel-silent", { account, seconds: silenceS }, account);
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
