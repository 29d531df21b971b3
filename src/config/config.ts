import type {
  Dc09Account,
  Gpio,
  HomeAssistant,
  Http,
  Log,
  MonitoringReceiver,
  ObjectiveImport,
  Site,
  TransmittedZone,
  Upstream,
} from "../generated/types.ts";
import type { OnBatteryConfig } from "../domain/on-battery.ts";
import type { Output } from "../domain/output.ts";
import type { SilenceTimes } from "../domain/site-silence.ts";
import type { Zone, ZoneProfile } from "../domain/zone.ts";

/** The whole configuration with all defaults and absolute paths. */
export interface Config {
  /** Its file; null for the embedded configuration of a first run. */
  readonly file: string | null;
  readonly role: "site" | "centre";
  readonly dataDir: string;
  readonly site: Required<Site>;
  readonly http: Omit<Required<Http>, "tls"> & { readonly tls: TlsConfig };
  /** null: standalone. */
  readonly upstream: UpstreamConfig | null;
  /** Transmitters to monitoring receivers; none or one. */
  readonly upstreams: readonly TransmitterConfig[];
  readonly mqtt: MqttConfig;
  readonly homeAssistant: Required<HomeAssistant>;
  readonly gpio: Gpio & { readonly backend: NonNullable<Gpio["backend"]> };
  /** null: off. */
  readonly dc09: Dc09Config | null;
  readonly outputs: readonly Output[];
  /** null: the machine is never powered off. */
  readonly onBattery: OnBatteryConfig | null;
  readonly objectives: ObjectiveImport;
  readonly zones: readonly Zone[];
  readonly log: Required<Log>;
  /** Token for /metrics over the network; null: no access over the network. */
  readonly metricsToken: string | null;
  /** The sites that report to this daemon. */
  readonly fleet: SilenceTimes;
  /** PostgreSQL of a dispatch centre; null: SQLite in the data directory. */
  readonly database: DatabaseConfig | null;
  /** Valid settings that are probably unintended. */
  readonly warnings: readonly string[];
}

/** How a dispatch centre reaches its PostgreSQL. */
export interface DatabaseConfig {
  /** `postgres://…`; undefined to use libpq's environment. */
  readonly url: string | undefined;
  /** Undefined for one in the URL or the environment, or for none. */
  readonly password: string | undefined;
  /** PEM of the only certificate authority accepted for it, with which TLS is required; undefined: as the URL or the environment says. */
  readonly ca: string | undefined;
}

export type TlsConfig =
  | { readonly mode: "off" }
  | { readonly mode: "own" }
  | { readonly mode: "files"; readonly certFile: string; readonly keyFile: string };

export type UpstreamConfig = Required<Omit<Upstream, "passwordFile" | "caFile" | "phone" | "reportS">> & {
  /** Undefined if it is not configured. */
  readonly phone?: string;
  /** Interval of the site's reports, seconds; 0 for none. */
  readonly reportS: number;
  readonly password: string;
  /** PEM of the only certificate authority accepted for the dispatch centre; undefined: the public authorities. */
  readonly ca: string | undefined;
};

export type MqttConfig =
  | { readonly mode: "off" }
  | {
      readonly mode: "external";
      readonly url: string;
      readonly clientId?: string;
      readonly credentials?: MqttCredentials;
      readonly tls?: MqttTlsConfig;
    }
  | {
      readonly mode: "built-in";
      readonly host: string;
      readonly port: number;
      readonly credentials?: MqttCredentials;
      readonly accounts: readonly MqttAccountConfig[];
    };

/** Account at the built-in broker; without filters it may use all topics. */
export interface MqttAccountConfig extends MqttCredentials {
  readonly publish?: readonly string[];
  readonly subscribe?: readonly string[];
}

/** PEM texts; without `ca` the public certificate authorities are trusted. */
export interface MqttTlsConfig {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

/** A transmitter to monitoring receivers, as the sync takes it. */
export interface TransmitterConfig {
  readonly account: string;
  /** Hexadecimal digits of 16, 24 or 32 bytes; null without encryption. */
  readonly key: string | null;
  /** null: none is sent. */
  readonly receiverNumber: string | null;
  readonly line: string;
  readonly receivers: readonly (Required<Omit<MonitoringReceiver, "pollS">> & { readonly pollS: number })[];
  readonly replyS: number;
  readonly testH: number;
  readonly numbering: {
    readonly format: "contact-id" | "sia";
    readonly partition: number;
    readonly zones: readonly TransmittedZone[];
  };
}

/** The receiver for alarm panels. */
export interface Dc09Config {
  readonly host: string;
  readonly port: number;
  readonly transports: readonly ("tcp" | "udp")[];
  readonly accounts: readonly Dc09AccountConfig[];
  /** Profiles by name, for zones that are created at the first alarm. */
  readonly profiles: Readonly<Record<string, ZoneProfile>>;
}

export type Dc09AccountConfig = Pick<Dc09Account, "objective"> &
  Required<Pick<Dc09Account, "account" | "zones" | "timestamps">> & {
    /** Hexadecimal digits of 16, 24 or 32 bytes; null without encryption. */
    readonly key: string | null;
    readonly isPlain: boolean;
    /** Addresses and networks; empty for any. */
    readonly from: readonly string[];
    /** null: no supervision. */
    readonly silenceS: number | null;
    readonly objectiveName?: string;
  };

export interface MqttCredentials {
  readonly username: string;
  readonly password: string;
}
