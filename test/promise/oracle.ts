import type { Intervention } from "../../src/domain/intervention.ts";
import { LIFE_SAFETY, type PlayedZone, type Side } from "./building.ts";
import { textOf } from "./play.ts";
import { CONFIRMABLE, deviceOf } from "./additions.ts";
import { classOf, clockTimes, goneAt, holdOf, isAt, openingsOf, outcomeOf, type Opening } from "./physics.ts";
import { clockText, type Observation, type Story, type TripRow } from "./story.ts";

const MINUTE_MS = 60_000;
/** Maximum time until an open contact is visible to users. */
const UNTOLD_MS = 5_000;
const AGAIN_MS = 900_000;
const SWINGER_TRIPS = 1;
/** Length from which the notes may have no space for the lines of all zones. */
const NOTES_FULL = 3_500;

/** Violations of a rule in a run; empty if there are none. */
export const RULES: Readonly<Record<string, (story: Story) => string[]>> = {
  "P1 every opening that counts stands in a record by name and time": (story) =>
    dueOpenings(story).flatMap((opening) => {
      if (isListed(story, opening, readableTexts(story, opening.fromMs)) || isShutDown(story, opening))
        return [];
      const named = readableTexts(story, opening.fromMs).filter((text) => text.includes(opening.zone.name));
      return [
        `${describe(opening)}, and no record lists it. Last read of the zone: ${JSON.stringify(named.at(-1) ?? "nothing")}`,
      ];
    }),

  "P1 what a record of the site says stands at the centre": (story) => {
    const last = story.observations.at(-1);
    return dueOpenings(story).flatMap((opening) => {
      if (!isListed(story, opening, (last?.records ?? []).map(textOf))) return [];
      // Texts that a dispatcher has deleted or overwritten were there.
      const edits = story.edits.filter(({ side }) => side === "centre");
      const there = [...(last?.centre ?? []).map(textOf), ...edits.map(({ before }) => before)];
      return isListed(story, opening, there)
        ? []
        : [`${describe(opening)} is in a record of the site and in none at the dispatch centre`];
    });
  },

  "P2 nothing stands open untold": (story) =>
    story.observations.flatMap((observation) =>
      standing(story, observation, UNTOLD_MS + 4_000).flatMap((opening) => {
        if (
          isUnfinishedIn(observation, opening.zone) ||
          isInCondition(observation, opening.zone) ||
          isWaiting(observation)
        )
          return [];
        if (hasJustEnded(story, observation.atMs, MINUTE_MS + UNTOLD_MS)) return [];
        if (hasJustPulled(story, opening.zone, observation.atMs, MINUTE_MS + UNTOLD_MS)) return [];
        return [
          `${describe(opening)} and was open at ${clockText(observation.atMs)}; no record or condition names it`,
        ];
      }),
    ),

  "P2 what saves lives trips again while it stands open": (story) =>
    story.observations.flatMap((observation) =>
      standing(story, observation, AGAIN_MS + 2 * MINUTE_MS).flatMap((opening) => {
        if (
          !LIFE_SAFETY.has(opening.zone.kind) ||
          isUnfinishedIn(observation, opening.zone) ||
          isWaiting(observation)
        )
          return [];
        if (hasJustEnded(story, observation.atMs, AGAIN_MS + 2 * MINUTE_MS)) return [];
        if (hasJustPulled(story, opening.zone, observation.atMs, AGAIN_MS + 2 * MINUTE_MS)) return [];
        if (isTakenOut(story, opening, observation.atMs)) return [];
        return [
          `${describe(opening)} and was open at ${clockText(observation.atMs)}; no unfinished record names it`,
        ];
      }),
    ),

  "P3 every opening and closing has its row, and what is in no record its reason": (story) =>
    openingsOf(story).flatMap((opening) => {
      // A zone that is not configured has no readable history.
      const isReadable = goneAt(story, opening.zone) === undefined;
      if (!opening.isCertain || !isReadable || isOnlyCounted(story, opening)) return [];
      const rows = story.history.find(({ id }) => id === opening.zone.id)?.contacts ?? [];
      const row = rows.find(({ at, event }) => event === "trip" && isAt(story, Date.parse(at), opening));
      const { closed } = opening;
      const closing =
        closed && rows.find(({ at, event }) => event === "restore" && isAt(story, Date.parse(at), closed));
      const isClosingThere = closing !== undefined || !closed?.isCertain;
      const said =
        row &&
        (["posted", "merged", "waiting"].includes(row.state) || row.reason !== null || row.state === "gated");
      return [
        ...(row ? [] : [`${describe(opening)} has no row in the history of its zone`]),
        ...(row && !said ? [`${describe(opening)} is ${row.state} without a reason`] : []),
        ...(closing?.state === "recorded" && closing.reason === null
          ? [`${describe(opening)}; its closing is in no record and has no reason`]
          : []),
        ...(isClosingThere || !closed
          ? []
          : [`${describe(opening)} and closed at ${clockText(closed.fromMs)}; the closing has no row`]),
      ];
    }),

  "P3 what is held back is dispatched by none": (story) =>
    openingsOf(story).flatMap((opening) => {
      if (!opening.isCertain || holdOf(story, opening.zone, opening) !== "held") return [];
      const rows = rowsOf(story, opening);
      const dispatched = rows.find(({ state }) => !HELD_BACK.has(state));
      return dispatched && !rows.some(({ state }) => HELD_BACK.has(state))
        ? [`${describe(opening)} while its zone was suppressed, and is ${dispatched.state}`]
        : [];
    }),

  "entry: a trip is cancelled only when disarmed within the delay": (story) =>
    openingsOf(story).flatMap((opening) => {
      const rows = rowsOf(story, opening);
      const cancelled = rows.find(({ state }) => state === "cancelled");
      const isExpected = outcomeOf(story, opening);
      if (isExpected === "dispatched" && cancelled && rows.length === 1)
        return [`${describe(opening)} is cancelled, and was not disarmed within its entry delay`];
      if (isExpected !== "cancelled" || !opening.isCertain) return [];
      if (holdOf(story, opening.zone, opening) !== "free" || isShutDown(story, opening)) return [];
      if (!cancelled)
        return [
          `${describe(opening)}, was disarmed within the entry delay, and is ${rows[0]?.state ?? "nowhere"}`,
        ];
      const isInLog = story.journal.some(
        ({ at, who, detail }) =>
          who === `zone ${opening.zone.id}` &&
          detail?.state === "cancelled" &&
          (detail.reason ?? "") !== "" &&
          isAt(story, Date.parse(at), opening),
      );
      return isInLog ? [] : [`${describe(opening)} is cancelled, and not in the event log`];
    }),

  "entry: no trip is dispatched before the end of its delay": (story) =>
    openingsOf(story).flatMap((opening) => {
      const { entryDelayS, kind, gate } = opening.zone;
      if (entryDelayS === 0 || LIFE_SAFETY.has(kind) || gate === "always" || !isDue(story, opening))
        return [];
      const endMs = opening.fromMs + entryDelayS * 1000 - 2_000;
      const observation = story.observations.find(({ atMs }) => atMs > opening.toMs && atMs < endMs);
      if (!observation || story.clocks.some(({ atMs }) => atMs > opening.fromMs && atMs < endMs)) return [];
      // Another opening of the zone may be listed with the same minute.
      const isAlone = openingsOf(story).every(
        (other) =>
          other.zone !== opening.zone ||
          other.fromMs === opening.fromMs ||
          other.fromMs > observation.atMs ||
          (other.closed?.fromMs ?? Infinity) < opening.fromMs - 3_600_000,
      );
      // The fault of the zone may be in a record at once.
      const alarms = observation.records.filter(({ name }) => ALARM_NAME.test(name));
      // A line of several openings within one minute lists no later one.
      const texts = alarms.map((record) => textOf(record).replaceAll(/ ×\d+(?!.*→)/g, ""));
      return isAlone && isListed(story, opening, texts)
        ? [
            `${describe(opening)}, and a record lists it at ${clockText(observation.atMs)}, within its entry delay`,
          ]
        : [];
    }),

  "confirmed: only two devices that can confirm each other request the police": (story) => {
    const confirmable = openingsOf(story).filter(({ zone }) => CONFIRMABLE.has(zone.kind));
    const pairs = confirmable.flatMap((one) =>
      confirmable.filter((other) => canConfirm(one, other)).map((other) => [one, other] as const),
    );
    // A user may have removed the lines with the reason.
    const isReplaced = story.edits.some(({ how }) => how === "replace");
    const seen = new Set<number>();
    return story.observations.toReversed().flatMap((observation) =>
      observation.records.flatMap((record) => {
        const text = textOf(record);
        const named = story.week.building.zones.filter(({ name }) => text.includes(name));
        if (seen.has(record.id) || !ALARM_NAME.test(record.name)) return [];
        if (named.length === 0 || named.some(({ kind }) => !CONFIRMABLE.has(kind))) return [];
        seen.add(record.id);
        // The line of one of both may be in a record that continues this one, or in one that this one continues.
        const further = observation.records.filter((other) => isContinuation(other, record)).map(textOf);
        const earlier = observation.records.filter((other) => isContinuation(record, other)).map(textOf);
        const texts = [text, ...further, ...earlier].join("\n");
        const possible = isReplaced
          ? pairs.filter(([{ zone }]) => zone.objective === record.objectiveId)
          : pairs.filter((pair) => pair.every(({ zone }) => texts.includes(zone.name)));
        if (record.police && !possible.some((pair) => isConfirming(story, ...pair, 5_000)))
          return [
            `intervention ${record.id} "${record.name}" requests the police without confirmation by two devices`,
          ];
        const due = pairs.find(
          (pair) =>
            isConfirming(story, ...pair, -5_000) &&
            pair.every((each) => isDue(story, each) && !isLeftOut(story, each)) &&
            pair.some((each) => isListed(story, each, [withoutReference(text)])) &&
            pair.every((each) => isListed(story, each, [text, ...earlier])),
        );
        return due && !record.police
          ? [`${due.map(describe).join(", ")}: intervention ${record.id} does not request the police`]
          : [];
      }),
    );
  },

  "reload: an invalid configuration is rejected, and a valid one accepted": (story) =>
    story.reloads.flatMap(({ atMs, how, status }) =>
      status === (how === "break" ? 422 : 200)
        ? []
        : [`"${how}" at ${clockText(atMs)} is answered with ${status}`],
    ),

  "idle: no request and no message remains in progress": ({ stuck }) =>
    stuck.map((atMs) => `at ${clockText(atMs)} a request or message did not complete`),

  "P4 what saves lives is never gated or shut down, and has its own services": (story) =>
    dueOpenings(story).flatMap((opening) => {
      const { zone } = opening;
      if (!LIFE_SAFETY.has(zone.kind)) return [];
      const service = SERVICE[classOf(zone)] ?? "police";
      const rows = story.trips.filter(({ type, zoneId }) => type === "trip" && zoneId === zone.id);
      const held = rows.filter(({ state, moment }) => HELD.has(state) && isAt(story, moment.wallMs, opening));
      const named = story.observations.flatMap(({ records }) =>
        records.filter((record) => textOf(record).includes(zone.name)),
      );
      return [
        ...held.map(({ state }) => `${describe(opening)} is ${state}`),
        ...(named.length === 0 || named.some((record) => record[service])
          ? []
          : [`${describe(opening)}, and no record requests ${service}`]),
      ];
    }),

  "P4 a record is about zones of one class": (story) =>
    story.observations.flatMap(({ records }) =>
      records.flatMap((record) => {
        if (/^(Armed with|Armare cu|Still open after|Încă deschis)/.test(record.name)) return [];
        const named = story.week.building.zones.filter(({ name }) => textOf(record).includes(name));
        const classes = new Set(named.map(classOf));
        return classes.size > 1 ? [`intervention ${record.id} is about ${[...classes].join(" and ")}`] : [];
      }),
    ),

  "P5 the headline does not flatter": (story) =>
    story.observations.flatMap((observation) => {
      const { status, records, atMs } = observation;
      const level = status.headline?.level;
      const unfinished = records.filter((record) => record.status !== "done");
      const alarm = unfinished.find((record) => ALARM_NAME.test(record.name) && record.priority === "high");
      const open = standing(story, observation, UNTOLD_MS + 4_000);
      const isTrouble = unfinished.length > 0 || open.length > 0 || status.conditions.length > 0;
      return [
        ...(isTrouble && (level === undefined || level === "well")
          ? [
              `at ${clockText(atMs)} the headline is ${level ?? "missing"} with ${unfinished.length} unfinished, ${open.length} open and ${status.conditions.length} conditions`,
            ]
          : []),
        ...(alarm && level !== "alarm"
          ? [`at ${clockText(atMs)} the headline is ${level ?? "missing"} during "${alarm.name}"`]
          : []),
      ];
    }),

  "text: a text of a user on site remains until a user changes it": (story) => lostWords(story, "site"),
  "text: a text of a dispatcher remains until a user changes it": (story) => lostWords(story, "centre"),

  "once: each opening is one row of the journal": (story) => {
    const openings = openingsOf(story);
    const rows = story.trips
      .filter(({ type, cause }) => type === "trip" && cause !== "standing")
      .toSorted((a, b) => a.seq - b.seq);
    const pairs = paired(rows, openings, ({ zoneId, moment }, opening) => {
      return opening.zone.id === zoneId && isAt(story, moment.wallMs, opening);
    });
    return [
      ...rows
        .filter((row) => !pairs.has(row))
        .map(
          ({ seq, zoneId, cause, moment }) =>
            `row ${seq} of "${story.zone(zoneId).name}" (${cause}, ${clockText(moment.wallMs)}) belongs to no opening`,
        ),
      ...openings
        .filter((each) => each.isCertain && !isOnlyCounted(story, each) && !pairs.has(each))
        .map((opening) => `${describe(opening)} is in no row of the journal`),
    ];
  },
};

