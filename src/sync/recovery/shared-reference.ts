import type { Difference } from "../../domain/difference.ts";
import type { SyncContext } from "../context.ts";

/** How long a shared reference is reported after the last record of another site. */
const SHOWN_MS = 86_400_000;

/**
 * Raises a condition if another daemon creates records with the reference of this site. An unknown record is only proof once this
 * database has adopted its own.
 */
export class SharedReference {
  readonly #context: SyncContext;
  #seenAtMs = -Infinity;

  constructor(context: SyncContext) {
    this.#context = context;
  }

  /** @param differences of a comparison with the whole list of the centre */
  look(differences: readonly Difference[]): void {
    const { clock, store, conditions, siteRef } = this.#context;
    // Until then unknown records are most likely its own.
    if (!store.facts.hasReadBack) return;
    const nowMs = clock.monotonicMs();
    const unknown = differences.filter(({ kind }) => kind === "unknown-here");
    const [first] = unknown;
    if (first) {
      const [upstreamId = 0] = first.upstreamIds;
      const values = { records: unknown.length, siteRef, name: first.name, upstreamId };
      conditions.raise("upstream-reference-shared", values);
      this.#seenAtMs = nowMs;
    } else if (nowMs - this.#seenAtMs > SHOWN_MS) conditions.clear("upstream-reference-shared");
  }
}
