import type { BrokerAccount } from "./broker-admission.ts";
import type { BrokerTls } from "./mqtt-readings.ts";
import type { FormerSessions } from "./session-ends.ts";

type Credentials = { readonly credentials?: { readonly username: string; readonly password: string } };

/** Where MQTT readings come from. */
export type MqttSource =
  | { readonly mode: "off" }
  | ({
      readonly mode: "external";
      readonly url: string;
      readonly clientId: string;
      /** Whether the client id is of this run only. */
      readonly isTemporary?: boolean;
      readonly formerSessions?: FormerSessions;
      readonly tls?: BrokerTls;
    } & Credentials)
  | ({
      readonly mode: "built-in";
      readonly host: string;
      readonly port: number;
      /** In addition to the credentials, which may use every topic. */
      readonly accounts?: readonly BrokerAccount[];
    } & Credentials);
