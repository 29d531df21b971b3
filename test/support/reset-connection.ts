import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";

/** A port, or the path of a local socket. */
export type ConnectionTarget = { readonly port: number; readonly tls: boolean } | { readonly path: string };

/** Behaviour of a client that resets its connection. */
export interface ResetExchange {
  /** Data to send, in chunks. */
  readonly sent: readonly (string | Uint8Array)[];
  /**
   * When it resets the connection: with the last chunk, with the first byte of a response, or never: then it
   * keeps its half open and reads.
   */
  readonly breaksOff: "with the last piece" | "in the answer" | "never";
}

/**
 * Simulates such a client. Returns when its connection is closed, or, if it never resets, when the server has
 * ended its half.
 */
export async function resetConnection(
  door: ConnectionTarget,
  { sent, breaksOff }: ResetExchange,
): Promise<Socket> {
  const place = "path" in door ? { path: door.path } : { port: door.port, host: "127.0.0.1" };
  const raw = connect({ ...place, allowHalfOpen: true });
  raw.on("error", () => "broken on purpose");
  const gone = new Promise<void>((resolve) => {
    raw.once("close", () => resolve());
  });
  await Promise.race([gone, event(raw, "connect")]);
  const reset = (): void => {
    if ("path" in door) raw.destroy();
    else raw.resetAndDestroy();
  };
  const isTls = "tls" in door && door.tls;
  if (isTls && sent.length === 0) {
    // During the handshake: the first bytes of a ClientHello (RFC 8446, 4.1.2).
    raw.write(Buffer.from("160301020001", "hex"), reset);
    await gone;
    return raw;
  }
  const socket = isTls ? connectTls({ socket: raw, rejectUnauthorized: false }) : raw;
  socket.on("error", () => "broken on purpose");
  if (isTls) await Promise.race([gone, event(socket, "secureConnect")]);
  const answered = event(socket, "data");
  const ended = event(socket, "end");
  for (const piece of sent) await new Promise<void>((resolve) => void socket.write(piece, () => resolve()));
  if (breaksOff === "never") {
    await Promise.race([gone, ended]);
    return raw;
  }
  if (breaksOff === "in the answer") await Promise.race([gone, answered, ended]);
  reset();
  await gone;
  return raw;
}

function event(socket: Socket, name: string): Promise<void> {
  return new Promise((resolve) => {
    socket.once(name, () => resolve());
  });
}
