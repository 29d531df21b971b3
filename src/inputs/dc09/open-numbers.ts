import { hasSeveralNumbers } from "../../domain/alarm-panel.ts";
import { canonical, sensorOf } from "../../domain/zone-changes.ts";
import type { Zone } from "../../domain/zone.ts";
import type { Journal } from "../../store/journal.ts";
import { ActiveTopics, NUMBERS, OTHER_TOPICS } from "../active-topics.ts";
import { isActiveIn } from "../stored-activity.ts";
import type { ZoneContext } from "../zone-context.ts";
import type { AlarmPanelEvent } from "./alarm-panel-code.ts";
import { hasSeveralPlaces, sharedZoneOf } from "./alarm-panel-zones.ts";

/** What an alarm is of: a zone number, or without one its code, such as `E301`; in its partition if it names one. */
interface Place {
  readonly partition: number;
  readonly of: string;
}

/**
 * Of each zone that several numbers of an alarm panel share, or one number in several partitions, those that are open: the restoral
 * of one must not end what another one has reported. They are stored as the open topics of a zone of several topics, with the event that changes them.
 */
export class OpenNumbers {
  readonly #active: ActiveTopics;
  readonly #journal: Journal;

  constructor({ journal, log }: Pick<ZoneContext, "journal" | "log">) {
    this.#journal = journal;
    this.#active = new ActiveTopics({ journal, log }, NUMBERS);
  }

  /** Forgets the numbers of zones that are not open: a former release may have closed them. */
  start(zones: readonly Zone[]): void {
    this.exchange(zones.filter(({ id: owner }) => isActiveIn(this.#journal, { kind: "contact", owner })));
  }

  /** Uses other zones from now on. */
  exchange(zones: readonly Zone[]): void {
    this.#active.keep(new Set(zones.filter(hasSeveralPlaces).map(sourceOf)));
  }

  /** The open numbers of a zone, such as `4`, or `1/4` with their partition; `E301` or `AT` is a code that came without one. */
  of(zone: Zone): readonly string[] {
    return hasSeveralPlaces(zone) ? this.#active.of(sourceOf(zone)) : [];
  }

  /**
   * Notes an alarm, in the caller's transaction.
   * @param wasOpen whether the zone was open before. If not, it has restored itself, and numbers of that time no longer count
   */
  open(zone: Zone, event: AlarmPanelEvent, wasOpen: boolean): void {
    if (!hasSeveralPlaces(zone)) return;
    const own = nameOf(placeOf(zone, event));
    if (!wasOpen) for (const name of this.of(zone)) if (name !== own) this.#note(zone, name, false);
    this.#note(zone, own, true);
  }

  /** Notes a restoral, in the caller's transaction. @returns whether another number keeps the zone open */
  restore(zone: Zone, event: AlarmPanelEvent): boolean {
    for (const name of endedBy(zone, event, this.of(zone))) this.#note(zone, name, false);
    // Which numbers were beyond the limit is not known: their restorals would end nothing.
    if (this.of(zone).every((name) => name === OTHER_TOPICS)) this.#note(zone, OTHER_TOPICS, false);
    return this.of(zone).length > 0;
  }

  /** Whether a restoral ends anything of a zone: not that of a number which has not opened it. */
  isRestoredBy(zone: Zone, account: string, event: AlarmPanelEvent): boolean {
    const open = this.of(zone);
    // Without a known number, such as after an upgrade, the first restoral of its class closes the zone.
    if (open.length === 0)
      return !hasSeveralNumbers(zone.input) || sharedZoneOf([zone], account, event).length > 0;
    return endedBy(zone, event, open).length > 0;
  }

  #note(zone: Zone, name: string, isOpen: boolean): void {
    this.#active.note(sourceOf(zone), name, isOpen);
  }
}

/** With the sensor: a zone of another account or partition has other numbers. */
function sourceOf(zone: Zone): string {
  return canonical([NUMBERS, zone.id, sensorOf(zone)]);
}

function placeOf(zone: Zone, event: AlarmPanelEvent): Place {
  const [of = ""] = namesOf(zone, event);
  return { partition: event.partition ?? 0, of };
}

/**
 * The number of an event, or without one its code, or the codes that it ends. The number of an opening or closing is the user's:
 * another user may close what one has opened.
 */
function namesOf({ input }: Zone, { meaning, bases, number }: AlarmPanelEvent): readonly string[] {
  if (meaning?.what !== "arming" && (number ?? 0) > 0) return [String(number)];
  const hasCodes = "codes" in input && input.codes !== undefined && meaning?.what !== "arming";
  return hasCodes ? bases.map(codeOf) : ["0"];
}

/** Written as in the trade, so that a code of three digits differs from a number. */
function codeOf(base: string): string {
  return /^\d/.test(base) ? `E${base}` : base;
}

function nameOf({ partition, of }: Place): string {
  return partition > 0 ? `${partition}/${of}` : of;
}

function placeNamed(name: string): Place {
  const [of = "", partition = "0"] = name.split("/").toReversed();
  return { partition: Number(partition), of };
}

/**
 * The open numbers that a restoral ends. One without a number ends an alarm without a number; if there is none, all numbers. A zone of
 * one number that only one partition has reported is the same detector in any other.
 */
function endedBy(zone: Zone, event: AlarmPanelEvent, open: readonly string[]): readonly string[] {
  if (!hasSeveralNumbers(zone.input) && open.length === 1) return open;
  const names = namesOf(zone, event);
  const ofPartition = open.map(placeNamed).filter((place) => isOfSamePartition(place, event.partition ?? 0));
  const same = ofPartition.filter(({ of }) => names.includes(of));
  const isUnnumbered = !names.some((name) => /^[1-9]/.test(name));
  const numbered = ofPartition.filter(({ of }) => /^[1-9]/.test(of) || of === OTHER_TOPICS);
  return (isUnnumbered && same.length === 0 ? numbered : same).map(nameOf);
}

/** As for zones: without a partition, any. */
function isOfSamePartition(place: Place, partition: number): boolean {
  return place.partition === 0 || partition === 0 || place.partition === partition;
}
