import type { ZoneKind } from "./zone.ts";

const LIFE_SAFETY: ReadonlySet<ZoneKind> = new Set(["fire", "gas", "medical", "holdup", "panic"]);

/** Whether people's lives depend on a zone of this kind: a walk test or bypass names such a zone while it is held back. */
export function isLifeSafety(kind: ZoneKind): boolean {
  return LIFE_SAFETY.has(kind);
}

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
