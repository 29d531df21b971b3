import { CLASS_OF_KIND } from "../../domain/incident.ts";
import { foreignName } from "../../domain/single-line.ts";
import type { Locale } from "../../domain/trip-text.ts";
import { resolveZone } from "../../domain/zone-rules.ts";
import type { Zone, ZoneKind, ZoneProfile } from "../../domain/zone.ts";
import type { CreatedAlarmPanelZone } from "../../store/alarm-panels.ts";
import type { Journal } from "../../store/journal.ts";
import {
  createdZoneId,
  hasSeveralNumbers,
  OTHER_ZONES,
  type AlarmPanelAccount,
} from "../../domain/alarm-panel.ts";
import type { AlarmPanelEvent } from "./alarm-panel-code.ts";

/** Zones created for one account; further alarms share one zone. An installation has 512 zones. */
const CREATED_PER_ACCOUNT_MAX = 64;
/** Characters of a panel's text in a zone's name, which has 100 at most. */
const TEXT_MAX = 60;

interface AlarmPanelZonesOptions {
  readonly accounts: readonly AlarmPanelAccount[];
  readonly profiles: Readonly<Record<string, ZoneProfile>>;
  readonly locale: Locale;
  readonly journal: Pick<Journal, "alarmPanels">;
}

type AlarmPanelZone = Zone & { readonly input: Extract<Zone["input"], { source: "dc09" }> };

/** Which zones an event of an alarm panel concerns, and the zones that were created at their first alarm. */
export class AlarmPanelZones {
  readonly #options: AlarmPanelZonesOptions;
  readonly #accounts: ReadonlyMap<string, AlarmPanelAccount>;

  constructor(options: AlarmPanelZonesOptions) {
    this.#options = options;
    this.#accounts = new Map(options.accounts.map((panel) => [panel.account, panel]));
  }

  /**
   * The created zones of accounts that still exist.
   * @param declared zones of the configuration, which replace created ones with the same number and class
   */
  created(declared: readonly Zone[]): Zone[] {
    return this.#options.journal.alarmPanels.zones().flatMap((row) => {
      const zone = this.#zoneOf(row);
      const isReplaced =
        zone === undefined ||
        declared.some(({ id }) => id === zone.id) ||
        declared.filter(isAlarmPanelZone).some((other) => isSameZone(other, zone));
      return isReplaced ? [] : [zone];
    });
  }

  /** Creates the zone of an alarm, in a transaction of its own. @returns undefined for an unknown profile */
  create(
    { account }: AlarmPanelAccount,
    kind: ZoneKind,
    { number, text }: AlarmPanelEvent,
  ): Zone | undefined {
    const { alarmPanels } = this.#options.journal;
    const own = alarmPanels.zones().filter((zone) => zone.account === account);
    const isFull = own.length >= CREATED_PER_ACCOUNT_MAX;
    const row = {
      account,
      kind,
      number: isFull ? OTHER_ZONES : (number ?? 0),
      name: this.#nameOf(account, isFull ? OTHER_ZONES : (number ?? 0), isFull ? "" : text),
    };
    const zone = this.#zoneOf(row);
    if (zone) alarmPanels.addZone(row);
    return zone;
  }

  #zoneOf({ account, number, kind, name }: CreatedAlarmPanelZone): Zone | undefined {
    const { profiles } = this.#options;
    const panel = this.#accounts.get(account);
    if (!panel) return undefined;
    const { objective, objectiveName } = panel;
    const id = createdZoneId({ account, number, kind });
    const options = { id, name, kind, objective, input: { dc09: account, zone: number } };
    return resolveZone(options, new Map(Object.entries(profiles)), objectiveName);
  }

  #nameOf(account: string, number: number, text: string): string {
    const clean = foreignName(text, TEXT_MAX);
    if (clean !== "") return `${clean} (${account}/${number})`;
    const isRomanian = this.#options.locale === "ro";
    const panel = isRomanian ? `Centrala ${account}` : `Alarm panel ${account}`;
    if (number === 0) return panel;
    if (number === OTHER_ZONES) return isRomanian ? `${panel}, alte zone` : `${panel}, other zones`;
    return isRomanian ? `${panel}, zona ${number}` : `${panel}, zone ${number}`;
  }
}