const SERVICE: Readonly<Record<string, "firetruck" | "ambulance" | "police">> = {
  fire: "firetruck",
  gas: "firetruck",
  medical: "ambulance",
};
const HELD = new Set(["gated", "swinger", "cancelled"]);
const HELD_BACK = new Set(["gated", "swinger", "cancelled", "bypassed", "test"]);
const ALARM_NAME = /^(Alarm, |Alarmă |Urgență medicală: |Lipsă alimentare: )/;
/** A line of the daemon: it begins with a time and may be replaced. */
const ZONE_LINE = /^(\d\d\d\d-\d\d-\d\d )?(\d\d|\?\?):(\d\d|\?\?) /;

/**
 * Matches rows to possible openings, so that first as many certain openings as possible and then as many rows
 * as possible have a match: rows from a queue may belong to any of several.
 * @returns every matched row and opening, with its counterpart
 */
function paired(
  rows: readonly TripRow[],
  openings: readonly Opening[],
  isAbout: (row: TripRow, opening: Opening) => boolean,
): ReadonlyMap<TripRow | Opening, TripRow | Opening> {
  const pairs = new Map<TripRow | Opening, TripRow | Opening>();
  const edges = new Map<TripRow | Opening, (TripRow | Opening)[]>();
  for (const row of rows)
    edges.set(
      row,
      openings.filter((opening) => isAbout(row, opening)),
    );
  for (const opening of openings)
    edges.set(
      opening,
      rows.filter((row) => edges.get(row)?.includes(opening)),
    );
  const isPaired = (one: TripRow | Opening, tried: Set<TripRow | Opening>): boolean => {
    for (const other of edges.get(one) ?? []) {
      if (tried.has(other)) continue;
      tried.add(other);
      const before = pairs.get(other);
      if (before !== undefined && !isPaired(before, tried)) continue;
      pairs.set(one, other).set(other, one);
      return true;
    }
    return false;
  };
  const certain = openings.filter(({ isCertain }) => isCertain);
  for (const each of [...certain, ...rows]) if (!pairs.has(each)) isPaired(each, new Set());
  return pairs;
}

