/** What decides which alarm comes first where not all of them can be shown. */
export interface Urgency {
  /** A fire, gas, medical or hold-up alarm, or a request for an ambulance or the fire brigade. */
  readonly isLifeSafety: boolean;
  /** The dispatch centre does not have it yet. */
  readonly isUndelivered: boolean;
}

/** Life safety first, then what the dispatch centre does not know; a stable sort keeps the order of the rest. */
export function byUrgency(a: Urgency, b: Urgency): number {
  return Number(b.isLifeSafety) - Number(a.isLifeSafety) || Number(b.isUndelivered) - Number(a.isUndelivered);
}
