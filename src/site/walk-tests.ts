import type { Request, Response, Router } from "express";
import { isoTime } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import type { AuthGuards } from "../http/auth-guards.ts";
import { parametersOf } from "../http/lists.ts";
import { addResource, idFromPath } from "../http/resource.ts";
import type { WalkTestArchive } from "../store/walk-test-archive.ts";
import { isIntact, type StoredResult, type WalkTestStore } from "../store/walk-tests.ts";
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
      const wanted = parametersOf(request.originalUrl).get("sha256") ?? undefined;
      const { text, sha256 } = await tests.result(idFromPath(request, "walk test"), wanted);
      // As it is stored, so that anyone can compare the hash of the response with that of the printed report.
      response.type("json").set("ETag", `"${sha256}"`).send(text);
    },
  });
}

async function sendPage(tests: SiteApi["walkTests"], request: Request, response: Response): Promise<void> {
  const parameters = parametersOf(request.originalUrl);
  const limit = numberOf(parameters.get("limit") ?? String(LIMIT_DEFAULT));
  if (!(limit <= LIMIT_MAX))
    throw new AppError("invalid", `limit must be a whole number from 1 to ${LIMIT_MAX}`);
  const after = parameters.get("before");
  const before = after === null ? undefined : numberOf(after);
  if (Number.isNaN(before)) throw new AppError("invalid", "before must be the number of a walk test");
  const page = await tests.list(limit, before);
  const last = page.at(-1);
  if (last && (await tests.list(1, last.number)).length > 0)
    response.set("Link", `</site/walk-tests?limit=${limit}&before=${last.number}>; rel="next"`);
  response.json(page);
}

/** A positive whole number; else NaN. */
function numberOf(text: string): number {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : Number.NaN;
}

/**
 * The walk tests that have ended, read without the thread that takes the trips: from the journal, and what only the copies of their
 * results have, such as those of a former card.
 */
export class SiteWalkTests {
  readonly #stored: WalkTestStore;
  readonly #archive: WalkTestArchive;

  constructor(stored: WalkTestStore, archive: WalkTestArchive) {
    this.#stored = stored;
    this.#archive = archive;
  }

  /**
   * Newest first; more than the limit if the last number is of several tests.
   * @param before only tests with a smaller number
   */
  list(limit: number, before?: number): readonly EndedWalkTestView[] {
    const stored = this.#stored.ended(limit, before);
    const known = new Set(stored.map(({ sha256 }) => sha256));
    const copies = this.#archive.ended(before).filter(({ sha256 }) => !known.has(sha256));
    const all = [...stored, ...copies].toSorted((a, b) => b.id - a.id);
    const lastId = all[limit - 1]?.id ?? 0;
    const page = all.filter(({ id }) => id >= lastId);
    return page.map(({ id, sinceWallMs, endedWallMs, ...test }) => ({
      number: id,
      ...test,
      since: isoTime(sinceWallMs),
      ended: isoTime(endedWallMs),
    }));
  }

  /**
   * The result of a test with its hash; not one that the disk has altered.
   * @param sha256 which one, if several tests have the number; default: that of the present journal
   * @throws AppError `not-found`
   */
  result(id: number, sha256?: string): StoredResult {
    const own = this.#stored.result(id);
    const stored = [...(own ? [own] : []), ...this.#archive.results(id)]
      .filter((result) => sha256 === undefined || result.sha256 === sha256)
      .find((result) => isIntact(result));
    if (!stored) throw new AppError("not-found", `no result of walk test ${id} is stored`);
    return stored;
  }
}
