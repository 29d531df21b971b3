import type { ZoneContext } from "./zone-context.ts";

/** Dates the tested zones of a walk test that ran before the clock was set, once it is. */
export class TestDates {
  readonly #options: Pick<ZoneContext, "journal" | "clock" | "time" | "bootId">;
  #areDated = false;

  constructor(options: Pick<ZoneContext, "journal" | "clock" | "time" | "bootId">) {
    this.#options = options;
  }

  /** To be called at intervals. @throws any error of the journal; the next call tries again */
  tick(): void {
    const { journal, clock, time, bootId } = this.#options;
    const isTrusted = time.isTrusted();
    if (isTrusted && !this.#areDated)
      journal.zoneOverrides.dateTested({ bootId, wallMs: clock.wallMs(), monotonicMs: clock.monotonicMs() });
    this.#areDated = isTrusted;
  }
}
