// Floods of the HTTPS listener by strangers from addresses of their own. Each runs until its process ends.
import { connect as connectTcp } from "node:net";
import { connect as connectTls } from "node:tls";
import { pauseMs } from "./raw-client.mjs";

/** More than the connections of a daemon, so that each new one meets the limit. */
const HELD = 400;
const AT_ONCE = 32;
/** Another loopback address than that of the users. */
const STRANGER = "127.0.0.66";
/** A connection that stays longer is given up: the daemon closes silent ones after at most 45 s. */
const HELD_MS = 60_000;

/** The start of a TLS 1.2 and 1.3 handshake record: handshake, version, length 512, ClientHello, length 508. */
const HELLO_START = Buffer.from([22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3]);

/** Complete handshakes, one after the other on each of 32 lines. */
export function tlsHandshakes(order) {
  return lines(AT_ONCE, () => overTls(order, {}, (socket) => socket.destroy()));
}

/** More connections than the daemon has, which begin a handshake and never go on. */
export function tlsUnfinished(order) {
  return lines(HELD, () => overTcp(order, (socket) => socket.write(HELLO_START)));
}

/** Connections that send nothing, and connections that send one byte of a handshake every tenth of a second. */
export function tlsDrops(order) {
  return lines(HELD, (number) =>
    overTcp(order, async (socket) => {
      if (number % 2 === 0) return;
      for (let at = 0; !socket.closed; at += 1) {
        socket.write(HELLO_START.subarray(at % HELLO_START.length, (at % HELLO_START.length) + 1));
        await pauseMs(100);
      }
    }),
  );
}

/** TLS 1.2 handshakes that are begun again and again on the same connection. */
export function tlsRenegotiation(order) {
  return lines(AT_ONCE, () =>
    overTls(order, { maxVersion: "TLSv1.2" }, (socket) => {
      const again = (error) => void (error ? socket.destroy() : socket.renegotiate({}, again));
      again(null);
    }),
  );
}

/** Requests that never end, with one byte in each TLS record. */
export function tlsTinyRecords(order) {
  return lines(AT_ONCE, () =>
    overTls(order, {}, async (socket) => {
      socket.setNoDelay(true);
      socket.write("GET / HTTP/1.1\r\nX-Endless: ");
      while (!socket.closed && socket.writable) {
        for (let number = 0; number < 64; number += 1) socket.write("x");
        await turn();
      }
    }),
  );
}

/** Bytes that are no handshake, and server names that no certificate has. */
export function tlsNonsense(order) {
  return lines(AT_ONCE, (number, round) => {
    const kind = (number + round) % 4;
    if (kind === 0) return overTls(order, { servername: `${"x".repeat(60)}.`.repeat(4) }, destroyed);
    const bytes = [
      Buffer.from("GET / HTTP/1.1\r\nHost: x\r\n\r\n"),
      Buffer.concat([HELLO_START, Buffer.alloc(600, round)]),
      Buffer.alloc(70_000, round),
    ];
    return overTcp(order, (socket) => socket.end(bytes[kind - 1]));
  });
}

/** Clients that end their side after the handshake and keep the other one open. */
export function tlsHalfClosed(order) {
  return lines(HELD, () => overTls(order, { allowHalfOpen: true }, (socket) => socket.end()));
}

/** Resets at every stage: before the first byte, within the handshake, after it. */
export function tlsResets(order) {
  return lines(AT_ONCE, (number, round) => {
    const stage = (number + round) % 3;
    if (stage === 2) return overTls(order, {}, (_, line) => line.resetAndDestroy());
    return overTcp(order, (socket) => {
      if (stage === 1) socket.write(HELLO_START);
      socket.resetAndDestroy();
    });
  });
}

/** Plain requests on more connections than the daemon has. */
export function plainRequests(order) {
  const text = "GET /interventii HTTP/1.1\r\nHost: localhost\r\n\r\n";
  return lines(HELD, () => overTcp(order, (socket) => socket.write(text)));
}

/** Bodies without an account in chunks of one byte, which are never complete. */
export function tinyChunks(order) {
  const headers = "Host: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked";
  const text = `POST /auth/token HTTP/1.1\r\n${headers}\r\n\r\n${"1\r\nx\r\n".repeat(100_000)}`;
  return lines(AT_ONCE, () => overTcp(order, (socket) => socket.write(text)));
}

/** Repeats something on a number of lines. */
async function lines(number, play) {
  const line = async (_, index) => {
    for (let round = 0; ; round += 1) {
      await play(index, round);
      await turn();
    }
  };
  await Promise.all(Array.from({ length: number }, line));
}

function overTcp({ httpPort, count }, play) {
  const socket = connectTcp({ port: httpPort, host: "127.0.0.1", localAddress: STRANGER });
  return ended(socket, "connect", play, count);
}

function overTls({ httpPort, count }, options, play) {
  const { allowHalfOpen = false, ...more } = options;
  const line = connectTcp({ port: httpPort, host: "127.0.0.1", localAddress: STRANGER, allowHalfOpen });
  line.on("error", () => "the daemon cuts it on purpose");
  const socket = connectTls({ socket: line, rejectUnauthorized: false, allowHalfOpen, ...more });
  socket.once("close", () => line.destroy());
  line.once("close", () => socket.destroy());
  return ended(socket, "secureConnect", () => play(socket, line), count);
}

/** Plays on a connection and resolves when it has ended, or has stayed too long. */
function ended(socket, opened, play, count) {
  socket.on("error", () => "the daemon cuts it on purpose");
  socket.resume();
  return new Promise((resolve) => {
    const giveUp = setTimeout(() => socket.destroy(), HELD_MS);
    socket.once("close", () => {
      clearTimeout(giveUp);
      resolve();
    });
    socket.once(opened, () => {
      count();
      void play(socket);
    });
  });
}

function destroyed(socket) {
  socket.destroy();
}

function turn() {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
