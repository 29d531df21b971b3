import type { CancelTimer, Clock } from "./domain/clock.ts";
import { messageOf } from "./domain/errors.ts";
import type { Log } from "./domain/log.ts";
import { keyFrom, newKeyText, type SigningKeys } from "./ops/secrets.ts";
import type { PostgresSigningKeys, SharedKeys } from "./postgres/signing-keys.ts";
import type { TokenService } from "./service/tokens.ts";

/** A third of the time until a new key signs: every process accepts it before another one signs with it. */
const READ_INTERVAL_MS = 10_000;
const PLACE = "the table signing_keys";

/** Keeps the signing keys of a process as the other processes of the centre have them. */
export class CentreKeys {
  readonly #store: PostgresSigningKeys;
  readonly #clock: Clock;
  readonly #log: Log;
  #text = "";
  #cancel: CancelTimer = () => {};

  constructor(options: { readonly store: PostgresSigningKeys; readonly clock: Clock; readonly log: Log }) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#log = options.log;
  }

  /** The keys now; the first process of a centre creates one. */
  async read(): Promise<SigningKeys & { readonly others: readonly SigningKeys["current"][] }> {
    const keys = await this.#store.read(newKeyText);
    this.#text = JSON.stringify(keys);
    return keysOf(keys);
  }

  /** Follows changes of the keys. @returns ends that */
  follow(tokens: TokenService): () => void {
    this.#cancel = this.#clock.after(READ_INTERVAL_MS, () => {
      this.follow(tokens);
      void this.#update(tokens);
    });
    return () => this.#cancel();
  }

  async #update(tokens: TokenService): Promise<void> {
    try {
      const keys = await this.#store.read(newKeyText);
      const text = JSON.stringify(keys);
      if (text === this.#text) return;
      this.#text = text;
      const { current, others } = keysOf(keys);
      tokens.useKeys(current, others);
      this.#log.info("signing-keys-changed");
    } catch (error) {
      // Without the database no token can be checked anyway.
      this.#log.debug("signing-keys-read-failed", { reason: messageOf(error) });
    }
  }
}

function keysOf({ current, others }: SharedKeys) {
  return { current: keyFrom(PLACE, current), others: others.map((key) => keyFrom(PLACE, key)) };
}
