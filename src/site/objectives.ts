import type { Request, Response, Router } from "express";
import { isoTime } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import { OBJECTIVE_TYPES, type ObjectiveType } from "../domain/objective.ts";
import type { AuthGuards } from "../http/auth-guards.ts";
import { disableIdleTimeout } from "../http/connection-limits.ts";
import { addResource, json } from "../http/resource.ts";
import type { ObjectiveDifference } from "../store/upstream-objectives.ts";
import type { ObjectiveDifferenceView, ObjectiveListView, ObjectivesView } from "./sync-view.ts";
import type { SiteParts } from "./site-parts.ts";

/** Routes of the objective mirror: all users may read it, operators and administrators may start a pull. */
export function objectiveMirrorRoutes(router: Router, guards: AuthGuards, objectives: SiteObjectives): void {
  addResource(router, "/site/objectives", guards.signedIn, { get: json(() => objectives.view()) });
  const pull = (isLossAccepted: boolean) => async (_request: Request, response: Response) => {
    disableIdleTimeout(response);
    response.json(await objectives.pull({ isLossAccepted }));
  };
  addResource(router, "/site/objectives/pull", guards.api, { post: pull(false) });
  addResource(router, "/site/objectives/accept-loss", guards.api, { post: pull(true) });
}

const DIFFERENCES_SHOWN = 200;
const ATTEMPT_OF_RESULT = { taken: "accepted", refused: "rejected", failed: "failed" } as const;

/** The objective mirror. */
export class SiteObjectives {
  readonly #parts: SiteParts;

  constructor(parts: SiteParts) {
    this.#parts = parts;
  }

  view(): ObjectivesView {
    return {
      centre: this.#parts.config.upstream?.baseUrl ?? null,
      lists: OBJECTIVE_TYPES.map((type) => this.#listOf(type)),
      reading: this.#parts.sync?.mirror.progress ?? null,
      differences: this.#parts.sync
        ? OBJECTIVE_TYPES.flatMap((type) =>
            this.#parts.centreObjectives.differences(type, DIFFERENCES_SHOWN),
          ).map(viewOf)
        : [],
    };
  }

  /**
   * Pulls the objective lists now.
   * @param options isLossAccepted: accepts a list even if most of its objectives were removed
   * @throws AppError `conflict` for a standalone daemon
   */
  async pull(options: { readonly isLossAccepted: boolean }): Promise<ObjectivesView> {
    if (!this.#parts.sync) throw new AppError("conflict", "standalone mode: no dispatch centre configured");
    await this.#parts.sync.pullObjectives(options);
    return this.view();
  }

  #listOf(type: ObjectiveType): ObjectiveListView {
    const pulled = this.#parts.centreObjectives.lastRead(type);
    const attempt = this.#parts.sync?.mirror.outcome(type);
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
