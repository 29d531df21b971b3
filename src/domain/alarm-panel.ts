import { ZONE_KINDS, type ZoneInput, type ZoneKind, type ZoneObjective, type ZoneProfile } from "./zone.ts";

/** One alarm panel of the configuration. */
export interface AlarmPanelAccount {
  /** In capitals. */
  readonly account: string;
  /** Hexadecimal digits of 16, 24 or 32 bytes; null without encryption. */
  readonly key: string | null;
  readonly isPlain: boolean;
  /** Addresses and networks that it may send from; empty for any. */
  readonly from: readonly string[];
  readonly objective: ZoneObjective;
  readonly objectiveName?: string;
  readonly zones: "auto" | "declared";
  /** Seconds without a message until it has a supervision failure; null for no supervision. */
  readonly silenceS: number | null;
  readonly timestamps: "checked" | "ignored";
}

/** Options of the receiver. */
export interface Dc09Source {
  readonly host: string;
  readonly port: number;
  readonly transports: readonly ("tcp" | "udp")[];
  readonly accounts: readonly AlarmPanelAccount[];
  /** Profiles by name, for zones that are created at the first alarm. */
  readonly profiles: Readonly<Record<string, ZoneProfile>>;
}

/** What identifies a zone that was created at its first alarm. */
interface CreatedZone {
  /** In capitals. */
  readonly account: string;
  /** The number that the alarm panel has sent; 0 for none. */
  readonly number: number;
  readonly kind: ZoneKind;
}

/** @returns the id of a created zone, such as `dc09-12ab-4-intrusion` */
export function createdZoneId({ account, number, kind }: CreatedZone): string {
  return `dc09-${account.toLowerCase()}-${number}-${kind}`;
}

/** Whether an id is that of a zone that an account may create. */
export function isCreatedZoneId(id: string, account: string): boolean {
  const number = Number(/-(\d{1,6})-[a-z]+$/.exec(id)?.[1]);
  return ZONE_KINDS.some((kind) => id === createdZoneId({ account, number, kind }));
}

/** Number of the zone that further alarms of an account share once no more zones are created for it. */
export const OTHER_ZONES = 999_999;

/** Whether several numbers of an alarm panel open a zone with this input. */
export function hasSeveralNumbers(input: ZoneInput): boolean {
  return input.source === "dc09" && (input.zone === undefined || input.zone === OTHER_ZONES);
}
