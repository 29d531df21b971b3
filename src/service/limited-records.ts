import type { CancelTimer, Clock } from "../domain/clock.ts";
import type { Conditions } from "../domain/condition.ts";
import { AppError } from "../domain/errors.ts";
import type { Principal } from "../domain/principal.ts";
import type { Records } from "./records.ts";

/** Writes of a site at once: more than the backlog of a long outage. */
const WRITES_MAX = 5_000;
/** The rest of them is for records with high priority and their changes: a backlog never holds up an alarm or its further trips. */
const WRITES_FOR_ALARMS = 1_000;
/** Further writes: with the longest texts, which are stored three times, 5 GB a day. */
const WRITES_PER_S = 2;
const RETRY_AFTER_S = 60;
/** Time without a rejected write after which the condition ends. */
const QUIET_MS = 600_000;

type Limits = Pick<Conditions, "raise" | "clear">;

/** The writes that are left to a site. */
interface Allowance {
  writes: number;
  atMs: number;
  endCondition: CancelTimer;
}

/**
 * Limits the writes of each site: a device that was stolen must not fill the disk of the centre, which would then reject the
 * alarms of all others. Its sync sends a rejected record again later. Dispatchers are not limited.
 */
export function limitedRecords(
  records: Records,
  { clock, conditions }: { readonly clock: Clock; readonly conditions: Limits },
): Records {
  const allowances = new Map<string, Allowance>();

  /**
   * Takes one write of the allowance of a site.
   * @param isOfAlarm asked only when no more than the rest for alarms is left
   * @throws AppError `too-many-requests`
   */
  const take = async ({ site }: Principal, isOfAlarm: () => boolean | Promise<boolean>): Promise<void> => {
    if (site === undefined) return;
    const nowMs = clock.monotonicMs();
    const own = allowances.get(site) ?? { writes: WRITES_MAX, atMs: nowMs, endCondition: () => {} };
    allowances.set(site, own);
    own.writes = Math.min(WRITES_MAX, own.writes + ((nowMs - own.atMs) / 1000) * WRITES_PER_S);
    own.atMs = nowMs;
    // Other writes may have taken the rest while the record was read.
    if (own.writes >= 1 + WRITES_FOR_ALARMS || (own.writes >= 1 && (await isOfAlarm()) && own.writes >= 1)) {
      own.writes -= 1;
      return;
    }
    conditions.raise("site-writes-limited", { site }, site);
    own.endCondition();
    own.endCondition = clock.after(QUIET_MS, () => conditions.clear("site-writes-limited", site));
    throw new AppError("too-many-requests", `site ${site} writes too often; try again later`, {
      retryAfterS: RETRY_AFTER_S,
    });
  };

  return {
    get: (id) => records.get(id),
    find: (id) => records.find(id),
    page: (query, signal) => records.page(query, signal),
    create: async (body, principal, idempotency) => {
      await take(principal, () => body.priority === "high");
      return records.create(body, principal, idempotency);
    },
    change: async (id, request, principal) => {
      await take(principal, () => isChangeOfAlarm(records, id, request.body));
      return records.change(id, request, principal);
    },
    remove: async (id, match, principal) => {
      await take(principal, () => false);
      return records.remove(id, match, principal);
    },
  };
}

/**
 * Whether a change raises a record to an alarm, or leaves it one: a further trip of an alarm arrives as a change of other fields.
 * @param body not validated yet
 */
async function isChangeOfAlarm(records: Records, id: number, body: unknown): Promise<boolean> {
  const given = (body as { priority?: unknown } | null | undefined)?.priority;
  return (given ?? (await records.find(id))?.record.priority) === "high";
}
