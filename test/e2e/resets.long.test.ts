import { join } from "node:path";
import { connectAsync } from "mqtt";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { Trip } from "../../src/domain/trip.ts";
import { AlarmPanel } from "../support/alarm-panel.ts";
import { askDaemon } from "../support/control-socket.ts";
import { eventually } from "../support/eventually.ts";
import { buildingsYaml, Installation, seededRandom } from "../support/installation.ts";
import { freePort } from "../support/loopback.ts";
import { resetConnection, type ResetExchange, type ConnectionTarget } from "../support/reset-connection.ts";
import { processOf, socketsOf } from "../support/resource-use.ts";

/*
 * Clients that reset connections at every stage of an exchange, at every port of the built daemon. A reset at
 * an unlucky time crashes a process if a socket has no error listener. The time varies between runs, so each
 * case is repeated.
 */

const YAML = "gpio: { backend: simulated }\nmqtt: { listen: { port: 0 } }\n";
const PANEL = "1234";
const AT_ONCE = 24;
const ROUNDS = 3;

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "BREW"];
const UPGRADE = "Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n";

/** Complete requests in chunks, between which a client may reset. */
const REQUESTS: readonly (readonly string[])[] = [
  ...METHODS.flatMap((method) => {
    const target = method === "CONNECT" ? "example.org:443" : "/site/status";
    const head = [
      "",
      `${method} ${target.slice(0, 4)}`,
      `${target.slice(4)} HTTP/1.1\r\n`,
      "Host: local",
      "host\r\n",
    ];
    return [
      [...head, "\r\n"],
      [...head, "Expect: 100-continue\r\nContent-Length: 9\r\n", "\r\n", '{"a":', '"b"}'],
      [
        ...head,
        "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n",
        '5\r\n{"a":',
        "\r\n",
        "0\r\n\r\n",
      ],
      [...head, UPGRADE, "\r\n", "\x81\x85\x00\x00\x00\x00hello"],
    ];
  }),
  // Pipelined, the last one of another type.
  ...["GET / HTTP/1.1", "CONNECT x:443 HTTP/1.1", `GET / HTTP/1.1\r\n${UPGRADE.trim()}`, "no HTTP"].map(
    (last) => [
      "GET / HTTP/1.1\r\nHost: localhost\r\n\r\nGET /site/metrics HTTP/1.1\r\nHost: localhost\r\n\r\n",
      `${last}\r\nHost: localhost\r\n\r\n`,
      "GET / HTTP/1.1\r\n\r\n",
    ],
  ),
  ["CONNECT x:443 HTTP/1.1\r\n\r\n", "x".repeat(100_000)],
  ["\x16\x03\x01\x02\x00\x01", "\x00".repeat(64)],
  [`GET /${"x".repeat(70_000)} HTTP/1.1\r\n`, "\r\n"],
];

/** MQTT packets of a client that connects, subscribes, publishes and leaves without DISCONNECT. */
const MQTT: readonly Uint8Array[] = [
  "",
  // CONNECT with a will, clean session (MQTT 3.1.1, 3.1).
  "101700044d5154540406003c",
  "0001610003742f77000477696c6c00",
  "8209000100042f742f2301",
  "320900042f742f61000278",
  "340900042f742f61000378",
  "c000",
  // An unknown packet type, and a remaining length without end (2.2.3).
  "f0ffffffffff",
].map((hex) => Buffer.from(hex, "hex"));

/** Each way to reset each of these requests. */
function exchangesOf(requests: readonly (readonly (string | Uint8Array)[])[]): ResetExchange[] {
  return requests.flatMap((pieces) => [
    { sent: [], breaksOff: "with the last piece" as const },
    ...pieces.map((_piece, index) => ({
      sent: pieces.slice(0, index + 1),
      breaksOff: "with the last piece" as const,
    })),
    { sent: pieces, breaksOff: "in the answer" as const },
    // In one segment, so that the server reads everything before the reset.
    {
      sent: [Buffer.concat(pieces.map((piece) => Buffer.from(piece)))],
      breaksOff: "with the last piece" as const,
    },
  ]);
}

function shuffled<T>(all: readonly T[], seed: number): T[] {
  const random = seededRandom(seed);
  return all
    .map((item) => ({ item, place: random() }))
    .toSorted((a, b) => a.place - b.place)
    .map(({ item }) => item);
}

async function breakOffAll(door: ConnectionTarget, exchanges: readonly ResetExchange[]): Promise<void> {
  const left = Array.from({ length: ROUNDS }, (_, round) => shuffled(exchanges, round)).flat();
  const client = async (): Promise<void> => {
    for (let next = left.pop(); next; next = left.pop()) await resetConnection(door, next);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, client));
}

const installation = Installation.temporary(afterAll);