/** Openings that must be in a record: read, armed and not suppressed. */
function dueOpenings(story: Story): Opening[] {
  return openingsOf(story).filter((opening) => isDue(story, opening));
}

function isDue(story: Story, opening: Opening): boolean {
  return (
    opening.isCertain &&
    holdOf(story, opening.zone, opening) === "free" &&
    outcomeOf(story, opening) === "dispatched"
  );
}

/** Journal rows that may belong to an opening. */
function rowsOf(story: Story, opening: Opening): TripRow[] {
  return story.trips.filter(
    ({ type, cause, zoneId, moment }) =>
      type === "trip" &&
      cause !== "standing" &&
      zoneId === opening.zone.id &&
      isAt(story, moment.wallMs, opening),
  );
}

/** Whether openings of two zones can confirm each other. */
function canConfirm({ zone }: Opening, { zone: other }: Opening): boolean {
  return zone.id < other.id && zone.objective === other.objective && deviceOf(zone) !== deviceOf(other);
}

/** Whether two openings confirm each other by the options of their zones. @param slackMs tolerance of the times */
function isConfirming(story: Story, one: Opening, other: Opening, slackMs: number): boolean {
  const apartMs =
    slackMs > 0
      ? Math.max(0, one.fromMs - other.toMs, other.fromMs - one.toMs)
      : Math.max(Math.abs(one.fromMs - other.toMs), Math.abs(other.fromMs - one.toMs));
  const [fromMs, toMs] = [Math.min(one.fromMs, other.fromMs), Math.max(one.toMs, other.toMs)];
  const isClockSet = story.clocks.some(({ atMs }) => atMs > fromMs && atMs < toMs);
  const accepts = ({ zone }: Opening, { zone: { id } }: Opening): boolean => {
    const { confirmWith } = zone;
    if (confirmWith === undefined) return slackMs > 0 || apartMs < 1_700_000;
    // A zone that is not configured confirms no other; a zone that requires it alone accepts any other then.
    if (story.absences.some((span) => confirmWith.zones.includes(span.zone ?? ""))) return slackMs > 0;
    return (
      confirmWith.zones.includes(id) &&
      (isClockSet ? slackMs > 0 : apartMs <= confirmWith.withinS * 1000 + slackMs)
    );
  };
  return accepts(one, other) && accepts(other, one);
}

