import type { Config } from "../config/config.ts";
import type { Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import type { Actor } from "../domain/event.ts";
import type { ReloadView } from "../http/site/reload-view.ts";
import type { RestorePort } from "../http/site/restore-port.ts";
import type { OptionView, SettingsPort } from "../http/site/settings-port.ts";
import { DatabaseCopy } from "../ops/database-copy.ts";
import type { CopyWork } from "../ops/copy-work.ts";
import { HandedInCopy } from "../ops/handed-in-copy.ts";
import { forgetHalfReady, restore, type RestorePlan } from "../ops/restore.ts";
import type { JsonLog } from "../ops/log.ts";
import { isoTime } from "./iso-time.ts";

export interface SiteSettingsParts {
  readonly config: Pick<Config, "dataDir">;
  readonly clock: Clock;
  /** Where whole database files are worked on. */
  readonly copyWork: CopyWork;
  readonly log: Pick<JsonLog, "tellAll" | "tellAsConfigured">;
  /** Every option in force, and where it was said. */
  readonly effectiveOptions: () => readonly OptionView[];
  /** Goes on with the configuration as it is now. */
  readonly reload: (by: Actor) => Promise<ReloadView>;
  /** Ends this run in order, does something while no file is open, and runs again. */
  readonly runAgain: (meanwhile: () => void) => void;
}

/** What administrators see and do about the installation itself. */
export class SiteSettings implements SettingsPort, RestorePort {
  readonly #parts: SiteSettingsParts;
  readonly #copy: DatabaseCopy;
  readonly #handedIn: HandedInCopy;
  /** Between the order and the end of this run. */
  #isEnding = false;
  #isPuttingBack = false;

  constructor(parts: SiteSettingsParts) {
    this.#parts = parts;
    this.#copy = new DatabaseCopy(parts.config.dataDir, parts.copyWork);
    this.#handedIn = new HandedInCopy({ ...parts.config, clock: parts.clock, work: parts.copyWork });
  }

  configuration(): readonly OptionView[] {
    return this.#parts.effectiveOptions();
  }

  lendCopy(take: (path: string) => Promise<void>): Promise<void> {
    return this.#copy.lend(take);
  }

  logEverything(minutes: number): string {
    const { clock, log } = this.#parts;
    const forMs = minutes * 60_000;
    log.tellAll(forMs);
    return isoTime(clock.wallMs() + forMs);
  }

  async reload(by: Actor): Promise<ReloadView> {
    this.#assertRunning();
    return this.#parts.reload(by);
  }

  restart(): void {
    this.#isEnding = true;
    this.#parts.runAgain(() => {});
  }

  add(from: number, piece: Uint8Array): { copy: number; bytes: number } {
    this.#assertRunning();
    return this.#handedIn.add(from, piece);
  }

  plan(copy: number): Promise<RestorePlan> {
    return this.#handedIn.plan(copy);
  }

  async restore(copy: number, by: Actor): Promise<RestorePlan> {
    this.#assertRunning();
    const plan = await this.#handedIn.plan(copy);
    // Somebody else may have ordered the same meanwhile.
    this.#assertRunning();
    const { config, clock, runAgain } = this.#parts;
    const { path } = this.#handedIn;
    this.#isEnding = true;
    this.#isPuttingBack = true;
    this.#handedIn.hold();
    runAgain(() => {
      try {
        restore(config.dataDir, path, clock.wallMs(), by, plan);
      } finally {
        this.#handedIn.forget();
      }
    });
    return plan;
  }

  /** What is promised now nobody would do, and what is handed in would take the place of the copy to be put back. */
  #assertRunning(): void {
    if (this.#isEnding)
      throw new AppError("unavailable", "the daemon is about to run anew; try again in a moment", {
        retryAfterS: 5,
      });
  }

  /** Removes what a run that was cut off has left. */
  start(): void {
    forgetHalfReady(this.#parts.config.dataDir);
    this.#handedIn.forget();
    this.#copy.forget();
  }

  /** Ends what was ordered for a while, and forgets a copy that was handed in and is not put back. */
  stop(): void {
    this.#parts.log.tellAsConfigured();
    if (!this.#isPuttingBack) this.#handedIn.forget();
  }
}
