import { connect, type Socket } from "node:net";
import { generate } from "mqtt-packet";

/** A sign-in at a broker on loopback. */
export interface MqttSignIn {
  readonly port: number;
  /** Address of the client; 127.0.0.1 by default. */
  readonly from?: string;
  readonly clientId: string;
  readonly username: string;
  readonly password: string;
}

/** Signs in and disconnects. @returns whether the broker has accepted it */
export async function signsInAt(signIn: MqttSignIn): Promise<boolean> {
  const { socket, isAccepted } = await mqttConnection(signIn);
  socket.destroy();
  return isAccepted;
}

/** A connection that stays open after its sign-in. */
export async function mqttConnection({
  port,
  from = "127.0.0.1",
  clientId,
  username,
  password,
}: MqttSignIn): Promise<{ readonly socket: Socket; readonly isAccepted: boolean }> {
  const socket = connect({ port, host: "127.0.0.1", localAddress: from });
  const answer = new Promise<Buffer>((resolve) => {
    socket.on("error", () => "the broker ends it on purpose");
    socket.once("data", resolve);
    socket.once("close", () => resolve(Buffer.alloc(0)));
  });
  const words = { protocolId: "MQTT", protocolVersion: 4, clean: true, keepalive: 0 } as const;
  socket.write(generate({ cmd: "connect", ...words, clientId, username, password: Buffer.from(password) }));
  // The fourth byte of CONNACK is the return code (MQTT 3.1.1, 3.2.2.3).
  return { socket, isAccepted: (await answer).at(3) === 0 };
}
