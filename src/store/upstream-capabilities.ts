import type { CentreTraits } from "../domain/centre-trait.ts";
import type { Comparison } from "../domain/difference.ts";
import { Store } from "./database.ts";
import { storedJson } from "./stored-json.ts";
import { isComparison, isLargeRead, type LargeRead } from "./stored-shapes.ts";

/** A text that was returned without its marker. */
interface LostReference {
  readonly interventionId: number;
  readonly field: string;
  /** Characters sent, and characters returned. */
  readonly sent: number;
  readonly kept: number;
}

/** Notes of which the centre has lost lines. */
interface CutNotes {
  readonly interventionId: number;
  /** Characters sent, and characters returned. */
  readonly sent: number;
  readonly kept: number;
}

/** An id of ours at the dispatch centre that now belongs to another record. */
interface ReassignedId {
  readonly interventionId: number;
  readonly upstreamId: number;
  /** Wall clock, milliseconds since 1970. */
  readonly atMs: number;
}

/** Persistent facts about the dispatch centre. */
export class UpstreamCapabilities extends Store {
  readonly #read = this.prepare<string>("SELECT value FROM centre_facts WHERE name = ?").pluck();
  readonly #write = this.prepare(
    "INSERT INTO centre_facts(name, value) VALUES(?, ?) ON CONFLICT(name) DO UPDATE SET value = excluded.value",
  );

  /**
   * Called with the address of the centre before anything is sent to it: how another one treats keys, texts and ids is not known.
   * Its records are compared by their references, so what is known of records stays.
   */
  noteCentre(baseUrl: string): void {
    const known = this.#read.get("centre-address");
    if (known === baseUrl) return;
    this.#write.run("centre-address", baseUrl);
    if (known === undefined) return;
    for (const name of ["honours-keys", "unordered-ids"]) this.#write.run(name, "no");
    this.noteLostReference(null);
  }

  /** Whether the centre supports idempotency keys: it has echoed one, and no test has shown that it ignores them. */
  get honoursKeys(): boolean {
    return this.#read.get("honours-keys") === "yes";
  }

  /**
   * Whether its keys are proved, which an echo does not do: a gateway may return all headers of a request. A test has got the first
   * record for a repeated key, whether the centre returns keys or not, or it is a Santinela centre.
   */
  get hasProvedKeys(): boolean {
    const { honoursKeys, baseUrl } = this.traits ?? {};
    const isTested = honoursKeys === true && baseUrl === (this.#read.get("centre-address") ?? baseUrl);
    return isTested || (this.honoursKeys && this.reportsDeletions);
  }

  noteKeys(isEchoed: boolean): void {
    const { ignoresKeys, baseUrl } = this.traits ?? {};
    const isTested = ignoresKeys === true && baseUrl === (this.#read.get("centre-address") ?? baseUrl);
    const honoursKeys = isEchoed && !isTested;
    if (honoursKeys !== this.honoursKeys) this.#write.run("honours-keys", honoursKeys ? "yes" : "no");
  }

  /** Whether the 404 of the centre tells a deleted record from one that it does not have: it has announced it. */
  get reportsDeletions(): boolean {
    return this.#read.get("tells-deletions") === "yes";
  }

  noteReportsDeletions(isAnnounced: boolean): void {
    if (isAnnounced !== this.reportsDeletions) this.#write.run("tells-deletions", isAnnounced ? "yes" : "no");
  }

  /** The highest upstream id of a record that retention has removed here; 0 for none. */
  get highestRemoved(): number {
    return Number(this.#read.get("highest-removed") ?? 0);
  }

  noteRemoved(upstreamId: number): void {
    if (upstreamId > this.highestRemoved) this.#write.run("highest-removed", String(upstreamId));
  }

  /** Whether a newer record of the centre can have a lower id: it has several servers with ids of their own. */
  get hasUnorderedIds(): boolean {
    return this.#read.get("unordered-ids") === "yes";
  }

  noteUnorderedIds(): void {
    if (!this.hasUnorderedIds) this.#write.run("unordered-ids", "yes");
  }

  /** Address of the centre that takes the reports of this site; null if none is known to. */
  get reportsTo(): string | null {
    return this.#value("reports-to") as string | null;
  }

  noteReportsTo(baseUrl: string | null): void {
    const text = JSON.stringify(baseUrl);
    if (text !== (this.#read.get("reports-to") ?? "null")) this.#write.run("reports-to", text);
  }

  /** The highest upstream id that the last restored backup knew; 0 for none. */
  get restoreWatermark(): number {
    return Number(this.#read.get("copy-watermark") ?? 0);
  }

  recordRestoreWatermark(watermark: number): void {
    this.#write.run("copy-watermark", String(watermark));
    this.#write.run("settled-in", "no");
  }

  /** The last record whose marker was not kept; null while markers are kept. */
  get lostReference(): LostReference | null {
    return this.#value("lost-reference") as LostReference | null;
  }

  noteLostReference(lost: LostReference | null): void {
    this.#note("lost-reference", lost);
  }

  /** The last notes of which lines were lost; null while they are kept. */
  get cutNotes(): CutNotes | null {
    return this.#value("cut-notes") as CutNotes | null;
  }

  noteCutNotes(cut: CutNotes | null): void {
    this.#note("cut-notes", cut);
  }

  /** The last reassigned id; null for none. */
  get reassignedId(): ReassignedId | null {
    return this.#value("stranger") as ReassignedId | null;
  }

  noteReassignedId(reassignedId: ReassignedId): void {
    this.#note("stranger", reassignedId);
  }

  /** The results of the last test with test records; null for none. */
  get traits(): CentreTraits | null {
    return this.#value("traits") as CentreTraits | null;
  }

  noteTraits(traits: CentreTraits): void {
    this.#note("traits", traits);
    if (traits.ignoresKeys === true) this.noteKeys(false);
    if (
      this.lostReference !== null &&
      traits.marker === "description" &&
      this.lostReference.field === "notes"
    )
      this.noteLostReference(null);
  }

  /** The last comparison with the dispatch centre; null for none, and for a damaged one until the next. */
  get comparison(): Comparison | null {
    const comparison = this.#value("comparison");
    return isComparison(comparison) ? comparison : null;
  }

  noteComparison(comparison: Comparison): void {
    this.#note("comparison", comparison);
  }

  /** Whether this database has read its records back from the centre, or started with its own. */
  get hasReadBack(): boolean {
    return this.#read.get("settled-in") === "yes";
  }

  /** Whether records must be read back first, because the database was restored from a backup. */
  get mustReadBack(): boolean {
    return this.#read.get("settled-in") === "no";
  }

  /** Has the records read back, also by a later run. */
  requireReadBack(): void {
    if (!this.mustReadBack) this.#write.run("settled-in", "no");
  }

  noteReadBack(): void {
    if (!this.hasReadBack) this.#write.run("settled-in", "yes");
  }

  /** What the last run has noted of large responses; null if none was read. */
  get largeRead(): LargeRead | null {
    const read = this.#value("reading-large");
    return isLargeRead(read) ? read : null;
  }

  noteLargeRead(read: LargeRead): void {
    this.#note("reading-large", read);
  }

  #value(name: string): unknown {
    return storedJson<unknown>(this.#read.get(name) ?? "null", null);
  }

  #note(name: string, value: object | null): void {
    const text = JSON.stringify(value);
    if (text !== (this.#read.get(name) ?? "null")) this.#write.run(name, text);
  }
}
