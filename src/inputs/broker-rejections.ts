import type { Socket } from "node:net";
import type { AuthenticateError, Client } from "aedes";
import { shortName, type BrokerLimit, type BrokerLimits } from "./broker-limits.ts";

/** Stored with each message of the client. No known sensor or program uses more than 64 characters. */
const CLIENT_ID_BYTES_MAX = 256;
/** Levels of the topic of a last will; aedes rejects other messages with more by itself. */
const WILL_LEVELS_MAX = 100;
const QOS_MAX = 2;
/** MQTT 3.1.1; MQTT 3.1 has 3. */
const PROTOCOL_VERSION_MAX = 4;
/** CONNACK return codes (MQTT 3.1.1, 3.2.2.3). */
const IDENTIFIER_REJECTED = 2;
const NOT_AUTHORIZED = 5;

/** The properties of a CONNECT that are used here. */
interface ConnectPacket {
  readonly clientId: string;
  readonly clean?: boolean;
  readonly protocolVersion?: number;
}

/** A last will before the client has signed in; the types of aedes leave it out. */
interface BrokerClient extends Pick<Client, "id" | "conn"> {
  readonly _will?: { readonly topic: string; readonly qos: number } | null;
}

/** Clients of the built-in broker that are rejected whatever their password. Conditions name their addresses. */
export class BrokerRejections {
  readonly #limits: Pick<BrokerLimits, "reached">;
  /** Clients that want a persistent session and give no name for it. */
  readonly #nameless = new WeakSet<object>();

  constructor(limits: Pick<BrokerLimits, "reached">) {
    this.#limits = limits;
  }

  /** To be called with each CONNECT. A client with MQTT 5 gets return code 1 from aedes. */
  connecting(client: Pick<Client, "conn">, { clientId, clean, protocolVersion = 0 }: ConnectPacket): void {
    if (clientId === "" && clean !== true) this.#nameless.add(client);
    if (protocolVersion > PROTOCOL_VERSION_MAX)
      this.#report(
        "protocol",
        client,
        "it speaks MQTT 5. Set it to MQTT 3.1.1, or run a separate broker (mqtt.url)",
      );
  }

  /** Why a client is rejected; undefined for one that may sign in. */
  reasonFor(client: BrokerClient): AuthenticateError | undefined {
    const { id, _will: will } = client;
    if (Buffer.byteLength(id) > CLIENT_ID_BYTES_MAX) {
      const why = `its client id has more than ${CLIENT_ID_BYTES_MAX} bytes: it begins with ${JSON.stringify(shortName(id))}`;
      this.#report("client-id", client, `${why}. Give that sensor or program a shorter client id`);
      return rejected("the client id is too long", IDENTIFIER_REJECTED);
    }
    if (this.#nameless.has(client)) {
      const remedy = "Give that sensor or program a client id, or let it begin a clean session";
      this.#report("client-id", client, `it has no client id for its persistent session. ${remedy}`);
      return rejected("the client id is empty", IDENTIFIER_REJECTED);
    }
    const fault = will ? willFault(will.topic, will.qos) : undefined;
    if (fault === undefined) return undefined;
    this.#report("will", client, `${fault}. Correct the last will of that sensor or program`);
    return rejected(fault, NOT_AUTHORIZED);
  }

  #report(limit: BrokerLimit, { conn }: Pick<Client, "conn">, why: string): void {
    const address = (conn as Socket).remoteAddress ?? "";
    this.#limits.reached(limit, { address }, `a client at ${address} was rejected because ${why}.`);
  }
}

/** Unlike other messages, aedes forwards a last will unchecked, also one that no subscriber can be sent. */
function willFault(topic: string, qos: number): string | undefined {
  if (qos > QOS_MAX) return "its last will has QoS 3";
  if (topic === "") return "its last will has no topic";
  if (/[+#]/.test(topic)) return "the topic of its last will has a wildcard";
  return topic.split("/").length > WILL_LEVELS_MAX
    ? `the topic of its last will has more than ${WILL_LEVELS_MAX} levels`
    : undefined;
}

function rejected(
  reason: string,
  returnCode: typeof IDENTIFIER_REJECTED | typeof NOT_AUTHORIZED,
): AuthenticateError {
  // oxlint-disable-next-line typescript/no-unsafe-enum-assignment -- aedes has a const enum, whose values are not exported
  return Object.assign(new Error(reason), { returnCode });
}
