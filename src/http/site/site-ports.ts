import type { Condition } from "../../domain/condition.ts";
import type { OutboxSummary } from "../../store/outbox.ts";
import type { JournalPort } from "./journal-port.ts";
import type { ObjectivePort } from "./objective-port.ts";
import type { LinkView, SyncPort } from "./sync-port.ts";
import type { TestPort } from "./test-port.ts";
import type { ZonePort } from "./zone-port.ts";

/** What the /site routes ask of the rest of the daemon, which fills them in: one port for each subject. */
export interface SitePorts {
  status(): StatusView;
  readonly zones: ZonePort;
  readonly tests: TestPort;
  readonly journal: JournalPort;
  readonly sync: SyncPort;
  readonly objectives: ObjectivePort;
}

export interface StatusView {
  readonly version: string;
  readonly site: { readonly name: string; readonly ref: string };
  /** ISO 8601 UTC. */
  readonly startedAt: string;
  readonly conditions: readonly Condition[];
  readonly trips: { readonly waiting: number; readonly refused: number };
  readonly outbox: OutboxSummary;
  readonly link: LinkView;
}