/**
 * Zones that an event opens or restores: those with its code in `codes`, otherwise those of its number and class. A restoral may end
 * what has opened the one and what has opened the other.
 */
export function contactsOf(zones: readonly Zone[], account: string, event: AlarmPanelEvent): Zone[] {
  const own = zones.filter(isAlarmPanelZone).filter(({ input }) => isFrom(input, account, event));
  const codes = [event.code, ...event.bases];
  const byCode = own.filter(({ input }) => input.codes?.some((code) => codes.includes(code)) === true);
  if (byCode.length > 0 && event.change !== "restored") return byCode;
  const byNumber = ofClass(own, event);
  // Where each partition numbers its own zones, the created one is of another partition than the declared one.
  const hasOwn = byNumber.some(
    ({ input }) => input.partition !== undefined && input.partition === event.partition,
  );
  return [...byCode, ...(hasOwn ? byNumber.filter((zone) => !isCreated(zone)) : byNumber)];
}

/** A created zone has no partition; a configured one may keep its id and get one. */
function isCreated({ id, kind, input }: AlarmPanelZone): boolean {
  return (
    input.partition === undefined &&
    id === createdZoneId({ account: input.dc09, number: input.zone ?? 0, kind })
  );
}

function ofClass(zones: readonly AlarmPanelZone[], { meaning }: AlarmPanelEvent): AlarmPanelZone[] {
  const ofNumber = zones.filter(({ input }) => input.codes === undefined);
  if (meaning?.what === "tamper") return ofNumber.filter(({ kind }) => kind === "tamper");
  if (meaning?.what !== "alarm") return [];
  return ofNumber.filter(
    ({ kind }) => kind !== "tamper" && CLASS_OF_KIND[kind] === CLASS_OF_KIND[meaning.kind],
  );
}

/** Zones of the event's number with any type: for faults, and for alarms of another class without a zone of its own. */
export function zonesOfNumber(zones: readonly Zone[], account: string, event: AlarmPanelEvent): Zone[] {
  return zones
    .filter(isAlarmPanelZone)
    .filter(({ input }) => input.codes === undefined && isFrom(input, account, event));
}

/** Zones of an event's class or code that several numbers share, such as the one for alarms once no more zones are created. */
export function sharedZoneOf(zones: readonly Zone[], account: string, event: AlarmPanelEvent): Zone[] {
  return contactsOf(zones, account, { ...event, number: OTHER_ZONES });
}

/** Whether several numbers, or one number in several partitions, open a zone. */
export function hasSeveralPlaces(zone: Zone): boolean {
  return hasSeveralNumbers(zone.input) || (isAlarmPanelZone(zone) && zone.input.partition === undefined);
}

function isAlarmPanelZone(zone: Zone): zone is AlarmPanelZone {
  return zone.input.source === "dc09";
}

function isFrom(
  input: AlarmPanelZone["input"],
  account: string,
  { partition, number }: AlarmPanelEvent,
): boolean {
  const isNumber = input.zone === undefined || input.zone === (number ?? 0);
  return input.dc09 === account && isOfPartition(input.partition, partition) && isNumber;
}

/**
 * Whether an event concerns a partition of the configuration. 00 says that none applies (DC-05, 2.1), as of panels that have no
 * partitions.
 */
export function isOfPartition(
  configured: number | undefined,
  reported: AlarmPanelEvent["partition"],
): boolean {
  return configured === undefined || reported === null || reported === 0 || configured === reported;
}

function isSameZone(zone: AlarmPanelZone, created: Zone): boolean {
  if (!isAlarmPanelZone(created) || zone.input.codes !== undefined) return false;
  const isSame = zone.input.dc09 === created.input.dc09 && zone.input.zone === created.input.zone;
  const isTamper = (kind: ZoneKind): boolean => kind === "tamper";
  return (
    isSame &&
    isTamper(zone.kind) === isTamper(created.kind) &&
    CLASS_OF_KIND[zone.kind] === CLASS_OF_KIND[created.kind]
  );
}
