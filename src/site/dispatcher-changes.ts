import { DISPATCH_CENTRE, type EventDetail, type LoggedEvent } from "../domain/event.ts";
import type { DispatcherChangeView } from "./timeline-view.ts";

/**
 * The fields of a record whose present value the dispatch centre has set, with the time at which this site learned of it: those
 * whose newest change in the event log came from there.
 * @param events about the record, newest first
 */
export function dispatcherChanges(events: readonly LoggedEvent[]): readonly DispatcherChangeView[] {
  const known = new Set<string>();
  return events.flatMap(({ event, at, from, detail }) => {
    if (event !== "intervention-changed") return [];
    const fields = changedFields(detail).filter((field) => !known.has(field));
    for (const field of fields) known.add(field);
    return from === DISPATCH_CENTRE ? fields.map((field) => ({ field, at })) : [];
  });
}

function changedFields({ after }: EventDetail): string[] {
  return typeof after === "object" && after !== null ? Object.keys(after) : [];
}
