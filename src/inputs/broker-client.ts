import type { Duplex } from "node:stream";
import type { IClientOptions, MqttClient } from "mqtt";
import type { Clock } from "../domain/clock.ts";
import { OversizedPayloads } from "./oversized-payloads.ts";

/** `connect` of mqtt.js, which is loaded when it is needed. */
export type Connect = (url: string, options: IClientOptions) => MqttClient;

/** Over WebSocket the library assembles each of its messages; beyond this size it ends the connection. */
const WEBSOCKET_MESSAGE_BYTES_MAX = 16 * 1024 * 1024;
/** While a payload is left out, the broker cannot answer a ping; each of these bytes shows that it is there. */
const PING_EVERY_BYTES = 64 * 1024;
/** MQTT 3.1.1, 3.14. */
const DISCONNECT = Buffer.from([0xe0, 0]);
const DISCONNECT_MS_MAX = 1_000;

/**
 * A client of a broker, not connected, that never assembles a packet over the limit: mqtt.js itself would accept 256 MiB.
 * @param packetBytesMax messages over it arrive without their payload, see `leftOutBytes`; 256 KiB by default
 */
export function clientOf(
  connect: Connect,
  url: string,
  options: IClientOptions,
  packetBytesMax?: number,
): MqttClient {
  const wsOptions = { maxPayload: WEBSOCKET_MESSAGE_BYTES_MAX };
  const client = connect(url, { ...options, wsOptions, manualConnect: true });
  const open = client.connect.bind(client);
  // Also called by mqtt.js for each reconnection. The new connection has received nothing yet.
  client.connect = () => {
    open();
    limitPackets(client, new OversizedPayloads(packetBytesMax));
    return client;
  };
  return client;
}

/**
 * Says that the client leaves, and waits up to a second until the broker has ended the connection. By then it has read
 * every acknowledgement; those of a connection that is cut may be lost.
 */
export async function disconnect({ stream }: MqttClient, clock: Clock): Promise<void> {
  await new Promise<void>((resolve) => {
    const cancel = clock.after(DISCONNECT_MS_MAX, resolve);
    stream.once("close", () => {
      cancel();
      resolve();
    });
    stream.end(DISCONNECT);
  });
}

/**
 * Ends a client and its reconnection. If mqtt.js is ended during a connection attempt (`manualConnect`), the close of
 * that attempt would start another one, with the client id that the next daemon uses.
 */
export async function endWithoutReconnect(client: MqttClient): Promise<void> {
  client.options.reconnectPeriod = 0;
  await client.endAsync(true).catch(() => "it has ended already");
}

function limitPackets(client: MqttClient, payloads: OversizedPayloads): void {
  const stream: Pick<Duplex, "push" | "destroy"> = client.stream;
  const push = stream.push.bind(stream);
  let leftOut = 0;
  stream.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
    if (!(chunk instanceof Uint8Array)) return push(chunk, encoding);
    let parts: readonly Uint8Array[];
    try {
      parts = payloads.take(chunk);
    } catch (error) {
      stream.destroy(error as Error);
      return false;
    }
    leftOut = payloads.isLeavingOut ? leftOut + chunk.byteLength : 0;
    if (leftOut >= PING_EVERY_BYTES && client.connected) {
      leftOut = 0;
      client.reschedulePing(true);
      client.sendPing();
    }
    // Without any bytes, an empty chunk makes the stream read on.
    let hasRoom = parts.length > 0 || push(Buffer.alloc(0));
    for (const part of parts) hasRoom = push(part);
    return hasRoom;
  };
}
