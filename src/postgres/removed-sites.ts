import type { Actor } from "../domain/event.ts";
import { siteFound } from "../service/fleet.ts";
import { lockTrail } from "./audit-trail.ts";
import type { Queries } from "./connection.ts";
import { insertEvent } from "./postgres-events.ts";

/** Removes a site with its history, in the transaction of `queries`. @throws AppError `not-found` */
export async function removeSite(queries: Queries, id: number, by: Actor, atMs: number): Promise<void> {
  // First: reports of the site, and those that arrive with them, would wait for its row meanwhile.
  await lockTrail(queries);
  const [removed] = await queries.query<{ ref: string }>("DELETE FROM sites WHERE id = $1 RETURNING ref", [
    id,
  ]);
  const { ref } = siteFound(removed, id);
  await insertEvent(queries, { ...by, event: "site-removed", subject: `site ${ref}`, detail: {} }, atMs);
}
