import type { ConditionCode } from "../domain/condition.ts";
import type { Contact, Zone } from "../domain/zone.ts";
import type { SiteParts } from "./site-parts.ts";

/** While one of these is open, messages of MQTT sensors do not arrive. */
const WITHOUT_BROKER = [
  "mqtt-unreachable",
  "mqtt-session-taken-over",
  "mqtt-broker-not-listening",
] as const satisfies readonly ConditionCode[];

/** Contacts for decisions that an old reading must not cause: a contact that cannot be read at the moment is `unknown`. */
export class CurrentContacts {
  readonly #parts: Pick<SiteParts, "clock" | "health" | "zoneService">;
  /** When a zone was last found unread, monotonic; removed once it has been read again. */
  readonly #unreadMs = new Map<string, number>();

  constructor(parts: Pick<SiteParts, "clock" | "health" | "zoneService">) {
    this.#parts = parts;
  }

  /** To be called every second for a zone that matters: only then it is known that it was unread meanwhile. */
  contactOf(zoneId: string): Contact {
    const { clock, zoneService } = this.#parts;
    const found = zoneService.monitor.zones().find(({ zone }) => zone.id === zoneId);
    if (!found || found.isCarriedOver) return "unknown";
    if (this.#isUnread(found.zone)) this.#unreadMs.set(zoneId, clock.monotonicMs());
    const unreadMs = this.#unreadMs.get(zoneId);
    if (unreadMs === undefined) return found.contact;
    const reading = zoneService.monitor.lastReading(zoneId);
    // A reading that differs from the contact is still being debounced.
    if (!reading || reading.atMs <= unreadMs || reading.contact !== found.contact) return "unknown";
    this.#unreadMs.delete(zoneId);
    return found.contact;
  }

  #isUnread(zone: Zone): boolean {
    const { health, zoneService } = this.#parts;
    const { id, input } = zone;
    if (zoneService.faults.isUnread(zone)) return true;
    if (input.source === "gpio")
      return health.isOpen("gpio-unavailable", input.chip) || health.isOpen("gpio-line-failed", id);
    return input.source === "mqtt" && WITHOUT_BROKER.some((code) => health.isOpen(code));
  }
}
