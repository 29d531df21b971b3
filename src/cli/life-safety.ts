import type { LifeSafetyHeld } from "../domain/life-safety.ts";

/** A line of warning that names the life-safety zones whose trips are not dispatched; empty where there are none. */
export function heldText(held: readonly Pick<LifeSafetyHeld, "id" | "name" | "kind">[]): string {
  if (held.length === 0) return "";
  const names = held.map(({ id, name, kind }) => `${id} (${name}, ${kind})`);
  return `LIFE SAFETY: no alarm of ${names.join(", ")} is dispatched meanwhile\n`;
}
