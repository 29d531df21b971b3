import type { RemovedRule } from "../support/removed-rules.ts";

/** The rules of the sync whose absence the simulation must notice, as texts of the compiled modules. */
export const RULES = {
  frozenBody: {
    file: "sync/recovery/unconfirmed-post.js",
    rule: "const attempt = entry.attempt && { ...entry.attempt, atMs: clock.wallMs() };",
    instead:
      "const attempt = store.newAttempt({ ...entry, attempt: null, sends: 0 }, store.record(entry.interventionId));",
  },
  firstWatermark: {
    file: "sync/recovery/unconfirmed-post.js",
    rule: "await recordsAbove(centre.of(asked), watermarkOf(asked))",
    instead:
      "await recordsAbove(centre.of(asked), await centre.of(asked).newest(0, 1).then(({ value }) => ({ id: value?.[0]?.id ?? 0, rowFingerprint: null })))",
  },
  startedAttempt: {
    file: "domain/outbox-phase.js",
    rule: 'restart: "unsure",\n    },\n    unsure',
    instead: 'restart: "new",\n    },\n    unsure',
  },
  merge: {
    file: "domain/merge.js",
    rule: "else if (thereChanged && !hereChanged)",
    instead: "else if (false)",
  },
  lostRecords: {
    file: "sync/recovery/highest-id.js",
    rule: "store.outbox.linkedBetween(topId, linkedId) >= MIN_LOST_RECORDS",
    instead: "false",
  },
  verification: {
    file: "store/outbox.js",
    rule: "SET verify_at = ${VERIFY_IMMEDIATELY} WHERE phase = 'linked'",
    instead: "SET verify_at = verify_at WHERE phase = 'linked'",
  },
  formerIds: {
    file: "sync/recovery/gone-records.js",
    rule: "if (formerIdOf(entry) < fromId)",
    instead: "if (fromId >= 0)",
  },
  keyOfCall: {
    file: "service/interventions.js",
    rule: "const earlier = idempotency && this.#replayedResponse(principal, idempotency, keyed);",
    instead: "const earlier = undefined;",
  },
  partialReads: {
    file: "sync/recovery/record-search.js",
    rule: "const parts = await readByParts(centre, rows, centre.habits.rowsMax, bytesMax - bytesOf(rows));",
    instead: 'const parts = { kind: "cut", rows: [] };',
  },
  secondRead: {
    file: "domain/absence.js",
    rule: "if (sinceMs === null)",
    instead: 'if (true)\n        return { kind: "believe" };\n    if (sinceMs === null)',
  },
  ownership: {
    file: "domain/match-candidate.js",
    rule: 'if (isOlder || isElsewhere)\n        return "anothers";',
    instead: 'if (row.objectiveType === base.objectiveType)\n        return "ours";',
  },
  sweepAfterSuccess: {
    file: "sync/attempt-outcome.js",
    rule: "return store.facts.honoursKeys || sweepDelaysMs.length === 0 ? undefined : resendAfterMs.other;",
    instead: "return undefined;",
  },
  comparison: {
    file: "sync/recovery/record-audit.js",
    rule: "if (clock.monotonicMs() < this.#dueAtMs || !linkFaults.isOpen)",
    instead: "if (this.#dueAtMs > -1)",
  },
} as const satisfies Readonly<Record<string, RemovedRule>>;
