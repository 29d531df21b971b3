import type { Gpio, HomeAssistant, Http, Log, ObjectiveImport, Site, Upstream } from "../generated/types.ts";
import type { Dc09Source } from "../domain/alarm-panel.ts";
import type { BrokerAccount, BrokerAddress, BrokerCredentials } from "../domain/mqtt-broker.ts";
import type { OnBatteryConfig } from "../domain/on-battery.ts";
import type { Output } from "../domain/output.ts";
import type { SilenceTimes } from "../domain/site-silence.ts";
import type { TransmitterConfig } from "../domain/transmitter.ts";
import type { Zone } from "../domain/zone.ts";

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
  readonly dc09: Dc09Source | null;
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
  | (BrokerAddress & { readonly mode: "external"; readonly clientId?: string })
  | {
      readonly mode: "built-in";
      readonly host: string;
      readonly port: number;
      readonly credentials?: BrokerCredentials;
      readonly accounts: readonly BrokerAccount[];
    };
