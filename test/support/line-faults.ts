import type { Exchange, Fault } from "./fault-proxy.ts";
import { pause } from "./installation.ts";

/** Response time-out of the site in these tests; the minimum of the configuration. */
export const TIMEOUT_S = 1;
/** Longer than the response time-out. */
const TOO_LATE_MS = TIMEOUT_S * 1000 + 300;

const PORTAL = "<html><title>Guest network</title><body>Please accept our terms of use.</body></html>";
const SORRY = "<html><body><h1>Bad Gateway</h1></body></html>";

/** Faults of a request to the dispatch centre and of its response, by name. */
export const LINE_FAULTS = {
  "the connection is reset before the request has left": ({ near }) => void near.resetAndDestroy(),
  "the connection is reset in the middle of the request": async (exchange) => {
    await exchange.carryPart(Math.floor(exchange.bytes.length * 0.9));
    exchange.near.resetAndDestroy();
  },
  "the connection is reset after the centre has done it, before a byte of the answer": async (exchange) => {
    await exchange.carry();
    exchange.near.resetAndDestroy();
  },
  "the connection is reset in the middle of the answer": async (exchange) => {
    const answer = await exchange.carry();
    exchange.near.write(answer.subarray(0, Math.floor(answer.length / 2)), () =>
      exchange.near.resetAndDestroy(),
    );
  },
  "the answer stalls in the middle": async (exchange) => {
    const answer = await exchange.carry();
    exchange.near.write(answer.subarray(0, Math.floor(answer.length / 2)));
    await closed(exchange);
  },
  "the answer comes when nobody waits for it any more": async (exchange) => {
    const answer = await exchange.carry();
    await pause(TOO_LATE_MS);
    exchange.near.end(answer);
  },
  "the request arrives when nobody waits for its answer any more": async (exchange) => {
    await pause(TOO_LATE_MS);
    await exchange.carry();
  },
  "the line is half-open: it takes everything and gives nothing": closed,
  "the request arrives twice, one after the other": async (exchange) => {
    const answer = await exchange.carry();
    await exchange.carry();
    exchange.near.end(answer);
  },
  "the request arrives twice at the same moment": async (exchange) => {
    const [answer] = await Promise.all([exchange.carry(), exchange.carry()]);
    exchange.near.end(answer);
  },
  "the answer ends before its length": async (exchange) => {
    const answer = await exchange.carry();
    exchange.near.end(answer.subarray(0, answer.length - 7));
  },
  "the answer is cut and its length made to fit": async (exchange) => {
    const { status, body } = split(await exchange.carry());
    send(exchange, status, "application/json", body.slice(0, -7));
  },
  "a gateway answers 502 in HTML without passing the request on": (exchange) =>
    send(exchange, 502, "text/html", SORRY),
  "a gateway answers 502 in HTML after the centre has done it": async (exchange) => {
    await exchange.carry();
    send(exchange, 502, "text/html", SORRY);
  },
  "a gateway answers 503 in HTML": (exchange) => send(exchange, 503, "text/html", SORRY),
  "a gateway answers 504 after the centre has done it": async (exchange) => {
    await exchange.carry();
    send(exchange, 504, "text/plain", "upstream request timeout");
  },
  "the centre fails with 500 after it has done it": async (exchange) => {
    await exchange.carry();
    send(exchange, 500, "application/json", '{"statusCode":500,"message":"Internal Server Error"}');
  },
  "a gateway answers 403 in HTML": (exchange) => send(exchange, 403, "text/html", "<h1>Forbidden</h1>"),
  "a gateway answers 404 in HTML": (exchange) => send(exchange, 404, "text/html", "<h1>Not Found</h1>"),
  "the centre asks for time with 429 and Retry-After": (exchange) =>
    send(exchange, 429, "application/json", '{"statusCode":429,"message":"Too Many Requests"}', [
      "Retry-After: 1",
    ]),
  "the token is not taken": (exchange) =>
    send(exchange, 401, "application/json", '{"statusCode":401,"message":"Unauthorized"}'),
  "the network redirects to its sign-in page": (exchange) =>
    send(exchange, 302, "text/html", PORTAL, ["Location: http://127.0.0.1:9/sign-in"]),
  "a captive portal answers 200 in HTML": (exchange) => send(exchange, 200, "text/html", PORTAL),
  "a captive portal answers 201 in HTML": (exchange) => send(exchange, 201, "text/html", PORTAL),
  "a gateway puts a page in the place of the 201's record": async (exchange) => {
    await exchange.carry();
    send(exchange, 201, "text/html", PORTAL);
  },
  "the answer is 200 with the record": async (exchange) => {
    const { body } = split(await exchange.carry());
    send(exchange, 200, "application/json", body);
  },
  "the answer is 202 and nothing": async (exchange) => {
    await exchange.carry();
    send(exchange, 202, "text/plain", "");
  },
  "the answer is 201 and JSON, but empty": async (exchange) => {
    await exchange.carry();
    send(exchange, 201, "application/json", "");
  },
  "the answer is 201 and JSON without an id": async (exchange) => {
    await exchange.carry();
    send(exchange, 201, "application/json", '{"ok":true}');
  },
  "the answer is called text, but is the record": async (exchange) => {
    const { status, body } = split(await exchange.carry());
    send(exchange, status, "text/plain", body);
  },
  "the answer is 101 Switching Protocols": ({ near }) =>
    void near.end("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"),
  "the answer is no HTTP": ({ near }) => void near.end(Buffer.from([0, 255, 22, 3, 1, 13, 10, 13, 10, 7])),
  "the answer is no HTTP, after the centre has done it": async (exchange) => {
    await exchange.carry();
    exchange.near.end("SSH-2.0-OpenSSH_9.2p1\r\n");
  },
} satisfies Record<string, Fault>;

export type LineFault = keyof typeof LINE_FAULTS;
export const LINE_FAULT_NAMES = Object.keys(LINE_FAULTS) as LineFault[];

/** Waits until the client has closed the connection. */
function closed({ near }: Exchange): Promise<void> {
  return new Promise((resolve) => {
    if (near.destroyed) resolve();
    else near.once("close", () => resolve());
  });
}

function split(answer: Buffer): { status: number; body: string } {
  const text = answer.toString();
  return {
    status: Number(text.split(" ", 2)[1]),
    body: text.slice(text.indexOf("\r\n\r\n") + 4),
  };
}

function send(
  { near }: Exchange,
  status: number,
  type: string,
  body: string,
  headers: readonly string[] = [],
): void {
  const head = [
    `HTTP/1.1 ${status} Answer`,
    `Content-Type: ${type}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    "Connection: close",
    ...headers,
  ];
  near.end(`${head.join("\r\n")}\r\n\r\n${status === 204 ? "" : body}`);
}
