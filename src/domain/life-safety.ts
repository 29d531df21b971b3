import type { ZoneKind } from "./zone.ts";

/** A life-safety zone whose trips are not dispatched now. */
export interface LifeSafetyHeld {
  readonly id: string;
  readonly name: string;
  readonly kind: ZoneKind;
  /** What holds it back. */
  readonly by: "bypassed" | "test" | "gated" | "swinger";
  /** When that ends at the latest, ISO 8601 UTC; null where no time ends it. */
  readonly until: string | null;
}
