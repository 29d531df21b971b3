import { createSocket } from "node:dgram";
import { connect } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { framed } from "./alarm-panel-connection.ts";

/*
 * A process of its own: hundreds of connections that send what the receiver must reject. It prints a line once all have
 * begun, and one with the number of messages at SIGTERM.
 *   node hostile-alarm-panels.js <port> <account with a key> <account without one>
 */

/** Twice as many as the receiver keeps open. */
const CONNECTIONS = 500;
/** Messages a second of all connections together, a fifth of them again as datagrams. */
const PER_SECOND = 2_000;
/** How often those that are due are sent, milliseconds. */
const TICK_MS = 5;
/** Until a connection that was closed is opened again. */
const AGAIN_MS = 200;

const [, , receiverPort, encrypted = "", plain = ""] = process.argv;
const port = Number(receiverPort);

/** In turn: a wrong key, an unknown account, a wrong time, a wrong checksum, no key, a wrong format, and no frame at all. */
const MESSAGES: readonly Buffer[] = [
  framed(`"*ADM-CID"0001L0#${encrypted}[${"5A".repeat(64)}`),
  framed('"ADM-CID"0002L0#DEAD[#DEAD|1130 01 001]'),
  framed(`"ADM-CID"0003L0#${plain}[#${plain}|1130 01 001]_00:00:00,01-01-2001`),
  Buffer.from(`\n00000027"NULL"0000L0#${plain}[]_00:00:00,01-01-2001\r`),
  framed(`"ADM-CID"0004L0#${encrypted}[#${encrypted}|1130 01 001]`),
  framed(`"ACR-SF"0005L0#${plain}[#${plain}|99]`),
  Buffer.alloc(256, '\n0000"A'),
];

let sent = 0;
let begun = 0;
process.on("SIGTERM", () => {
  process.stdout.write(`sent ${sent}\n`);
  process.exit(0);
});

/** One connection, opened again whenever it is closed. @returns a function that sends its next message */
function hostile(index: number): () => void {
  let turn = index;
  let write: (bytes: Buffer) => void = () => {};
  const open = (): void => {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true }, () => {
      begun += 1;
      if (begun === CONNECTIONS) process.stdout.write("begun\n");
      write = (bytes) => void socket.write(bytes);
    });
    socket.resume();
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      write = () => {};
      void delay(AGAIN_MS).then(open);
    });
  };
  open();
  return () => {
    const bytes = MESSAGES[turn % MESSAGES.length];
    turn += 1;
    if (bytes) write(bytes);
  };
}

const senders = Array.from({ length: CONNECTIONS }, (_, index) => hostile(index));
const datagrams = createSocket("udp4");
const startMs = performance.now();
for (;;) {
  const due = Math.floor(((performance.now() - startMs) / 1000) * PER_SECOND);
  for (; sent < due; sent += 1) {
    senders[sent % CONNECTIONS]?.();
    const message = MESSAGES[sent % MESSAGES.length];
    if (sent % 5 === 0 && message) datagrams.send(message, port, "127.0.0.1");
  }
  await delay(TICK_MS);
}
