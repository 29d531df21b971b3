import { gateStateOf } from "../../domain/gate.ts";
import { alarmPanelName } from "../../domain/alarm-panel-name.ts";
import type { Zone } from "../../domain/zone.ts";
import type { ZoneContext } from "../zone-context.ts";
import type { ZoneEngine } from "../zone-engine.ts";
import type { ZoneMessages } from "../zone-messages.ts";
import type { AlarmPanelEvent } from "./alarm-panel-code.ts";
import type { AlarmPanelReports } from "./alarm-panel-reports.ts";
import { ArmedPartitions } from "./armed-partitions.ts";
import { hasSeveralPlaces, isOfPartition, zonesOfNumber } from "./alarm-panel-zones.ts";
import type { OpenNumbers } from "./open-numbers.ts";
import { siaMeaning } from "./sia-code.ts";

interface AlarmPanelChangesOptions extends Pick<ZoneContext, "journal" | "log" | "conditions" | "record"> {
  readonly monitor: ZoneEngine;
  readonly reports: AlarmPanelReports;
  readonly openNumbers: OpenNumbers;
  /** Keeps the last event of each zone. */
  readonly messages?: ZoneMessages;
}

/** What an event changes: `contacts` are the zones that it opens or restores. */
export interface PlannedEvent {
  readonly event: AlarmPanelEvent;
  readonly contacts: readonly Zone[];
}

/** Whether an event disarms. @returns undefined for one that neither arms nor disarms */
export function isDisarming({ meaning, change }: AlarmPanelEvent): boolean | undefined {
  if (meaning?.what !== "arming") return undefined;
  return change !== "restored" && meaning.isAlwaysArmed !== true;
}

/** Unknown codes with a condition of their own; further ones share one and are in the event log. */
const UNKNOWN_CODES_MAX = 32;
const FURTHER_CODES = "#";

/** Applies events of alarm panels to zones, gates and reports, in the caller's transaction. */
export class AlarmPanelChanges {
  readonly #options: AlarmPanelChangesOptions;
  readonly #unknownCodes = new Set<string>();
  readonly #armedPartitions: ArmedPartitions;

  constructor(options: AlarmPanelChangesOptions) {
    this.#options = options;
    this.#armedPartitions = new ArmedPartitions(options);
  }

  /** Uses other zones from now on. */
  exchange(zones: readonly Zone[]): void {
    this.#armedPartitions.exchange(zones);
  }

  /** @throws any error of the journal; the message must then be repeated */
  apply(account: string, { event, contacts }: PlannedEvent, zones: readonly Zone[]): void {
    const affected = contacts.filter((zone) => this.#isAffected(zone, account, event));
    for (const zone of affected) {
      this.#options.messages?.take(zone.id, account, textOf(event), false);
      this.#read(zone, event);
    }
    this.#setGates(account, event, zones);
    if (event.change === "restored") this.#end(account, event, zones);
    else if (contacts.length === 0) this.#begin(account, event, zones);
    const isContact = affected.length > 0 && event.meaning !== undefined;
    if (!isContact) this.#options.journal.afterCommit(() => this.#record(account, event));
  }

  #isAffected(zone: Zone, account: string, event: AlarmPanelEvent): boolean {
    if (event.change !== "restored" || !hasSeveralPlaces(zone)) return true;
    return this.#options.openNumbers.isRestoredBy(zone, account, event);
  }

