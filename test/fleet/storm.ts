import type { Centres } from "./centres.ts";
import { pause } from "../support/installation.ts";
import type { FleetDatabase } from "./databases.ts";
import { percentile, type Unavailability } from "./figures.ts";
import type { LightSite } from "./light-site.ts";
import { paced } from "./pace.ts";

/** In seconds, from the beginning of the storm. */
const FAULTS_S = { centreKilled: 3, databaseLost: 5, databaseRepaired: 8, centreStarted: 12 } as const;
/** Alarms on their way at once: each has a connection beside that of the site's reports, and this process has 20,000 files. */
const ALARMS_MAX = 8_000;

/** One alarm of each site within a few seconds, and how long each took from the time it rang, however late it was begun. */
export class Storm {
  readonly #durationS: number;
  readonly #timesMs: number[] = [];
  #count = 0;
  #beganMs = 0;
  #lastMs = 0;
  /** The longest time between two acknowledged alarms. */
  #longestGapMs = 0;

  constructor(durationS: number) {
    this.#durationS = durationS;
  }

  /** Resolves when each alarm is acknowledged, and the failed centre and database run again. */
  async run(sites: readonly LightSite[], centres: Centres, database: FleetDatabase): Promise<void> {
    this.#count = sites.length;
    this.#beganMs = performance.now();
    this.#lastMs = this.#beganMs;
    const alarms = paced(
      this.#count / this.#durationS,
      { count: this.#count, atOnce: ALARMS_MAX },
      async (number) => {
        await (sites[number] as LightSite).create(`Alarm ${number}`, "high");
        this.#acknowledged(number);
      },
    );
    await Promise.all([alarms, this.#failOver(centres, database)]);
  }

  /** A table of one line; `unavailable` is that of the phase. */
  lines({ count, firstMs, lastMs }: Unavailability): string[] {
    const seconds = (ms: number): string => (ms / 1000).toFixed(1);
    const sorted = this.#timesMs.toSorted((a, b) => a - b);
    const allMs = this.#lastMs - this.#beganMs;
    const refused =
      count === 0 ? "–" : `${seconds(firstMs - this.#beganMs)}–${seconds(lastMs - this.#beganMs)}`;
    const cells = [
      this.#count,
      this.#durationS,
      seconds(allMs),
      ((sorted.length * 1000) / allMs).toFixed(0),
      ...[0.5, 0.99, 1].map((share) => seconds(percentile(sorted, share))),
      seconds(this.#longestGapMs),
      count,
      refused,
    ];
    return [
      "| alarms | rung within s | acknowledged after s | /s | p50 s | p99 s | max s | no alarm acknowledged, s | 503 | first and last 503 after s |",
      "| ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |",
      `| ${cells.join(" | ")} |`,
    ];
  }

  #acknowledged(number: number): void {
    const nowMs = performance.now();
    const rangMs = this.#beganMs + (number / this.#count) * this.#durationS * 1000;
    this.#timesMs.push(nowMs - rangMs);
    this.#longestGapMs = Math.max(this.#longestGapMs, nowMs - this.#lastMs);
    this.#lastMs = nowMs;
  }

  async #failOver(centres: Centres, database: FleetDatabase): Promise<void> {
    const at = (seconds: number): Promise<void> =>
      pause(Math.max(0, this.#beganMs + seconds * 1000 - performance.now()));
    await at(FAULTS_S.centreKilled);
    await centres.kill(0);
    await at(FAULTS_S.databaseLost);
    await database.fail();
    await at(FAULTS_S.databaseRepaired);
    const repaired = database.repair();
    await at(FAULTS_S.centreStarted);
    await Promise.all([repaired, centres.startAgain(0)]);
  }
}
