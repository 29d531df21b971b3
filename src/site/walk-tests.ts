import type { Request, Response, Router } from "express";
import { isoTime } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import type { AuthGuards } from "../http/auth-guards.ts";
import { parametersOf } from "../http/lists.ts";
import { addResource, idFromPath } from "../http/resource.ts";
import type { StoredResult, WalkTestStore } from "../store/walk-tests.ts";
import type { SiteApi } from "./site-api.ts";
import type { EndedWalkTestView } from "./zone-view.ts";

const LIMIT_DEFAULT = 20;
const LIMIT_MAX = 100;

/** Routes of the walk tests that have ended, for all users. */
export function walkTestRoutes(router: Router, { signedIn }: AuthGuards, tests: SiteApi["walkTests"]): void {
  addResource(router, "/site/walk-tests", signedIn, {
    get: (request, response) => sendPage(tests, request, response),
  });
  addResource(router, "/site/walk-tests/:id", signedIn, {
    get: async (request, response) => {
      const { text, sha256 } = await tests.result(idFromPath(request, "walk test"));
      // As it is stored, so that anyone can compare the hash of the response with that of the printed report.
      response.type("json").set("ETag", `"${sha256}"`).send(text);
    },
  });
}

async function sendPage(tests: SiteApi["walkTests"], request: Request, response: Response): Promise<void> {
  const parameters = parametersOf(request.originalUrl);
  const limit = numberOf(parameters.get("limit") ?? String(LIMIT_DEFAULT));
  if (!(limit <= LIMIT_MAX)) throw new AppError("invalid", `limit must be at most ${LIMIT_MAX}`);
  const after = parameters.get("before");
  const before = after === null ? undefined : numberOf(after);
  if (Number.isNaN(before)) throw new AppError("invalid", "before must be the number of a walk test");
  const found = await tests.list(limit + 1, before);
  const page = found.slice(0, limit);
  const last = page.at(-1);
  if (found.length > limit && last)
    response.set("Link", `</site/walk-tests?limit=${limit}&before=${last.number}>; rel="next"`);
  response.json(page);
}

/** A positive whole number; else NaN. */
function numberOf(text: string): number {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : Number.NaN;
}

/** The walk tests that have ended, read without the thread that takes the trips. */
export class SiteWalkTests {
  readonly #stored: WalkTestStore;

  constructor(stored: WalkTestStore) {
    this.#stored = stored;
  }

  /** Newest first. @param before only tests with a smaller number */
  list(limit: number, before?: number): readonly EndedWalkTestView[] {
    return this.#stored.ended(limit, before).map(({ id, sinceWallMs, endedWallMs, ...test }) => ({
      number: id,
      ...test,
      since: isoTime(sinceWallMs),
      ended: isoTime(endedWallMs),
    }));
  }

  /** The result of a test with its hash. @throws AppError `not-found` */
  result(id: number): StoredResult {
    const stored = this.#stored.result(id);
    if (!stored) throw new AppError("not-found", `no result of walk test ${id} is stored`);
    return stored;
  }
}
