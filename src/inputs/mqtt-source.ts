import type { BrokerAccount, BrokerAddress, BrokerCredentials } from "../domain/mqtt-broker.ts";
import type { FilterStore } from "./mqtt-session.ts";
import type { FormerSessions } from "./session-ends.ts";

/** Where MQTT readings come from. */
export type MqttSource =
  | { readonly mode: "off" }
  | (BrokerAddress & {
      readonly mode: "external";
      readonly clientId: string;
      /** Whether the client id is of this run only. */
      readonly isTemporary?: boolean;
      readonly formerSessions?: FormerSessions;
      /** None for a client id of this run only. */
      readonly filterStore?: FilterStore;
    })
  | {
      readonly mode: "built-in";
      readonly host: string;
      readonly port: number;
      readonly credentials?: BrokerCredentials;
      /** In addition to the credentials, which may use every topic. */
      readonly accounts?: readonly BrokerAccount[];
    };
