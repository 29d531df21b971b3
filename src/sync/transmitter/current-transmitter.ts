import type { CancelTimer } from "../../domain/clock.ts";
import { messageOf } from "../../domain/errors.ts";
import type { TransmitterConfig } from "../../domain/transmitter.ts";
import { isStorageError, type Database } from "../../store/database.ts";
import { isDamage } from "../../store/integrity.ts";
import { TransmissionStore } from "../../store/transmissions.ts";
import { transaction } from "../../store/transaction.ts";
import { Transmitter, type TransmitterOptions } from "./transmitter.ts";

interface CurrentTransmitterOptions extends Omit<TransmitterOptions, "config" | "zones"> {
  /** Whether nothing may be sent: this machine is not known to be the one of the site. */
  readonly isHeld: () => boolean;
}

type Zones = TransmitterOptions["zones"];

/** Interval of withdrawing again what a full disk could not store as withdrawn. */
const WITHDRAW_INTERVAL_MS = 5_000;

/** Holds the transmitter with the current configuration; none without a monitoring receiver, and while it is held. */
export class CurrentTransmitter {
  readonly #options: CurrentTransmitterOptions;
  #config: TransmitterConfig | null;
  #zones: Zones;
  #current: Transmitter | undefined;
  #isStarted = false;
  #isStopped = false;
  #cancelWithdrawal: CancelTimer = () => {};

  constructor(config: TransmitterConfig | null, zones: Zones, options: CurrentTransmitterOptions) {
    this.#config = config;
    this.#zones = zones;
    this.#options = options;
  }

  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#begin();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#end();
  }

  /** Uses another configuration, if it differs. Continues from the table as after a restart. */
  async exchange(config: TransmitterConfig | null, zones: Zones): Promise<void> {
    if (same([config, zones]) === same([this.#config, this.#zones])) return;
    // The last chance, if a withdrawal still waits.
    if (this.#isStarted && this.#config === null) this.#retire();
    this.#config = config;
    this.#zones = zones;
    if (!this.#isStarted) return;
    await this.#end();
    // The daemon was stopped meanwhile, and its database may be closed.
    if (!this.#isStopped) this.#begin();
  }

  async #end(): Promise<void> {
    this.#cancelWithdrawal();
    await this.#current?.stop();
    this.#current = undefined;
  }

  #begin(): void {
    if (this.#config === null) return this.#retire();
    if (this.#options.isHeld()) return;
    this.#current = new Transmitter({ ...this.#options, config: this.#config, zones: this.#zones });
    this.#current.start();
  }

  /** Repeated until the disk accepts it: neither a start nor a reload may fail because of events without a receiver. */
  #retire(): void {
    this.#cancelWithdrawal();
    const { database, clock, conditions, onDamage } = this.#options;
    try {
      withdraw(database);
      conditions.clear("transmitter-write-failed");
    } catch (error) {
      if (!isStorageError(error)) throw error;
      if (isDamage(error)) onDamage?.(error);
      conditions.raise("transmitter-write-failed", { reason: messageOf(error) });
      this.#cancelWithdrawal = clock.after(WITHDRAW_INTERVAL_MS, () => this.#retire());
    }
  }
}

/** Without a receiver nothing waits for one: when one is configured again, old alarms must not be sent to it. */
function withdraw(database: Database): void {
  const store = new TransmissionStore(database);
  if (store.fact("cursor") === undefined) return;
  transaction(database, () => {
    store.withdraw();
    store.removeLinks();
    for (const fact of ["cursor", "since", "last-test"] as const) store.removeFact(fact);
  });
}

function same([config, zones]: readonly [TransmitterConfig | null, Zones]): string {
  return JSON.stringify([config, zones.map(({ id, kind }) => [id, kind])]);
}
