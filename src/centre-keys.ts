import type { CancelTimer, Clock } from "./domain/clock.ts";
import { messageOf } from "./domain/errors.ts";
import type { Log } from "./domain/log.ts";
import { keyFrom, newKeyText, type SigningKeys } from "./ops/secrets.ts";
import type { PostgresSigningKeys, SharedKeys } from "./postgres/signing-keys.ts";
import type { TokenService } from "./service/tokens.ts";

/** A third of the time until a new key signs: every process accepts it before another one signs with it. */
const READ_INTERVAL_MS = 10_000;
const PLACE = "the table signing_keys";

/** Keeps the signing keys of a process, and the time by which it dates tokens, as the other processes of the centre have them. */
export class CentreKeys {
  readonly #store: PostgresSigningKeys;
  readonly #clock: Clock;
  readonly #log: Log;
  #text = "";
  /** Time of the server less that of the monotonic clock, milliseconds. */
  #aheadMs = 0;
  #cancel: CancelTimer = () => {};

  constructor(options: { readonly store: PostgresSigningKeys; readonly clock: Clock; readonly log: Log }) {
    this.#store = options.store;
    this.#clock = options.clock;
    this.#log = options.log;
  }

  /** The keys now; the first process of a centre creates one. */
  async read(): Promise<SigningKeys & { readonly others: readonly SigningKeys["current"][] }> {
    return keysOf((await this.#newest()).keys);
  }

  /**
   * Wall clock of the server, milliseconds since 1970: with their own, two machines a minute apart would reject each other's
   * tokens. Between two reads the monotonic clock counts on.
   */
  nowMs(): number {
    return this.#clock.monotonicMs() + this.#aheadMs;
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
      const { keys, haveChanged } = await this.#newest();
      if (!haveChanged) return;
      const { current, others } = keysOf(keys);
      tokens.useKeys(current, others);
      this.#log.info("signing-keys-changed");
    } catch (error) {
      // Without the database no token can be checked anyway.
      this.#log.debug("signing-keys-read-failed", { reason: messageOf(error) });
    }
  }

  async #newest(): Promise<{ readonly keys: KeyTexts; readonly haveChanged: boolean }> {
    const { nowMs, ...keys } = await this.#store.read(newKeyText);
    this.#aheadMs = nowMs - this.#clock.monotonicMs();
    const text = JSON.stringify(keys);
    const haveChanged = text !== this.#text;
    this.#text = text;
    return { keys, haveChanged };
  }
}

type KeyTexts = Omit<SharedKeys, "nowMs">;

function keysOf({ current, others }: KeyTexts) {
  return { current: keyFrom(PLACE, current), others: others.map((key) => keyFrom(PLACE, key)) };
}
