import type { Router } from "express";
import type { Config } from "../config/config.ts";
import { isoTime } from "../domain/clock.ts";
import type { Remote } from "../domain/remote.ts";
import { OBJECTIVE_TYPES, type ObjectiveType } from "../domain/objective.ts";
import type { AuthGuards } from "../http/auth-guards.ts";
import { addResource, json, slowJson } from "../http/resource.ts";
import type { ObjectiveDifference, UpstreamObjectiveStore } from "../store/upstream-objectives.ts";
import type { MirrorState, SyncPort } from "../sync/sync-port.ts";
import type { SiteApi } from "./site-api.ts";
import type { ObjectiveDifferenceView, ObjectiveListView, ObjectivesView } from "./sync-view.ts";

/** Routes of the objective mirror: all users may read it, operators and administrators may start a pull. */
export function objectiveMirrorRoutes(
  router: Router,
  guards: AuthGuards,
  objectives: SiteApi["objectives"],
): void {
  addResource(router, "/site/objectives", guards.signedIn, { get: json(() => objectives.view()) });
  const pull = (isLossAccepted: boolean) => slowJson(() => objectives.pull({ isLossAccepted }));
  addResource(router, "/site/objectives/pull", guards.api, { post: pull(false) });
  addResource(router, "/site/objectives/accept-loss", guards.api, { post: pull(true) });
}

const DIFFERENCES_SHOWN = 200;
const ATTEMPT_OF_RESULT = { taken: "accepted", refused: "rejected", failed: "failed" } as const;

interface SiteObjectivesParts {
  readonly config: Pick<Config, "upstream">;
  readonly centreObjectives: UpstreamObjectiveStore;
  readonly sync: Pick<Remote<SyncPort>, "mirror" | "pullObjectives">;
}

/** The objective mirror. */
export class SiteObjectives {
  readonly #parts: SiteObjectivesParts;

  constructor(parts: SiteObjectivesParts) {
    this.#parts = parts;
  }

  async view(): Promise<ObjectivesView> {
    const { config, centreObjectives, sync } = this.#parts;
    const mirror = await sync.mirror();
    return {
      centre: config.upstream?.baseUrl ?? null,
      lists: OBJECTIVE_TYPES.map((type) => this.#listOf(type, mirror)),
      reading: mirror?.progress ?? null,
      differences: mirror
        ? OBJECTIVE_TYPES.flatMap((type) => centreObjectives.differences(type, DIFFERENCES_SHOWN)).map(viewOf)
        : [],
    };
  }

  /** Pulls the objective lists now, as `SyncPort.pullObjectives`. */
  async pull(options: { readonly isLossAccepted: boolean }): Promise<ObjectivesView> {
    await this.#parts.sync.pullObjectives(options);
    return this.view();
  }

  #listOf(type: ObjectiveType, mirror: MirrorState | undefined): ObjectiveListView {
    const pulled = this.#parts.centreObjectives.lastRead(type);
    const attempt = mirror?.outcomes[type];
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