/** A zone that may be shut down has one row a minute; its other openings are only counted. */
function isOnlyCounted(story: Story, { zone, fromMs, toMs }: Opening): boolean {
  return (
    zone.isSwinger &&
    !LIFE_SAFETY.has(zone.kind) &&
    openingsOf(story).some(
      (other) => other.zone === zone && other.fromMs < fromMs && other.toMs > toMs - MINUTE_MS - 2_000,
    )
  );
}

/** A zone that is shut down after its trips, according to its history. */
function isShutDown(story: Story, opening: Opening): boolean {
  const { zone, toMs } = opening;
  if (!zone.isSwinger || LIFE_SAFETY.has(zone.kind)) return false;
  const before = openingsOf(story).filter((each) => each.zone === zone && each.toMs < opening.fromMs);
  // The row of its minute may belong to an earlier opening.
  const fromMs = opening.fromMs - (isOnlyCounted(story, opening) ? MINUTE_MS : 0);
  const rows = story.history.find(({ id }) => id === zone.id)?.contacts ?? [];
  return (
    before.length >= SWINGER_TRIPS &&
    rows.some(({ at, state }) => state === "swinger" && isAt(story, Date.parse(at), { fromMs, toMs }))
  );
}

/** Whether earlier openings of a zone may have shut it down: then this one is not a trip. */
function isLeftOut(story: Story, opening: Opening): boolean {
  return isShutDown(story, opening) || isOnlyCounted(story, opening);
}

