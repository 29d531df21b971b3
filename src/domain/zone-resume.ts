import type { PersistedZoneState, ZoneState } from "./zone-step.ts";
import type { ZoneRules } from "./zone.ts";

/**
 * State of a zone at the start.
 * @param kept stored state; undefined for a zone without a reading
 * @param powerUpDelayMs how long no opening counts, see `ZoneState.notBeforeMs`
 */
export function resumeZone(
  rules: ZoneRules,
  kept: PersistedZoneState | undefined,
  atMs: number,
  powerUpDelayMs = 0,
): ZoneState {
  const contact = kept?.contact ?? "unknown";
  const hasAutoRestore = rules.autoRestoreMs !== undefined;
  // A zone with automatic restore is normal until a message reports otherwise.
  const isNormalByDefault = contact === "unknown" && hasAutoRestore;
  return {
    contact: isNormalByDefault ? "normal" : contact,
    ...(kept?.pending ? { pending: kept.pending } : {}),
    ...(contact === "open" ? { lastOpenMs: atMs } : {}),
    // A pending change was read before the restart.
    isResumed: contact !== "unknown" && !kept?.pending,
    autoRestored: isNormalByDefault || (kept?.autoRestored ?? false),
    notBeforeMs: atMs + powerUpDelayMs,
    level: contact,
    activity: [],
  };
}
