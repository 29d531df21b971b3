/** One thing that a try with a test record has shown about the centre, and what follows from it. */
export interface TraitFinding {
  readonly code: TraitCode;
  /** `well`: nothing to do. `doubt`: something at the centre could be better. `fault`: trips would not get there. */
  readonly verdict: "well" | "doubt" | "fault";
  readonly text: string;
  /** What the sentence is filled with, for other languages. */
  readonly values: TraitValues;
}

export type TraitValues = Readonly<Record<string, string | number>>;

/** What each finding means, with names of values in braces. */
export const TRAIT_SENTENCES = {
  "writes-allowed": "takes, changes and deletes records of this account",
  "create-refused":
    "does not take a test record: {answer}. Trips would wait here. Check the account's role at the centre and the zones' objectives.",
  "change-refused":
    "does not let this account change a record: {answer}. Changes made here would wait. Have the account given the role of an operator.",
  "delete-refused":
    "does not let this account delete a record: {answer}. What is deleted here would stay there. Have the account given the role of an operator.",
  "keys-honoured":
    "gives the same record for a repeated Idempotency-Key: a record whose answer was lost is sent again at once",
  "keys-unsaid":
    "gives the same record for a repeated Idempotency-Key and does not repeat the key in its answer: each new record is checked for a second one nevertheless",
  "keys-ignored":
    "makes a second record for a repeated Idempotency-Key: a record whose answer was lost is searched for before it is sent again, and each new record is checked for a second one",
  "keys-refused":
    "refuses a repeated Idempotency-Key ({answer}): a record whose answer was lost is searched for before it is sent again",
  "ids-new": "gives every record a new id",
  "ids-given-again":
    "gives the id of a deleted record to the next one: records are identified by their reference, not by their id",
  "text-kept": "keeps {sent} characters of notes as they are, the reference included",
  "text-trimmed": "removes spaces at the end of notes: that does not count as a change here",
  "text-cut":
    "keeps {kept} of {sent} characters of notes, without the reference: the reference goes into the description",
  "text-rewritten": "rewrites notes and drops the reference: the reference goes into the description",
  "reference-lost":
    "keeps the reference neither in notes nor in the description: a record is identified by objective, name and start alone. Have the centre keep longer texts.",
  "dates-kept": "keeps dates as they are sent",
  "dates-rewritten": "writes dates in its own form ({shown}), the moment is the same",
  "dates-changed":
    "turns {sent} into {shown}, another moment: have the centre's time zone corrected, or dispatchers see wrong times",
  "list-kept": "gives its list in pages, the highest id first",
  "order-ignored": "does not sort its list by id: the list is read to its end for each search",
  "pages-ignored":
    "gives the same page whatever is asked for: the list is read by status, priority and type, and what is still not certain waits for a person's word",
  "list-unread": "does not give its list ({answer}): nothing can be searched for there",
  "reads-current": "shows a new record at once",
  "reads-late": "shows a new record after {seconds} s: a record counts as deleted there only after two looks",
  "reads-too-late":
    "does not show a new record within {seconds} s: searches may miss what is there. Have the centre checked.",
  removed: "the test records are removed",
  "old-removed": "test records of an earlier try are removed ({ids})",
  "left-behind":
    "test records are left at the centre ({ids}): {answer}. The next try removes them, the hourly comparison as well; or delete them there.",
  "not-found-out": "the try ended early: {answer}. Try again when the link is up.",
} as const;

export type TraitCode = keyof typeof TRAIT_SENTENCES;

const VERDICTS: Readonly<Partial<Record<TraitCode, TraitFinding["verdict"]>>> = {
  "create-refused": "fault",
  "change-refused": "fault",
  "delete-refused": "fault",
  "reference-lost": "doubt",
  "ids-given-again": "doubt",
  "text-cut": "doubt",
  "text-rewritten": "doubt",
  "dates-changed": "doubt",
  "pages-ignored": "doubt",
  "list-unread": "fault",
  "reads-too-late": "doubt",
  "left-behind": "doubt",
  "not-found-out": "doubt",
};

export function traitFinding(code: TraitCode, values: TraitValues = {}): TraitFinding {
  const text = TRAIT_SENTENCES[code].replace(/\{(\w+)\}/g, (braced, name: string) =>
    String(values[name] ?? braced),
  );
  return { code, verdict: VERDICTS[code] ?? "well", text, values };
}

/** What the findings choose; kept with the address of the centre that they are about. */
export interface CentreTraits {
  readonly baseUrl: string;
  /** Wall clock of the try, milliseconds since 1970. */
  readonly atMs: number;
  /** The text in which the reference survives; null where it does in neither. */
  readonly marker: "notes" | "description" | null;
  /** The most rows that one answer has held. */
  readonly rowsMax: number;
}
