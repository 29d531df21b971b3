import type { Headline } from "../domain/headline.ts";
import { byUrgency } from "../domain/urgency.ts";
import type { ReadOr } from "./damaged-pages.ts";
import type { JourneyView } from "./journey-view.ts";
import { RecordJourneys, type RankedJourney } from "./record-journeys.ts";
import type { SiteParts } from "./site-parts.ts";

/** More cards than a screen shows; each costs four look-ups per poll of the stream. */
const JOURNEYS_MAX = 12;

type Parts = Pick<
  SiteParts,
  "config" | "clock" | "journal" | "outbox" | "unfinished" | "objectives" | "transmissions"
>;

/** Reads how far each unfinished intervention of the headline has come. */
export class SiteJourneys {
  readonly #parts: Parts;
  readonly #readOr: ReadOr;
  readonly #journeys: RecordJourneys;

  constructor(parts: Parts, readOr: ReadOr) {
    this.#parts = parts;
    this.#readOr = readOr;
    const { trips } = parts.journal;
    const find: (typeof trips)["find"] = (key) => readOr(() => trips.find(key), undefined, "journal.db");
    const ofIntervention: (typeof trips)["ofIntervention"] = (id, limit) =>
      readOr(() => trips.ofIntervention(id, limit), [], "journal.db");
    this.#journeys = new RecordJourneys({ ...parts, trips: { find, ofIntervention } });
  }

  /**
   * The journeys of a headline: alarms, then other work. Life safety comes first, then what has not arrived, then trips
   * without a record and the newest: the list is cut, and a fire must not vanish behind newer burglaries.
   */
  read(headline: Headline): readonly JourneyView[] {
    const ofRecords: RankedJourney[] = [];
    const uids = new Set<string>();
    for (const { id, name, isAlarm } of unfinishedOf(headline))
      this.#readOr(() => {
        const details = this.#parts.unfinished.details(id);
        if (!details) return;
        uids.add(details.uid);
        ofRecords.push(this.#journeys.ofRecord(name, details, isAlarm));
      }, undefined);
    // The journal learns of a record only with the response: until then a trip waits that has one.
    const { unrecorded } = this.#parts.journal;
    const ofTrips = this.#readOr(() => unrecorded.worst(JOURNEYS_MAX), [], "journal.db")
      .filter(({ key }) => !uids.has(key))
      .flatMap((trip) => this.#readOr(() => [this.#journeys.ofTrip(trip)], []));
    return [...ofTrips, ...ofRecords]
      .toSorted((a, b) => Number(b.view.isAlarm) - Number(a.view.isAlarm) || byUrgency(a, b))
      .slice(0, JOURNEYS_MAX)
      .map(({ view }) => view);
  }
}

/** A record that the headline names. */
interface HeadlineRecord {
  readonly id: number;
  readonly name: string;
  readonly isAlarm: boolean;
}

/** The unfinished interventions of a headline that are shown, alarms first, each in the order of the headline. */
export function unfinishedOf(headline: Headline): readonly HeadlineRecord[] {
  return GROUPS.flatMap(([code, isAlarm]) =>
    (headline.reasons.find((reason) => reason.code === code)?.items ?? []).flatMap((item) =>
      item.about === "intervention" ? [{ id: item.id, name: item.name, isAlarm }] : [],
    ),
  ).slice(0, JOURNEYS_MAX);
}

const GROUPS = [
  ["alarm-unfinished", true],
  ["work-unfinished", false],
] as const;
