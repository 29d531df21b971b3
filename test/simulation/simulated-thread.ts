import type { Clock } from "../../src/domain/clock.ts";
import type { Remote } from "../../src/domain/remote.ts";
import type { InterventionService } from "../../src/service/interventions.ts";
import type { Records } from "../../src/service/records.ts";
import type { Database } from "../../src/store/database.ts";
import type { Connection } from "../../src/threads/channel.ts";
import type { ManualClock } from "../support/manual-clock.ts";
import { SeededPort } from "../support/seeded-port.ts";
import type { Build } from "./build.ts";
import type { Random } from "./random.ts";

type Writer = Pick<Remote<Records>, "create" | "change" | "remove">;

interface SimulatedThreadOptions {
  readonly build: Build;
  readonly clock: ManualClock;
  /** Of its own, so that a run without threads stays the same. */
  readonly random: Random;
}

/** Maximum delay of a message, and the probability that the thread ends soon after one. */
const DELAY_MS_MAX = 40;
const END_RATE = 0.1;
/** As of a thread that fails often. */
const RESTART_MS_MAX = 10_000;
/** Interval of a client that repeats a call. */
const REPEAT_MS = 1_000;

/**
 * The records of a site as the front of a daemon calls them: by messages that are late, to a thread that ends between a call, its
 * commit and its answer, and is started again.
 */
export class SimulatedThread {
  readonly counts = { ends: 0, unanswered: 0 };
  readonly #options: SimulatedThreadOptions;
  readonly #connection: Connection;
  readonly #writer: Writer;
  #port: SeededPort | undefined;

  constructor(options: SimulatedThreadOptions) {
    this.#options = options;
    this.#connection = new options.build.Connection();
    this.#writer = this.#connection.remote<Records>("records");
  }

  /**
   * Serves the records of a run.
   * @param clock of the thread: it stops with it
   * @param end ends the thread
   */
  start(
    interventions: InterventionService,
    {
      database,
      clock,
      end,
    }: { readonly database: Database; readonly clock: Clock; readonly end: () => void },
  ): void {
    const { build, random } = this.#options;
    const [front, records] = SeededPort.pair(this.#options.clock, () => random.between(0, DELAY_MS_MAX));
    this.#port = records;
    this.#connection.use(new build.Channel(front.port, this.#options.clock, {}));
    const served = new build.SqliteRecords(interventions, new build.ListService({ database }));
    new build.Connection().use(new build.Channel(records.port, clock, { records: served }));
    // Before the commit, between it and the answer, or after that: each takes a turn of the event loop.
    records.on("message", () => {
      if (random.chance(END_RATE)) this.#options.clock.after(random.between(0, 2), end);
    });
  }

  /** The thread has ended. @returns the time until its next start, in milliseconds */
  end(): number {
    this.counts.ends += 1;
    this.#port?.end();
    return this.#options.random.between(200, RESTART_MS_MAX);
  }

  /** Calls the records until they answer, as the dispatcher and a client with a key do. */
  async call<T>(made: (writer: Writer) => Promise<T>): Promise<T> {
    const { build, clock } = this.#options;
    for (;;) {
      try {
        return await made(this.#writer);
      } catch (error) {
        if (!(error instanceof build.AppError) || error.code !== "unavailable") throw error;
      }
      this.counts.unanswered += 1;
      await new Promise<void>((resolve) => {
        clock.after(REPEAT_MS, resolve);
      });
    }
  }
}
