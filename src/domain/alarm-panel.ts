import type { ZoneObjective, ZoneProfile } from "./zone.ts";

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
