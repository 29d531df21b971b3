import type { Log } from "../domain/log.ts";
import type { BrokerAddress } from "../domain/mqtt-broker.ts";
import { deleteSession } from "./broker-probe.ts";

/** Client ids whose sessions at the broker are to be ended. */
export interface FormerSessions {
  list(): readonly string[];
  remove(clientId: string): void;
}

interface SessionEndsOptions extends BrokerAddress {
  readonly clientId: string;
  readonly formerSessions?: FormerSessions;
  readonly isTemporary?: boolean;
  readonly log: Log;
}

/** Ends the sessions of client ids that no daemon will use again: a broker would queue messages for them indefinitely. */
export class SessionEnds {
  readonly #options: SessionEndsOptions;
  #isEnding = false;

  constructor(options: SessionEndsOptions) {
    this.#options = options;
  }

  /** Whether the own session ends with its connection: after a power cut, no later start would know that it has to be ended. */
  get isWithConnection(): boolean {
    return this.#options.isTemporary === true && !this.#stored().includes(this.#options.clientId);
  }

  /** Ends the sessions of earlier runs; to be called on every connection, so that a failed attempt is repeated. */
  async endFormer(): Promise<void> {
    if (this.#isEnding) return;
    this.#isEnding = true;
    for (const clientId of this.#stored()) if (clientId !== this.#options.clientId) await this.#end(clientId);
    this.#isEnding = false;
  }

  /** Ends the session of this run, after its last connection. */
  async endOwn(): Promise<void> {
    const { clientId, isTemporary } = this.#options;
    if (isTemporary === true && this.#stored().includes(clientId)) await this.#end(clientId);
  }

  #stored(): readonly string[] {
    return this.#options.formerSessions?.list() ?? [];
  }

  async #end(clientId: string): Promise<void> {
    const { log, formerSessions } = this.#options;
    try {
      await deleteSession(this.#options, clientId);
      formerSessions?.remove(clientId);
      log.info("mqtt-session-ended", { clientId });
    } catch (error) {
      log.warn("mqtt-session-end-failed", { clientId, error });
    }
  }
}
