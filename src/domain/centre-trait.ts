/** One result of the test records at the dispatch centre, and its consequence. */
export interface TraitFinding {
  readonly code: TraitCode;
  /** `ok`: nothing to do. `warning`: the centre could be improved. `error`: trips would not arrive. */
  readonly status: "ok" | "warning" | "error";
  readonly text: string;
  /** Values of the placeholders, for translations. */
  readonly values: TraitValues;
}

export type TraitValues = Readonly<Record<string, string | number>>;

/** The text of each result, with placeholders in braces. The subject is the dispatch centre. */
const TRAIT_SENTENCES = {
  "writes-allowed": "lets this account create, change and delete records",
  "create-refused":
    "rejects a test record: {answer}. Trips would wait here. Check the account's role at the centre and the zones' objectives.",
  "change-refused":
    "does not allow this account to change a record: {answer}. Changes made here would wait. Ask the dispatch centre to give the account the operator role.",
  "delete-refused":
    "does not allow this account to delete a record: {answer}. Records deleted here would remain there. Ask the dispatch centre to give the account the operator role.",
  "keys-honoured":
    "returns the same record for a repeated Idempotency-Key: a record without a response is resent at once",
  "keys-unsaid":
    "returns the same record for a repeated Idempotency-Key but does not confirm the key: each new record is checked for duplicates",
  "keys-ignored":
    "creates a second record for a repeated Idempotency-Key: a record without a response is searched for before it is resent, and each new record is checked for duplicates",
  "keys-refused":
    "rejects a repeated Idempotency-Key ({answer}): a record without a response is searched for before it is resent",
  "ids-new": "gives every record a new id",
  "ids-given-again":
    "reuses the id of a deleted record: records are identified by their reference, not by their id",
  "ids-not-numbers":
    "returns records without a numeric id: they cannot be found again, and each alarm without a response remains unconfirmed. Ask the dispatch centre to correct this, and delete {name} there.",
  "text-kept": "stores {sent} characters of notes unchanged, including the reference",
  "text-trimmed": "removes spaces at the end of notes: this does not count as a change",
  "text-cut":
    "stores {kept} of {sent} characters of notes, without the reference: the reference is put into the description",
  "text-rewritten": "rewrites notes and drops the reference: the reference is put into the description",
  "reference-lost":
    "stores the reference neither in notes nor in the description: records are identified by objective, name and start only. Ask the dispatch centre to accept longer texts.",
  "dates-kept": "returns dates as sent",
  "dates-rewritten": "returns dates in another form ({shown}) for the same time",
  "dates-changed":
    "changes {sent} to {shown}, a different time: ask the dispatch centre to correct its time zone, or dispatchers see wrong times",
  "list-kept": "returns its list in pages, the highest id first",
  "order-ignored": "does not sort its list by id: each search reads the whole list",
  "pages-ignored":
    "returns the same page for any range: the list is read by status, priority and type, and remaining uncertainty needs an operator's decision",
  "list-unread": "does not return its list ({answer}): searches are not possible",
  "reads-current": "shows a new record at once",
  "reads-late": "shows a new record after {seconds} s: a record counts as deleted only after two checks",
  "reads-too-late":
    "does not show a new record within {seconds} s: searches may miss records. Ask the dispatch centre to check this.",
  removed: "the test records were removed",
  "old-removed": "test records of an earlier test were removed ({ids})",
  "left-behind":
    "test records remain at the centre ({ids}): {answer}. The next test or the hourly comparison removes them; or delete them there.",
  "not-found-out": "the test ended early: {answer}. Retry when the link is up.",
} as const;

export type TraitCode = keyof typeof TRAIT_SENTENCES;

const STATUSES: Readonly<Partial<Record<TraitCode, TraitFinding["status"]>>> = {
  "create-refused": "error",
  "change-refused": "error",
  "delete-refused": "error",
  "reference-lost": "warning",
  "ids-not-numbers": "error",
  "ids-given-again": "warning",
  "text-cut": "warning",
  "text-rewritten": "warning",
  "dates-changed": "warning",
  "pages-ignored": "warning",
  "list-unread": "error",
  "reads-too-late": "warning",
  "left-behind": "warning",
  "not-found-out": "warning",
};

export function traitFinding(code: TraitCode, values: TraitValues = {}): TraitFinding {
  const text = TRAIT_SENTENCES[code].replace(/\{(\w+)\}/g, (braced, name: string) =>
    String(values[name] ?? braced),
  );
  return { code, status: STATUSES[code] ?? "ok", text, values };
}

/** Results that affect the synchronisation; stored with the address of the centre. */
export interface CentreTraits {
  readonly baseUrl: string;
  /** Wall clock of the test, milliseconds since 1970. */
  readonly atMs: number;
  /** The field that preserves the reference; null if none does. */
  readonly marker: "notes" | "description" | null;
  /** The largest number of rows in one response. */
  readonly rowsMax: number;
  /** Whether a repeated idempotency key has created a second record, whatever the responses say; missing in earlier results. */
  readonly ignoresKeys?: boolean;
  /** Whether a repeated idempotency key has returned the first record; missing in earlier results. */
  readonly honoursKeys?: boolean;
}
