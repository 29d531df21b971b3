import type { Condition } from "../../domain/condition.ts";
import type { OutboxSummary } from "../../domain/outbox-summary.ts";
import type { LinkView } from "./sync-port.ts";

/** How the site stands. */
export interface StatusView {
  readonly version: string;
  readonly site: { readonly name: string; readonly ref: string };
  /** ISO 8601 UTC. */
  readonly startedAt: string;
  readonly conditions: readonly Condition[];
  readonly trips: { readonly waiting: number; readonly refused: number };
  /** MQTT messages that changed nothing, by topic and reason, since the start; the most frequent first. */
  readonly messages: readonly MessageCountView[];
  readonly outbox: OutboxSummary;
  readonly link: LinkView;
}

export interface MessageCountView {
  readonly topic: string;
  /** `no-zone`: about none of the zones that listen to the topic; else why the payload cannot be read. */
  readonly reason: string;
  readonly count: number;
}
