import { priorityOrderOf } from "../domain/priority-order.ts";
import { UpstreamCapabilities } from "./upstream-capabilities.ts";
import type { Database } from "./database.ts";
import { transaction } from "./transaction.ts";

/*
 * A copy of the database that was put back does not know what was sent after it was made. A centre that knows keys
 * tells; at any other the record is looked for by its reference before it is sent again.
 */

/** Has every record looked for that the copy takes for unsent. Called before anything newer is added to it. */
export function searchBeforeResend(copy: Database): void {
  transaction(copy, () => {
    const watermark = copy
      .prepare("SELECT coalesce(max(upstream_id), 0) FROM outbox")
      .pluck()
      .get() as number;
    new UpstreamCapabilities(copy).recordRestoreWatermark(watermark);
    copy
      .prepare(
        `UPDATE outbox SET doubted = 1, watermark = min(coalesce(watermark, :watermark), :watermark), witness = NULL
         WHERE upstream_id IS NULL AND phase IN ('new','blocked','rejected')`,
      )
      .run({ watermark });
  });
}

/** Gives each living record an entry of the outbox whose own was lost; the centre may have it already. */
export function enqueueUnaccounted(main: Database): void {
  main
    .prepare(
      `INSERT INTO outbox(intervention_id, phase, rank, want_rev, doubted, watermark)
       SELECT id, 'new', CASE priority WHEN 'high' THEN ${priorityOrderOf("high")} WHEN 'medium' THEN ${priorityOrderOf("medium")} ELSE ${priorityOrderOf("low")} END,
         rev, 1, ? FROM interventions
       WHERE deleted_at IS NULL AND NOT EXISTS (SELECT 1 FROM outbox WHERE intervention_id = interventions.id)`,
    )
    .run(new UpstreamCapabilities(main).restoreWatermark);
}

/** Has records looked for that are about to be made again. @param uids what they will be known by */
export function searchBeforeRecreate(main: Database, uids: readonly string[]): void {
  const watermark = new UpstreamCapabilities(main).restoreWatermark;
  const put = main.prepare("INSERT OR REPLACE INTO sought_records(uid, watermark) VALUES(?, ?)");
  transaction(main, () => uids.forEach((uid) => put.run(uid, watermark)));
}
