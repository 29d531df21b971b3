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

/** The copy of the centre's objectives as people see it. */
export class SiteObjectives implements ObjectivePort {
  readonly #config: Pick<Config, "upstream">;
  readonly #lists: UpstreamObjectiveStore;
  readonly #way: { readonly sync: Sync | undefined };

  /** @param parts `sync` is undefined for a daemon that stands alone */
  constructor(parts: {
    readonly config: Pick<Config, "upstream">;
    readonly centreObjectives: UpstreamObjectiveStore;
    readonly sync: Sync | undefined;
  }) {
    this.#config = parts.config;
    this.#lists = parts.centreObjectives;
    this.#way = parts;
  }

  /** Asked each time: a reload may have put another one in its place. */
  get #sync(): Sync | undefined {
    return this.#way.sync;
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
    if (!this.#sync)
      throw new AppError("conflict", "this daemon stands alone: it has no centre to read objectives from");
    await this.#sync.pullObjectives(options);
    return this.view();
  }

  #listOf(type: ObjectiveType): ObjectiveListView {
    const walk = this.#lists.lastRead(type);
    const tried = this.#sync?.mirror.outcome(type);
    return {
      type,
      objectives: walk?.objectives ?? null,
      readAt: walk ? isoTime(walk.completedAtMs) : null,
      lastAttempt: tried?.result ?? null,
      reason: tried?.reason ?? null,
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
