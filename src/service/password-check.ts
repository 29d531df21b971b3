import { createHmac, generateKeySync, timingSafeEqual } from "node:crypto";
import bcrypt from "bcrypt";
import { AppError } from "../domain/errors.ts";

/** Maximum concurrent comparisons: they share the thread pool with fsync, which trips need. */
const CONCURRENT_MAX = 2;
/** Maximum length of each of the two queues. */
const WAITING_MAX = 16;

/** Enough for ten thousand sites with their users; about 200 bytes each. */
const VERIFIED_MAX = 16_384;

/** Source of a sign-in attempt. */
export interface Candidate {
  /** Network of the attempt. */
  readonly place: string;
  /** Whether the account has signed in from this address before or has a token; these are served first. */
  readonly isKnown: boolean;
}

interface Waiting extends Candidate {
  readonly start: () => void;
  readonly reject: () => void;
}

/**
 * Compares passwords with hashes, with limited concurrency. Known candidates have a separate queue that is served first.
 * If a queue is full, the place with the most attempts in it loses one, so that no place can block another.
 */
export class PasswordCheck {
  #running = 0;
  readonly #known: Waiting[] = [];
  readonly #unknown: Waiting[] = [];
  /**
   * Keyed hashes of verified passwords, by their bcrypt hash. After a power cut ten thousand sites sign in within seconds,
   * and bcrypt would take minutes for them.
   */
  readonly #verified = new Map<string, Buffer>();
  /** The last of the attempts with one address and password, by their keyed hash. */
  readonly #equal = new Map<string, Promise<unknown>>();
  /** Random key of this process, so that its memory is useless elsewhere. */
  readonly #key = generateKeySync("hmac", { length: 256 });

  /** Whether the password has already been verified with this hash; does not use a queue. */
  isVerified(password: string, hash: string): boolean {
    const digest = this.#verified.get(hash);
    return digest !== undefined && timingSafeEqual(digest, this.#digestOf(password));
  }

  /** Removes a verified password; the next attempt is compared again. */
  forget(hash: string): void {
    this.#verified.delete(hash);
  }

  /**
   * Runs an attempt after those with the same address and password: once one of them was right, the others need no comparison.
   * So any number of programs of one user may sign in at once.
   * @throws what the attempt throws
   */
  async afterEqual<T>(email: string, password: string, attempt: () => Promise<T>): Promise<T> {
    const key = this.#digestOf(`${email}\0${password}`).toString("base64");
    const earlier = this.#equal.get(key);
    const own = (async () => {
      await earlier?.catch(() => {});
      return attempt();
    })();
    this.#equal.set(key, own);
    try {
      return await own;
    } finally {
      if (this.#equal.get(key) === own) this.#equal.delete(key);
    }
  }

  /**
   * Runs an attempt when it is its turn. The attempt ends after its failure is counted: the next one must see it.
   * @throws TooManySignIns if the queue is full, and what the attempt throws
   */
  async inTurn<T>(candidate: Candidate, attempt: () => Promise<T>): Promise<T> {
    await this.#acquire(candidate);
    try {
      return await attempt();
    } finally {
      const next = this.#known.shift() ?? this.#unknown.shift();
      if (next) next.start();
      else this.#running -= 1;
    }
  }

  /** Whether the password matches the hash. Takes long: only for an attempt whose turn it is. */
  async matches(password: string, hash: string): Promise<boolean> {
    const matches = await bcrypt.compare(password, hash);
    if (matches) this.#remember(password, hash);
    return matches;
  }

  #remember(password: string, hash: string): void {
    this.#verified.delete(hash);
    this.#verified.set(hash, this.#digestOf(password));
    const [oldest] = this.#verified.keys();
    if (this.#verified.size > VERIFIED_MAX && oldest !== undefined) this.#verified.delete(oldest);
  }

  #digestOf(password: string): Buffer {
    return createHmac("sha256", this.#key).update(password).digest();
  }

  async #acquire(candidate: Candidate): Promise<void> {
    if (this.#running < CONCURRENT_MAX) {
      this.#running += 1;
      return;
    }
    const queue = candidate.isKnown ? this.#known : this.#unknown;
    if (queue.length >= WAITING_MAX) makeRoom(queue, candidate);
    await new Promise<void>((start, reject) => {
      queue.push({ ...candidate, start, reject: () => reject(new TooManySignIns()) });
    });
  }
}

/** Rejects one attempt: the newest of the place with the most attempts, or the new one if that is its own place. */
function makeRoom(queue: Waiting[], { place }: Candidate): void {
  const counts = new Map<string, number>();
  for (const waiting of queue) counts.set(waiting.place, (counts.get(waiting.place) ?? 0) + 1);
  const [crowded = "", most = 0] = [...counts].toSorted(([, a], [, b]) => b - a)[0] ?? [];
  if ((counts.get(place) ?? 0) + 1 >= most) throw new TooManySignIns();
  const [rejected] = queue.splice(
    queue.findLastIndex((waiting) => waiting.place === crowded),
    1,
  );
  rejected?.reject();
}

/** The error of an attempt for which the queue has no place: its password was not compared. */
export class TooManySignIns extends AppError {
  constructor() {
    super("too-many-requests", "too many sign-ins at once; try again in a second", { retryAfterS: 1 });
  }
}
