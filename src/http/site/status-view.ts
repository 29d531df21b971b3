import type { Condition } from "../../domain/condition.ts";
import type { OutboxSummary } from "../../domain/outbox-summary.ts";
import type { ComparisonView, LinkView } from "./sync-port.ts";

/** How the site stands. */
export interface StatusView {
  readonly version: string;
  readonly site: { readonly name: string; readonly ref: string };
  /** ISO 8601 UTC. */
  readonly startedAt: string;
  readonly conditions: readonly Condition[];
  readonly trips: { readonly waiting: number; readonly refused: number };
  readonly outbox: OutboxSummary;
  readonly link: LinkView;
  /** The last comparison with the centre's list; null before the first, and without a centre. */
  readonly comparison: ComparisonView | null;
}
