import { createHmac, generateKeySync, timingSafeEqual } from "node:crypto";
import bcrypt from "bcrypt";
import { AppError } from "../domain/errors.ts";

/** Comparisons run in the thread pool that also flushes the disk: two leave room for the trips. */
const AT_ONCE_MAX = 2;
/** In each of the two lines: several people and programs may start their day at once. */
const WAITING_MAX = 16;

/** Ten thousand sites and their people; each takes some two hundred bytes. */
const PROVEN_MAX = 16_384;

/** Who waits for a comparison. */
export interface Candidate {
  /** The household or machine that the attempt comes from. */
  readonly place: string;
  /** Whether that account has signed in from there before, or shows a token: these go before all others. */
  readonly isKnown: boolean;
}

interface Waiting extends Candidate {
  readonly go: () => void;
  readonly refuse: () => void;
}

/**
 * Compares passwords with hashes, few at a time. Known candidates have a line of their own that is served first; in the
 * other one no place keeps another out: when it is full, the place with the most attempts in it loses one.
 */
export class PasswordCheck {
  #running = 0;
  readonly #known: Waiting[] = [];
  readonly #strangers: Waiting[] = [];
  /**
   * Keyed hashes of passwords that have passed, by the bcrypt hash that they fit: another password has another one. After
   * a city's power cut ten thousand sites sign in within seconds, and bcrypt would take minutes for them.
   */
  readonly #proven = new Map<string, Buffer>();
  /** Of this process alone: what is in its memory says nothing about a password elsewhere. */
  readonly #key = generateKeySync("hmac", { length: 256 });

  /** Whether the password is the one that has fitted this hash before. It takes no place in a line. */
  isProven(password: string, hash: string): boolean {
    const proven = this.#proven.get(hash);
    return proven !== undefined && timingSafeEqual(proven, this.#digestOf(password));
  }

  /** Has the next attempt with this hash compared again. */
  forget(hash: string): void {
    this.#proven.delete(hash);
  }

  /**
   * Whether the password fits the hash.
   * @param atTurn called right before the comparison; what it throws ends the attempt
   * @throws AppError `too-many-requests` when too many wait already
   */
  async matches(password: string, hash: string, candidate: Candidate, atTurn: () => void): Promise<boolean> {
    await this.#turn(candidate);
    try {
      atTurn();
      const matches = await bcrypt.compare(password, hash);
      if (matches) this.#remember(password, hash);
      return matches;
    } finally {
      const next = this.#known.shift() ?? this.#strangers.shift();
      if (next) next.go();
      else this.#running -= 1;
    }
  }

  #remember(password: string, hash: string): void {
    this.#proven.delete(hash);
    this.#proven.set(hash, this.#digestOf(password));
    const [oldest] = this.#proven.keys();
    if (this.#proven.size > PROVEN_MAX && oldest !== undefined) this.#proven.delete(oldest);
  }

  #digestOf(password: string): Buffer {
    return createHmac("sha256", this.#key).update(password).digest();
  }

  async #turn(candidate: Candidate): Promise<void> {
    if (this.#running < AT_ONCE_MAX) {
      this.#running += 1;
      return;
    }
    const line = candidate.isKnown ? this.#known : this.#strangers;
    if (line.length >= WAITING_MAX) makeRoom(line, candidate);
    await new Promise<void>((go, reject) => {
      line.push({ ...candidate, go, refuse: () => reject(tooMany()) });
    });
  }
}

/** Refuses one of a full line: the newest of the place with the most, or the newcomer where that is its own place. */
function makeRoom(line: Waiting[], { place }: Candidate): void {
  const counts = new Map<string, number>();
  for (const waiting of line) counts.set(waiting.place, (counts.get(waiting.place) ?? 0) + 1);
  const [crowded = "", most = 0] = [...counts].toSorted(([, a], [, b]) => b - a)[0] ?? [];
  if ((counts.get(place) ?? 0) + 1 >= most) throw tooMany();
  const [loser] = line.splice(
    line.findLastIndex((waiting) => waiting.place === crowded),
    1,
  );
  loser?.refuse();
}

function tooMany(): AppError {
  return new AppError("too-many-requests", "too many sign-ins at once; try again in a second", {
    retryAfterS: 1,
  });
}
