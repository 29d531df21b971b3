import type { Router } from "express";
import type { Config } from "../config/config.ts";
import { isoTime } from "../domain/clock.ts";
import type { Transmission } from "../domain/transmission.ts";
import type { AuthGuards } from "../http/auth-guards.ts";
import { addResource, idFromPath, json } from "../http/resource.ts";
import type { TransmissionStore } from "../store/transmissions.ts";
import type { SiteApi } from "./site-api.ts";
import type { MonitoringView, ReceiverJourneyView, TransmissionView } from "./transmission-view.ts";

/** Route of the events of an intervention, and what the monitoring receivers have acknowledged. */
export function monitoringRoutes(
  router: Router,
  guards: AuthGuards,
  monitoring: SiteApi["monitoring"],
): void {
  addResource(router, "/site/interventions/:id/transmissions", guards.signedIn, {
    get: json((request) => monitoring.ofRecord(idFromPath(request, "intervention"))),
  });
}

interface SiteMonitoringParts {
  readonly config: Pick<Config, "upstreams">;
  /** On a read-only connection. */
  readonly transmissions: TransmissionStore;
}

/** Reads what the transmitter has stored. */
export class SiteMonitoring {
  readonly #parts: SiteMonitoringParts;

  constructor(parts: SiteMonitoringParts) {
    this.#parts = parts;
  }

  /** Null without a monitoring receiver. */
  state(): MonitoringView | null {
    const { config, transmissions } = this.#parts;
    const [transmitter] = config.upstreams;
    if (!transmitter) return null;
    const { waiting, oldestWaitingMs } = transmissions.summary();
    return {
      account: transmitter.account,
      waiting,
      oldestWaitingAt: oldestWaitingMs === null ? null : isoTime(oldestWaitingMs),
      receivers: transmissions
        .links()
        .map(({ address, state, sinceMs, reason }) => ({ address, state, since: isoTime(sinceMs), reason })),
    };
  }

  /** The events of an intervention, oldest first; at most two hundred. */
  ofRecord(interventionId: number): TransmissionView[] {
    return this.#parts.transmissions.ofRecord(interventionId).map(viewOf);
  }

  /** How far the events of an intervention have come; null if none is for a receiver. */
  journey(interventionId: number): ReceiverJourneyView | null {
    const beginnings = this.#parts.transmissions
      .ofRecord(interventionId)
      .filter(({ change }) => change === "new");
    const [first] = beginnings;
    if (!first) return null;
    const open = beginnings.find(({ state }) => state === "waiting");
    const { acknowledgedAt, acknowledgedBy } = viewOf(first);
    return {
      state: open?.state ?? first.state,
      acknowledgedAt,
      acknowledgedBy,
      attempts: open?.attempts ?? 0,
    };
  }
}

function viewOf({ zoneId: zone, acknowledgedMs, ...transmission }: Transmission): TransmissionView {
  const { id, change, data, sequence, state, attempts, lastError, acknowledgedBy } = transmission;
  const acknowledgedAt = acknowledgedMs === null ? null : isoTime(acknowledgedMs);
  return { id, zone, change, data, sequence, state, attempts, lastError, acknowledgedAt, acknowledgedBy };
}
