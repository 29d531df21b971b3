import { markersIn } from "../../domain/marker.ts";
import { identifyingPart, identityOf, isShownAs, type MatchCandidate } from "../../domain/match-candidate.ts";
import type { SyncContext } from "../context.ts";
import { isMatchCandidate } from "./pageless-list.ts";
import { hasAnswered } from "./shortened-rows.ts";

/** Own records that one comparison reads by their id; each open one is read regularly as well. */
const OWN_READ_MAX = 100;
/** Other records that one comparison reads for those of this site, after a new memory card. */
const OTHERS_READ_MAX = 400;
/** Records that are read to see if the list shows texts. */
const PROBES_MAX = 20;

/**
 * Whether a list may lack the references of this site: it has records and shows none. A comparison finds out.
 * @param rows the complete list
 */
export function mayHideReferences(rows: readonly MatchCandidate[]): boolean {
  return rows.length > 0 && rows.every((row) => markersIn(row).length === 0);
}

/** Completes the rows of a list without texts for the comparison with the records of this site. */
export class ListedTexts {
  readonly #context: SyncContext;
  /** Ids that were read and belong to others. */
  readonly #others = new Set<number>();
  #isHidden = false;

  constructor(context: SyncContext) {
    this.#context = context;
  }

  /**
   * Reads the linked records that the list does not identify. If that shows that the list lacks their references, those that are
   * beyond the limit count as ours if nothing that the list shows differs.
   * @returns undefined if the link was lost
   */
  async ofOwn(rows: readonly MatchCandidate[]): Promise<readonly MatchCandidate[] | undefined> {
    const { store } = this.#context;
    const byId = new Map(rows.map((row) => [row.id, row]));
    const isUnmarked = (id: number): boolean => markersIn(byId.get(id) ?? { notes: "" }).length === 0;
    if (![...store.compared.links().values()].some((id) => byId.has(id) && isUnmarked(id))) return rows;
    const doubtful = store.compared.all(identifyingPart).flatMap(({ uid, upstreamId, watermark, base }) => {
      const row = byId.get(upstreamId ?? 0);
      const marker = store.markerOf(uid);
      return row && identityOf(row, { marker, base, watermark }) !== "ours"
        ? [{ row, base, marker, watermark }]
        : [];
    });
    let isHidden = false;
    for (const { row, ...known } of doubtful.slice(0, OWN_READ_MAX)) {
      const read = await this.#read(row);
      if (!read) return undefined;
      byId.set(row.id, read);
      if (identityOf(read, known) === "ours") isHidden = true;
    }
    for (const { row, base } of isHidden ? doubtful.slice(OWN_READ_MAX) : [])
      if (isShownAs(row, base)) byId.set(row.id, { ...row, notes: base["notes"] });
    return [...byId.values()];
  }

  /**
   * Reads records by their id in search of those of this site, if the list lacks references; a part of them at a time, the newest first.
   * @param rows the complete list
   * @returns the rows with what was read, and whether all were read that had to be; undefined if the link was lost
   */
  async ofOthers(
    rows: readonly MatchCandidate[],
  ): Promise<{ readonly rows: readonly MatchCandidate[]; readonly isWhole: boolean } | undefined> {
    const { store } = this.#context;
    const unread = rows
      .filter(({ id }) => !this.#others.has(id) && store.outbox.findByUpstreamId(id) === undefined)
      .sort((a, b) => b.id - a.id);
    const whole = new Map(rows.map((row) => [row.id, row]));
    let count = 0;
    for (const row of unread.slice(0, OTHERS_READ_MAX)) {
      if (count === PROBES_MAX && !this.#isHidden) break;
      count += 1;
      const read = await this.#read(row);
      if (!read) return undefined;
      whole.set(row.id, read);
      if (TEXTS.some((field) => (read[field] ?? null) !== (row[field] ?? null))) this.#isHidden = true;
      if (markersIn(read).length === 0) this.#others.add(row.id);
    }
    return { rows: [...whole.values()], isWhole: !this.#isHidden || unread.length <= OTHERS_READ_MAX };
  }

  /** @returns the row itself for a record that is not there; undefined if the link was lost */
  async #read(row: MatchCandidate): Promise<MatchCandidate | undefined> {
    const outcome = await this.#context.centre.record(row.id);
    if (!hasAnswered(outcome)) return undefined;
    return isMatchCandidate(outcome.value) && outcome.value.id === row.id ? outcome.value : row;
  }
}

const TEXTS = ["notes", "description"] as const;