/**
 * Every text that was readable since a time, on site or at the dispatch centre, also right before a user
 * changed it.
 */
function readableTexts(story: Story, sinceMs: number): string[] {
  const observations = story.observations.filter(({ atMs }) => atMs >= sinceMs);
  const edits = story.edits.filter(({ atMs }) => atMs >= sinceMs).map(({ before }) => before);
  return [
    ...observations.flatMap(({ records, centre }) => [...records.map(textOf), ...centre.map(textOf)]),
    ...edits,
  ];
}

function isListed(story: Story, opening: Opening, texts: readonly string[]): boolean {
  const times = clockTimes(story, opening);
  return texts.some((text) => text.includes(opening.zone.name) && isTimeIn(text, opening.zone, times));
}

function isTimeIn(text: string, { name }: PlayedZone, times: ReadonlySet<string>): boolean {
  return text.split("\n").some((line) => {
    if (!line.includes(name)) return false;
    if (line.includes("??:??") || /necunoscut|not known/.test(line)) return true;
    const read = line.match(/\b\d\d:\d\d\b/g) ?? [];
    if (read.some((time) => times.has(time))) return true;
    const [first = "", last = ""] = read;
    return (
      / ×\d+/.test(line) && [...times].some((time) => isBetween(time, first, line.includes("→") ? last : ""))
    );
  });
}

/** Whether a time of day is in a range, which may cross midnight; a range without an end is open. */
function isBetween(time: string, first: string, last: string): boolean {
  if (last === "") return true;
  return first <= last ? time >= first && time <= last : time >= first || time <= last;
}

/** Contacts that are open at an observation and have been armed for the maximum time. */
function standing(story: Story, { atMs }: Observation, forMs: number): Opening[] {
  const run = story.runs.findLast(({ fromMs }) => fromMs <= atMs);
  if (!run || atMs - run.fromMs < forMs + 70_000) return [];
  return openingsOf(story).filter(
    (opening) =>
      opening.isCertain &&
      !opening.zone.isPulse &&
      outcomeOf(story, opening) === "dispatched" &&
      // Its own incident has shut it down.
      (!opening.zone.isSwinger || LIFE_SAFETY.has(opening.zone.kind)) &&
      opening.toMs < atMs - forMs &&
      (opening.closed === undefined || opening.closed.fromMs > atMs) &&
      holdOf(story, opening.zone, { fromMs: atMs - forMs, toMs: atMs }) === "free",
  );
}

