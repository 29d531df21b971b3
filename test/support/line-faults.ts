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
  "the connection is reset before the request is forwarded": ({ near }) => void near.resetAndDestroy(),
  "the connection is reset during the request": async (exchange) => {
    await exchange.carryPart(Math.floor(exchange.bytes.length * 0.9));
    exchange.near.resetAndDestroy();
  },
  "the connection is reset after the request is applied, before the response": async (exchange) => {
    await exchange.carry();
    exchange.near.resetAndDestroy();
  },
  "the connection is reset during the response": async (exchange) => {
    const answer = await exchange.carry();
    exchange.near.write(answer.subarray(0, Math.floor(answer.length / 2)), () =>
      exchange.near.resetAndDestroy(),
    );
  },
  "the response stalls": async (exchange) => {
    const answer = await exchange.carry();
    exchange.near.write(answer.subarray(0, Math.floor(answer.length / 2)));
    await closed(exchange);
  },
  "the response arrives after the time-out": async (exchange) => {
    const answer = await exchange.carry();
    await pause(TOO_LATE_MS);
    exchange.near.end(answer);
  },
  "the request arrives after the time-out": async (exchange) => {
    await pause(TOO_LATE_MS);
    await exchange.carry();
  },
  "the line is half-open: it takes everything and gives nothing": closed,
  "the request arrives twice in sequence": async (exchange) => {
    const answer = await exchange.carry();
    await exchange.carry();
    exchange.near.end(answer);
  },
  "the request arrives twice concurrently": async (exchange) => {
    const [answer] = await Promise.all([exchange.carry(), exchange.carry()]);
    exchange.near.end(answer);
  },
  "the response is shorter than its Content-Length": async (exchange) => {
    const answer = await exchange.carry();
    exchange.near.end(answer.subarray(0, answer.length - 7));
  },
  "the response is truncated with a matching Content-Length": async (exchange) => {
    const { status, body } = split(await exchange.carry());
    send(exchange, status, "application/json", body.slice(0, -7));
  },
  "a gateway responds with 502 in HTML without forwarding the request": (exchange) =>
    send(exchange, 502, "text/html", SORRY),
  "a gateway responds with 502 in HTML after the request is applied": async (exchange) => {
    await exchange.carry();
    send(exchange, 502, "text/html", SORRY);
  },
  "a gateway responds with 503 in HTML": (exchange) => send(exchange, 503, "text/html", SORRY),
  "a gateway responds with 504 after the request is applied": async (exchange) => {
    await exchange.carry();
    send(exchange, 504, "text/plain", "upstream request timeout");
  },
  "the dispatch centre responds with 500 after the request is applied": async (exchange) => {
    await exchange.carry();
    send(exchange, 500, "application/json", '{"statusCode":500,"message":"Internal Server Error"}');
  },
  "a gateway responds with 403 in HTML": (exchange) => send(exchange, 403, "text/html", "<h1>Forbidden</h1>"),
  "a gateway responds with 404 in HTML": (exchange) => send(exchange, 404, "text/html", "<h1>Not Found</h1>"),
  "the dispatch centre responds with 429 and Retry-After": (exchange) =>
    send(exchange, 429, "application/json", '{"statusCode":429,"message":"Too Many Requests"}', [
      "Retry-After: 1",
    ]),
  "the token is rejected": (exchange) =>
    send(exchange, 401, "application/json", '{"statusCode":401,"message":"Unauthorized"}'),
  "the network redirects to its sign-in page": (exchange) =>
    send(exchange, 302, "text/html", PORTAL, ["Location: http://127.0.0.1:9/sign-in"]),
  "a captive portal responds with 200 in HTML": (exchange) => send(exchange, 200, "text/html", PORTAL),
  "a captive portal responds with 201 in HTML": (exchange) => send(exchange, 201, "text/html", PORTAL),
  "a gateway replaces the record of a 201 by an HTML page": async (exchange) => {
    await exchange.carry();
    send(exchange, 201, "text/html", PORTAL);
  },
  "the response is 200 with the record": async (exchange) => {
    const { body } = split(await exchange.carry());
    send(exchange, 200, "application/json", body);
  },
  "the response is an empty 202": async (exchange) => {
    await exchange.carry();
    send(exchange, 202, "text/plain", "");
  },
  "the response is 201 with an empty JSON body": async (exchange) => {
    await exchange.carry();
    send(exchange, 201, "application/json", "");
  },
  "the response is 201 with JSON without an id": async (exchange) => {
    await exchange.carry();
    send(exchange, 201, "application/json", '{"ok":true}');
  },
  "the response is the record with a text content type": async (exchange) => {
    const { status, body } = split(await exchange.carry());
    send(exchange, status, "text/plain", body);
  },
  "the response is 101 Switching Protocols": ({ near }) =>
    void near.end("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n"),
  "the response is not HTTP": ({ near }) => void near.end(Buffer.from([0, 255, 22, 3, 1, 13, 10, 13, 10, 7])),
  "the response is not HTTP, after the request is applied": async (exchange) => {
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
