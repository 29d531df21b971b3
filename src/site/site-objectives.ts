import type { Config } from "../config/config.ts";
import { AppError } from "../domain/errors.ts";
import { OBJECTIVE_TYPES, type ObjectiveType } from "../domain/objective.ts";
import type {
  ObjectiveDifferenceView,
  ObjectiveListView,
  ObjectivePort,
  ObjectivesView,
} from "../http/site/objective-port.ts";
import type { UpstreamObjectiveStore, ObjectiveDifference } from "../store/upstream-objectives.ts";
import type { Sync } from "../sync/sync.ts";
import { isoTime } from "./iso-time.ts";

const DIFFERENCES_SHOWN = 200;
const ATTEMPT_OF_RESULT = { taken: "accepted", refused: "rejected", failed: "failed" } as const;

/** Data and actions of the objective mirror for the /site routes. */
export class SiteObjectives implements ObjectivePort {
  readonly #config: Pick<Config, "upstream">;
  readonly #lists: UpstreamObjectiveStore;
  readonly #parts: { readonly sync: Sync | undefined };

  /** @param parts `sync` is undefined for a standalone daemon */
  constructor(parts: {
    readonly config: Pick<Config, "upstream">;
    readonly centreObjectives: UpstreamObjectiveStore;
    readonly sync: Sync | undefined;
  }) {
    this.#config = parts.config;
    this.#lists = parts.centreObjectives;
    this.#parts = parts;
  }

  /** Read on each use: a reload may replace it. */
  get #sync(): Sync | undefined {
    return this.#parts.sync;
  }

  view(): ObjectivesView {
    return {
      centre: this.#config.upstream?.baseUrl ?? null,
      lists: OBJECTIVE_TYPES.map((type) => this.#listOf(type)),
      reading: this.#sync?.mirror.progress ?? null,
      differences: this.#sync
        ? OBJECTIVE_TYPES.flatMap((type) => this.#lists.differences(type, DIFFERENCES_SHOWN)).map(viewOf)
        : [],
    };
  }

  async pull(options: { readonly isLossAccepted: boolean }): Promise<ObjectivesView> {
    if (!this.#sync) throw new AppError("conflict", "standalone mode: no dispatch centre configured");
    await this.#sync.pullObjectives(options);
    return this.view();
  }

  #listOf(type: ObjectiveType): ObjectiveListView {
    const pulled = this.#lists.lastRead(type);
    const attempt = this.#sync?.mirror.outcome(type);
    return {
      type,
      objectives: pulled?.objectives ?? null,
      readAt: pulled ? isoTime(pulled.completedAtMs) : null,
      lastAttempt: attempt ? ATTEMPT_OF_RESULT[attempt.result] : null,
      reason: attempt?.reason ?? null,
    };
  }
}

function viewOf({
  missingSinceMs,
  here,
  there,
  ...difference
}: ObjectiveDifference): ObjectiveDifferenceView {
  return {
    ...difference,
    localName: here,
    upstreamName: there,
    missingSince: missingSinceMs === null ? null : isoTime(missingSinceMs),
  };
}
