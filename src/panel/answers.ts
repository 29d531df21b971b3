/** What /site answers, as far as the panel reads it. A test holds these against the daemon's own shapes. */

export interface AccountAnswer {
  readonly email: string;
  readonly role: "administrator" | "operator" | "viewer";
  readonly mustChangePassword: boolean;
}

/** Somebody who may sign in. */
export interface PersonAnswer {
  readonly email: string;
  readonly role: AccountAnswer["role"];
  readonly disabled: boolean;
}

export interface ConditionAnswer {
  readonly code: string;
  readonly subject: string;
  readonly severity: "error" | "warning";
  readonly title: string;
  readonly text: string;
  readonly since: string;
}

export interface LinkAnswer {
  readonly state: "none" | "unknown" | "up" | "down";
  readonly reason: string | null;
  readonly nextTryAt: string | null;
}

export interface OutboxAnswer {
  readonly waiting: number;
  readonly blocked: number;
  readonly rejected: number;
  readonly gone: number;
  readonly oldestWaitingMs: number | null;
}

export interface StatusAnswer {
  readonly version: string;
  readonly site: { readonly name: string; readonly ref: string };
  readonly startedAt: string;
  readonly conditions: readonly ConditionAnswer[];
  readonly trips: { readonly waiting: number; readonly refused: number };
  readonly outbox: OutboxAnswer;
  readonly link: LinkAnswer;
}

export interface ZoneAnswer {
  readonly id: string;
  readonly name: string;
  readonly kind: string;
  readonly source: "gpio" | "mqtt" | "simulated";
  readonly objective: { readonly type: string; readonly id: number };
  readonly contact: "normal" | "open" | "unknown";
  readonly since: string | null;
  readonly fate: "waiting" | "bypassed" | "test" | "gated" | "swinger";
  readonly reason: string | null;
  readonly bypass: { readonly reason: string; readonly who: string; readonly until: string } | null;
  readonly faults: readonly {
    readonly fault: "tamper" | "battery" | "supervision" | "faulty";
    readonly since: string;
  }[];
}

export interface WalkTestAnswer {
  readonly running: boolean;
  readonly who: string;
  readonly since: string;
  readonly until: string;
  readonly ended: string | null;
  readonly zones: readonly { readonly id: string; readonly trips: number; readonly last: string | null }[];
}

export interface SignalTestAnswer {
  readonly key: string;
  readonly state: "waiting" | "posted" | "refused" | "arrived";
  readonly isOver: boolean;
  readonly interventionId: number | null;
  readonly upstreamId: number | null;
  readonly reason: string | null;
}

export interface SyncRecordAnswer {
  readonly interventionId: number;
  readonly phase: string;
  readonly upstreamId: number | null;
  readonly attempts: number;
  readonly nextTryAt: string | null;
  readonly lastAnswer: string | null;
}

export interface SyncAnswer {
  readonly link: LinkAnswer;
  readonly summary: OutboxAnswer;
  readonly records: readonly SyncRecordAnswer[];
}

export interface JournalAnswer {
  readonly at: string;
  readonly event: string;
  readonly who: string;
  readonly from: string;
  readonly subject: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** What was written down about one intervention, and how far it is on its way to the centre. */
export interface HistoryAnswer {
  readonly entries: readonly JournalAnswer[];
  /** Null for a record that was there before there was a queue. */
  readonly sync: (SyncRecordAnswer & { readonly isAtRest: boolean }) | null;
}

/** What is asked for a first configuration, and what the answers make. */
export interface DraftAnswer {
  readonly questions: readonly QuestionAnswer[];
  readonly configuration: string | null;
  readonly file: string;
  readonly isThere: boolean;
  readonly secretFiles: readonly string[];
  readonly mistakes: string | null;
}

export interface QuestionAnswer {
  readonly name: string;
  readonly text: string;
  readonly choices: readonly string[] | null;
  readonly fallback: string | null;
  readonly problem: string | null;
}

/** A copy of the database on its way in. */
export interface HandedInAnswer {
  readonly copy: number;
  readonly bytes: number;
}

/** What putting a copy back changes. */
export interface RestoreAnswer {
  readonly recordsInCopy: number;
  readonly onlyInPresent: readonly number[];
  readonly onlyInCopy: readonly number[];
}

/** One option in force. */
export interface OptionAnswer {
  readonly option: string;
  readonly value: unknown;
  readonly source: string;
}

/** The copy of the centre's objectives. */
export interface ObjectivesAnswer {
  readonly centre: string | null;
  readonly lists: readonly {
    readonly type: string;
    readonly objectives: number | null;
    readonly readAt: string | null;
    readonly reason: string | null;
  }[];
  readonly differences: readonly ObjectiveDifferenceAnswer[];
}

export interface ObjectiveDifferenceAnswer {
  readonly type: string;
  readonly id: number;
  readonly here: string;
  readonly there: string | null;
  readonly missingSince: string | null;
}

/** What has happened to a zone in a time. */
export interface ZoneHistoryAnswer {
  readonly id: string;
  readonly trips: readonly string[];
  readonly faults: readonly SpanAnswer[];
  readonly bypasses: readonly SpanAnswer[];
}

export interface SpanAnswer {
  readonly from: string;
  readonly to: string;
}

/** How the link has stood, in stretches of equal length. */
export interface LinkHistoryAnswer {
  readonly since: string;
  readonly until: string;
  readonly stretches: readonly {
    readonly up: number;
    readonly down: number;
    readonly oldestUnsentS: number | null;
  }[];
}