describe.each([
  ["without encryption", false],
  ["with TLS", true],
])("a daemon %s", (_what, tls) => {
  const name = tls ? "tls" : "plain";
  let daemon: DaemonProcess;
  let pid: number;
  let sockets: number;
  let doors: Readonly<Record<"network" | "broker" | "control socket" | "alarm panels", ConnectionTarget>>;
  let panel: AlarmPanel;
  const dataDir = (): string => join(installation.folder, name);

  beforeAll(async () => {
    const panelPort = await freePort();
    panel = new AlarmPanel({
      account: PANEL,
      port: () => panelPort,
      wallMs: () => Date.now(),
      replyWithinMs: 2_000,
    });
    daemon = installation.daemon(
      name,
      `http: { port: 0, tls: ${tls ? "own" : "off"} }\n${YAML}${buildingsYaml(1)}` +
        `dc09: { port: ${panelPort}, accounts: [ { account: "${PANEL}", plain: true, from: [127.0.0.1], ` +
        "objective: { type: obiective/cladiri, id: 1 } } ] }\n",
    );
    const { httpPort, mqttPort } = await daemon.start();
    if (mqttPort === undefined) throw new Error("the daemon has no broker");
    doors = {
      network: { port: httpPort, tls },
      broker: { port: mqttPort, tls: false },
      "control socket": { path: join(dataDir(), "control.sock") },
      "alarm panels": { port: panelPort, tls: false },
    };
    pid = processOf(join(installation.folder, `${name}.yaml`)) ?? 0;
    await askDaemon(dataDir(), "GET", "/site/status");
    sockets = socketsOf(pid);
  });

  /** The same process runs, responds, and holds no connection of the closed clients. */
  async function isAsBefore(): Promise<void> {
    expect((await askDaemon(dataDir(), "GET", "/site/status")).status).toBe(200);
    expect(processOf(join(installation.folder, `${name}.yaml`))).toBe(pid);
    await eventually(`no more than ${sockets} sockets`, () => socketsOf(pid) <= sockets);
  }

  test.each(["network", "control socket"] as const)(
    "responds after clients of its %s have reset connections at every stage",
    async (door) => {
      await breakOffAll(doors[door], exchangesOf(REQUESTS));
      await isAsBefore();
    },
    120_000,
  );

  test("receives messages after sensors of its broker have reset connections at every stage", async () => {
    await breakOffAll(doors.broker, exchangesOf([MQTT, MQTT.toReversed(), ...REQUESTS.slice(0, 2)]));
    await isAsBefore();
    const { port } = doors.broker as { port: number };
    const sensor = await connectAsync(`mqtt://127.0.0.1:${port}`, {}, false);
    await sensor.publishAsync("hall", "ON", { qos: 1 });
    await sensor.endAsync();
  }, 120_000);

  test("acknowledges an alarm once after alarm panels have reset connections in and after frames", async () => {
    // Supervision only: an alarm that was sent completely is one, whether or not its panel has waited for the reply.
    const whole = panel.frame("NULL", "", "0000");
    const parts = [whole.subarray(0, 1), whole.subarray(1, 9), whole.subarray(9, -1), whole.subarray(-1)];
    const damaged = Buffer.from(panel.frame("ADM-CID", `#${PANEL}|1130 01 009`, "0009"));
    damaged.write("x", 20);
    await breakOffAll(
      doors["alarm panels"],
      exchangesOf([
        parts,
        [whole, whole.subarray(0, 20)],
        [damaged, parts[0] as Buffer],
        ...REQUESTS.slice(0, 2),
      ]),
    );
    await isAsBefore();
    // The account has ten messages a second; the panel repeats an alarm until it is acknowledged.
    expect(await panel.report("1130 01 004")).toBe(true);
    const trips = async (): Promise<readonly Trip[]> =>
      (await daemon.get<readonly Trip[]>("/site/trips?limit=100")).filter(({ type }) => type === "trip");
    expect(await eventually("its trip", async () => (await trips()).length > 0 && trips())).toHaveLength(1);
  }, 120_000);

  test("closes the connection of a client that requests a tunnel and keeps its own half open", async () => {
    const held = await Promise.all(
      (["network", "control socket"] as const).map((door) =>
        resetConnection(doors[door], { sent: ["CONNECT x:443 HTTP/1.1\r\n\r\n"], breaksOff: "never" }),
      ),
    );
    await isAsBefore();
    for (const socket of held) socket.destroy();
  });

  test("stops in order while clients hold idle connections", async () => {
    const { network } = doors;
    if (!("port" in network)) throw new Error("the network side has a port");
    const silent = { port: network.port, tls: false };
    const held = resetConnection(silent, { sent: [""], breaksOff: "never" });
    await askDaemon(dataDir(), "GET", "/site/status");
    await daemon.end("SIGTERM");
    (await held).destroy();
  });
});