  /**
   * A panel reports events, not levels. Many send no restoral, so a new alarm of an open zone is another trip: what
   * belongs together becomes one incident.
   */
  #read(zone: Zone, event: AlarmPanelEvent): void {
    const { monitor, openNumbers } = this.#options;
    if (event.change === "restored") {
      const isStillOpen = openNumbers.restore(zone, event);
      monitor.read(zone.id, isStillOpen ? "unknown" : "normal", { live: true });
      return;
    }
    const state = monitor.watched().find((watched) => watched.zone.id === zone.id)?.state;
    const isNewAlarm = event.change !== "present";
    // A zone of an unknown state trips too. One that is open is not restored in between.
    if (isNewAlarm && state?.contact === "unknown") monitor.read(zone.id, "normal", { live: false });
    monitor.read(zone.id, "open", { live: true, lateMs: event.lateMs, isNewAlarm });
    openNumbers.open(zone, event, state?.contact === "open");
  }

  /** Whatever else the code means: a zone of openings must not keep the gates from arming. */
  #setGates(account: string, event: AlarmPanelEvent, zones: readonly Zone[]): void {
    const disarms = isDisarming(event);
    if (disarms === undefined) return;
    const isArmed = !disarms;
    this.#options.reports.endAt(account, isArmed ? "closing" : "opening", event);
    for (const [id, partition] of gatesOf(zones, account, event)) {
      const isWhole = partition === undefined;
      const isOpen = isWhole ? this.#armedPartitions.note(id, event, isArmed) : isArmed;
      this.#options.monitor.setGate(id, gateStateOf(isOpen ? "open" : "normal"), { mustStore: true });
    }
  }

  #begin(account: string, event: AlarmPanelEvent, zones: readonly Zone[]): void {
    const { reports } = this.#options;
    const what = event.meaning?.what;
    if (what === "bypass" || what === "trouble") return reports.take(account, what, event);
    const faults = faultsOf(event);
    const ofNumber = numberedZones(zones, account, event);
    for (const fault of faults) this.#setFaults(account, event, ofNumber, fault);
    if (faults.size > 0 && ofNumber.length === 0) reports.take(account, "trouble", event);
  }

  /** Ends faults and reports: a point that is restored has no trouble and is not missing either. */
  #end(account: string, event: AlarmPanelEvent, zones: readonly Zone[]): void {
    const ofNumber = numberedZones(zones, account, event);
    for (const fault of faultsOf(event)) this.#setFaults(account, event, ofNumber, fault);
    this.#options.reports.end(account, event);
  }

  #setFaults(account: string, event: AlarmPanelEvent, zones: readonly Zone[], fault: ZoneFault): void {
    for (const { id } of zones) {
      this.#options.messages?.take(id, account, textOf(event), false);
      this.#setFault(id, fault, event.change !== "restored");
    }
  }

  #setFault(zoneId: string, fault: ZoneFault, isOn: boolean): void {
    const { monitor } = this.#options;
    if (fault === "tamper") monitor.take(zoneId, { kind: "tamper", open: isOn }, { live: true });
    else if (fault === "battery") monitor.take(zoneId, { kind: "battery", low: isOn }, { live: true });
    else monitor.take(zoneId, { kind: "availability", up: !isOn }, { live: true });
  }

  #record(account: string, { code, change, meaning, partition, number, text }: AlarmPanelEvent): void {
    const { record, conditions, log } = this.#options;
    const what = meaning?.what ?? "unknown";
    const detail = { account, code, change, what, partition, number, text };
    log.info("dc09-event", detail);
    record({
      who: "santinela",
      from: "alarm panel",
      event: "alarm-panel-reported",
      subject: alarmPanelName(account),
      detail,
    });
    const subject = `${account} ${code}`;
    if (meaning || this.#unknownCodes.has(subject)) return;
    if (this.#unknownCodes.size >= UNKNOWN_CODES_MAX) {
      const further = `alarm panels have sent more than ${UNKNOWN_CODES_MAX} codes that are not in the standard. Further ones are in the event log only (alarm-panel-reported)`;
      return conditions.raise("alarm-panel-code-unknown", further, FURTHER_CODES);
    }
    this.#unknownCodes.add(subject);
    conditions.raise("alarm-panel-code-unknown", { account, code }, subject);
  }
}

type ZoneFault = "tamper" | "battery" | "supervision";
const ZONE_FAULTS: readonly ZoneFault[] = ["tamper", "battery", "supervision"];

/** The faults of a zone that an event begins, or all that a restoral ends. */
function faultsOf({ meaning, bases }: AlarmPanelEvent): ReadonlySet<ZoneFault> {
  const all = [meaning?.what, ...bases.map((base) => siaMeaning(base)?.meaning.what)];
  return new Set(ZONE_FAULTS.filter((fault) => all.includes(fault)));
}

/** The zones of an event's number; none without one. */
function numberedZones(zones: readonly Zone[], account: string, event: AlarmPanelEvent): readonly Zone[] {
  return (event.number ?? 0) > 0 ? zonesOfNumber(zones, account, event) : [];
}

/** An event in one line: its code, the number of the zone, and the text of the panel. */
function textOf({ code, number, text }: AlarmPanelEvent): string {
  return [code, number ?? "", text].filter((part) => part !== "").join(" ");
}

/** Gates that follow the opening and closing of an account and partition, with their own partition. */
function gatesOf(
  zones: readonly Zone[],
  account: string,
  { partition }: AlarmPanelEvent,
): ReadonlyMap<string, number | undefined> {
  return new Map(
    zones.flatMap(({ gate }) => {
      if (gate.by !== "dc09" || gate.dc09 !== account) return [];
      return isOfPartition(gate.partition, partition) ? [[gate.id, gate.partition] as const] : [];
    }),
  );
}
