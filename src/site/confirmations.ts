import { createHash, timingSafeEqual } from "node:crypto";
import type { Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import type { Principal } from "../domain/principal.ts";
import type { ConfirmationView } from "./configuration-view.ts";

/** Long enough for twelve zones that are opened once each, one after the other. */
const LIFETIME_S = 600;
/** A person has a phone and a laptop; older ones are replaced. */
const CONFIRMATIONS_MAX = 32;

interface Confirmation {
  readonly hash: Buffer;
  readonly accountId: number;
  readonly untilMs: number;
}

/** Passwords that were entered again: each confirmation is valid for one account and ten minutes, in memory only. */
export class Confirmations {
  readonly #clock: Clock;
  readonly #newSecret: () => string;
  #issued: Confirmation[] = [];

  /** @param newSecret at least 100 random bits as text */
  constructor(clock: Clock, newSecret: () => string) {
    this.#clock = clock;
    this.#newSecret = newSecret;
  }

  issue({ accountId }: Principal): ConfirmationView {
    const confirmation = this.#newSecret();
    const untilMs = this.#clock.monotonicMs() + LIFETIME_S * 1000;
    const kept = this.#valid().slice(-(CONFIRMATIONS_MAX - 1));
    this.#issued = [...kept, { hash: hashOf(confirmation), accountId, untilMs }];
    return { confirmation, expiresInS: LIFETIME_S };
  }

  /** @throws AppError `forbidden` if the account has not entered its password in the last minutes */
  assert({ accountId }: Principal, confirmation: unknown): void {
    const hash = hashOf(typeof confirmation === "string" ? confirmation : "");
    const isValid = this.#valid().some(
      (one) => one.accountId === accountId && timingSafeEqual(one.hash, hash),
    );
    if (!isValid)
      throw new AppError("forbidden", "enter your password again: POST /site/configuration/confirmation");
  }

  #valid(): Confirmation[] {
    const nowMs = this.#clock.monotonicMs();
    return this.#issued.filter(({ untilMs }) => nowMs < untilMs);
  }
}

function hashOf(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
