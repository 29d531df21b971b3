import type { LifeSafetyHeld } from "../domain/life-safety.ts";

/** Warning line with the life-safety zones whose trips are not dispatched; empty if there are none. */
export function lifeSafetyNotice(held: readonly Pick<LifeSafetyHeld, "id" | "name" | "kind">[]): string {
  if (held.length === 0) return "";
  const names = held.map(({ id, name, kind }) => `${id} (${name}, ${kind})`);
  return `LIFE SAFETY: alarms of ${names.join(", ")} are not dispatched during this time\n`;
}
