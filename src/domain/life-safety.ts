import type { ZoneKind } from "./zone.ts";

/** A life safety zone whose trips are suppressed now. */
export interface LifeSafetyHeld {
  readonly id: string;
  readonly name: string;
  readonly kind: ZoneKind;
  /** Reason for the suppression. */
  readonly by: "bypassed" | "test" | "gated" | "swinger";
  /** Latest end of the suppression, ISO 8601 UTC; null if it has no time limit. */
  readonly until: string | null;
}
