import type { PersistedZoneState, ZoneState } from "./zone-step.ts";
import type { ZoneRules } from "./zone.ts";

/**
 * The state at start.
 * @param kept what was written down when the daemon last looked; undefined for a zone that was never seen
 * @param settleMs how long no opening counts, see `ZoneState.notBeforeMs`
 */
export function resumeZone(
  rules: ZoneRules,
  kept: PersistedZoneState | undefined,
  atMs: number,
  settleMs = 0,
): ZoneState {
  const contact = kept?.contact ?? "unknown";
  const closesByItself = rules.autoRestoreMs !== undefined;
  // A zone that closes by itself is at rest by definition until a message says otherwise.
  const rests = contact === "unknown" && closesByItself;
  return {
    contact: rests ? "normal" : contact,
    ...(kept?.pending ? { pending: kept.pending } : {}),
    ...(contact === "open" ? { lastOpenMs: atMs } : {}),
    // What is still pending was seen as it happened.
    isResumed: contact !== "unknown" && !kept?.pending,
    autoRestored: rests || (kept?.autoRestored ?? false),
    notBeforeMs: atMs + settleMs,
    level: contact,
    activity: [],
  };
}
