/** The sequence of supervision messages; an event that has it shows a panel that does not count. */
export const NO_SEQUENCE = "0000";
/** From 0001 to 9999. */
const SEQUENCES = 9_999;
/** A sequence that is less than this ahead of another one follows it. */
const AHEAD_MAX = SEQUENCES / 2;

/** Whether a panel counts on from one sequence to another one, which may have wrapped. */
export function follows(sequence: string, before = sequence): boolean {
  return (Number(sequence) - Number(before) + SEQUENCES) % SEQUENCES < AHEAD_MAX;
}

export function isSameTime(checkedWallMs: number | null, sentWallMs: number | null): boolean {
  return checkedWallMs !== null && checkedWallMs === sentWallMs;
}

/** Of a stored message, the panel's time if it was checked. */
interface Sent {
  readonly sentWallMs: number | null;
}

/**
 * Whether a message was sent between an earlier one and the newest one: a panel that has started again sends later, or its clock is
 * not set. Without checked times it is not shown.
 */
export function isBetween(sentWallMs: number | null, earlier: Sent, newest: Sent | undefined): boolean {
  if (sentWallMs === null || earlier.sentWallMs === null) return false;
  return sentWallMs >= earlier.sentWallMs && sentWallMs <= (newest?.sentWallMs ?? Number.NEGATIVE_INFINITY);
}

/** What the journal keeps of a message beside its sequence and times, in one text. */
export interface StoredHash {
  readonly hash: string;
  /** Indexes of its events that are stored; undefined for all. */
  readonly part: ReadonlySet<number> | undefined;
  /** A sequence that came after it and was not stored; undefined without one. */
  readonly heard: string | undefined;
}

/** Between the hash of a message and its stored events, and before the sequence after it; no characters of a hash. */
const PART = "+";
const HEARD = "~";

export function storedHash({ hash, part, heard }: StoredHash): string {
  return [hash, ...(part ?? [])].join(PART) + (heard === undefined ? "" : HEARD + heard);
}

export function readHash(stored: string): StoredHash {
  const [text = "", heard] = stored.split(HEARD);
  const [hash = "", ...indexes] = text.split(PART);
  return { hash, part: indexes.length > 0 ? new Set(indexes.map(Number)) : undefined, heard };
}
