import type { Gpio, HomeAssistant, Http, Log, ObjectiveImport, Site, Upstream } from "../generated/types.ts";
import type { Zone } from "../domain/zone.ts";

/** The whole configuration with every default filled in and every path absolute. */
export interface Config {
  /** The file it came from; null for the embedded defaults of a first run. */
  readonly file: string | null;
  readonly dataDir: string;
  readonly site: Required<Site>;
  readonly http: Omit<Required<Http>, "tls"> & { readonly tls: TlsConfig };
  /** null: the daemon stands alone. */
  readonly upstream: UpstreamConfig | null;
  readonly mqtt: MqttConfig;
  readonly homeAssistant: Required<HomeAssistant>;
  readonly gpio: Gpio & { readonly backend: NonNullable<Gpio["backend"]> };
  readonly objectives: ObjectiveImport;
  readonly zones: readonly Zone[];
  readonly log: Required<Log>;
  /** What opens /metrics over the network; null: nothing does. */
  readonly metricsToken: string | null;
  /** What is allowed but probably not meant, as full sentences. */
  readonly warnings: readonly string[];
}

export type TlsConfig =
  | { readonly mode: "off" }
  | { readonly mode: "own" }
  | { readonly mode: "files"; readonly certFile: string; readonly keyFile: string };

export type UpstreamConfig = Required<Omit<Upstream, "passwordFile" | "caFile">> & {
  readonly password: string;
  /** PEM of the only authority that the centre's certificate may be signed by; undefined: the public ones. */
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

/** An account at the built-in broker; without filters it may use every topic. */
export interface MqttAccountConfig extends MqttCredentials {
  readonly publish?: readonly string[];
  readonly subscribe?: readonly string[];
}

/** PEM texts; without `ca` the public authorities are trusted. */
export interface MqttTlsConfig {
  readonly ca?: string;
  readonly cert?: string;
  readonly key?: string;
}

export interface MqttCredentials {
  readonly username: string;
  readonly password: string;
}