/** Whether a user has removed the line of the zone from a record since it opened: then a condition names the zone. */
function isTakenOut(story: Story, { zone, fromMs }: Opening, untilMs: number): boolean {
  return story.edits.some(
    ({ atMs, before, after }) =>
      atMs >= fromMs &&
      atMs <= untilMs &&
      after !== null &&
      before.includes(zone.name) &&
      !after.includes(zone.name),
  );
}

function isUnfinishedIn({ records }: Observation, { name }: PlayedZone): boolean {
  return records.some((record) => record.status !== "done" && textOf(record).includes(name));
}

function isInCondition({ status }: Observation, { id, name }: PlayedZone): boolean {
  return status.conditions.some(({ subject, text }) => subject === id || text.includes(name));
}

function isWaiting({ status }: Observation): boolean {
  return status.trips.waiting > 0;
}

/** Whether a user has just completed or deleted a record, or changed its text. */
function hasJustEnded(story: Story, atMs: number, forMs: number): boolean {
  return story.edits.some((edit) => edit.atMs <= atMs && edit.atMs > atMs - forMs);
}

/**
 * Whether the site has just learned that the record of a zone is done at the dispatch centre, which it pulls
 * every few minutes.
 */
function hasJustPulled(story: Story, zone: PlayedZone, atMs: number, forMs: number): boolean {
  const edit = story.edits.findLast((each) => each.side === "centre" && each.atMs <= atMs);
  const heard =
    edit &&
    story.observations.find(
      (observation) => observation.atMs > edit.atMs && !isUnfinishedIn(observation, zone),
    );
  return heard !== undefined && atMs - heard.atMs < forMs;
}

/** Whether a record says that it continues another one. */
function isContinuation(
  { description }: Pick<Intervention, "description">,
  { id }: Pick<Intervention, "id">,
): boolean {
  return [`În continuarea intervenției ${id} „`, `Continues intervention ${id} "`].some((words) =>
    (description ?? "").includes(words),
  );
}

/** A text without the line that names the record that it continues. */
function withoutReference(text: string): string {
  return text.replaceAll(/^(?:În continuarea intervenției|Continues intervention) .*$/gm, "");
}

function describe({ zone, fromMs, toMs }: Opening): string {
  const until = toMs - fromMs > 2_000 ? ` to ${clockText(toMs)}` : "";
  return `"${zone.name}" (${zone.id}, ${zone.kind}) opened at ${clockText(fromMs)}${until}`;
}

/** User texts that are missing in a record although no user has changed it. */
function lostWords(story: Story, of: Side): string[] {
  return story.edits.flatMap((edit) => {
    const { atMs, id, after } = edit;
    if (after === null || edit.side !== of) return [];
    // If the texts of both sides are too long together, those of the site remain, and the event log has the
    // others.
    if (of === "centre" && [...after].length > NOTES_FULL) return [];
    const isOther = (other: (typeof story.edits)[number]): boolean =>
      other !== edit &&
      other.after !== null &&
      (other.side !== of || (other.id === id && other.atMs >= atMs));
    // Concurrent changes of both sides are a conflict, which has its own rules.
    if (story.edits.some((other) => other.side !== of && isOther(other) && other.atMs <= atMs)) return [];
    const untilMs = story.edits.find((other) => isOther(other) && other.atMs >= atMs)?.atMs ?? Infinity;
    const own = after.split("\n").filter((line) => line.trim() !== "" && !ZONE_LINE.test(line));
    for (const observation of story.observations) {
      if (observation.atMs <= atMs || observation.atMs >= untilMs) continue;
      const record = (of === "site" ? observation.records : observation.centre).find(
        (each) => each.id === id,
      );
      if (!record) continue;
      const missing = own.find(
        (line) => !(record.notes ?? "").split("\n").includes(line) && !(record.notes ?? "").includes(line),
      );
      if (missing !== undefined)
        return [
          `"${missing.slice(0, 60)}" was written at ${clockText(atMs)} at the ${of} and is gone at ${clockText(observation.atMs)}`,
        ];
    }
    return [];
  });
}
