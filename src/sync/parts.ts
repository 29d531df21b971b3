import type { Clock } from "../domain/clock.ts";
import type { Log } from "../domain/log.ts";
import type { Patience } from "../domain/waits.ts";
import type { Centre } from "./centre.ts";
import type { Ledger } from "./ledger.ts";
import type { LinkWatch } from "./link-watch.ts";
import type { Moment } from "./settlement.ts";

/** What every step of the sync works with. */
export interface SyncParts {
  readonly centre: Centre;
  readonly ledger: Ledger;
  readonly watch: LinkWatch;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly patience: Patience;
  readonly failpoint: (name: string) => void;
}

/** Now, and a random number for a wait. */
export function momentOf({ clock, random }: Pick<SyncParts, "clock" | "random">): Moment {
  return { wallMs: clock.wallMs(), random: random() };
}
