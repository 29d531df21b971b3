import type { NewestAlarmView } from "../site/status-view.ts";

/** The number of alarms in the state of the daemon, from which older ones are left out. */
const LISTED_MAX = 20;

/**
 * Which unfinished alarms are new since the page was opened, and which of them its user has not dealt with: opened or dismissed here.
 * What was there before is on Home.
 */
export class NewAlarms {
  /** Undefined before the first state. */
  #seen: Set<number> | undefined;
  /** Alarms with a smaller number are older than the page: they are listed once newer ones are done. */
  #firstNew = 0;
  #announced: readonly NewestAlarmView[] = [];

  /** Those that are to be named, newest first. */
  get announced(): readonly NewestAlarmView[] {
    return this.#announced;
  }

  /**
   * Takes the newest unfinished alarms of a state. An announced alarm that is done meanwhile is left out.
   * @param newest newest first; null if the daemon cannot read them
   * @returns those that are new since the last state
   */
  take(newest: readonly NewestAlarmView[] | null): readonly NewestAlarmView[] {
    if (!newest) return [];
    const isCut = newest.length >= LISTED_MAX;
    const lastListed = newest[newest.length - 1]?.id ?? 0;
    const seen = this.#seen;
    if (!seen) {
      this.#seen = new Set(newest.map(({ id }) => id));
      if (isCut) this.#firstNew = lastListed;
      return [];
    }
    const fresh = newest.filter(({ id }) => id > this.#firstNew && !seen.has(id));
    for (const { id } of fresh) seen.add(id);
    const isUnfinished = ({ id }: NewestAlarmView): boolean =>
      newest.some((alarm) => alarm.id === id) || (isCut && id < lastListed);
    this.#announced = [...fresh, ...this.#announced.filter(isUnfinished)].sort((a, b) => b.id - a.id);
    return fresh;
  }

  /** No longer names an alarm. @param id undefined for all of them */
  close(id?: number): void {
    this.#announced = id === undefined ? [] : this.#announced.filter((alarm) => alarm.id !== id);
  }
}
