import { createServer, type Server, type Socket } from "node:net";
import { generate, parser, type Packet } from "mqtt-packet";
import { listen } from "../support/loopback.ts";

/** A message that the daemon has acknowledged. */
export interface Taken {
  readonly topic: string;
  readonly payload: string;
  /** Publish time, in real time. */
  readonly saidMs: number;
  readonly takenMs: number;
  /** Sent by the broker because of a subscription. */
  readonly isRetained: boolean;
}

interface Waiting {
  readonly topic: string;
  readonly payload: string;
  readonly saidMs: number;
  readonly isRetained: boolean;
  messageId: number;
  wasSent: boolean;
}

/**
 * A simulated MQTT broker: it keeps the session, the queue and retained messages, repeats unacknowledged
 * messages with DUP, and can be offline. A test publishes the sensor messages.
 */
export class SensorBroker {
  readonly taken: Taken[] = [];
  /** Number of rejected connections since the start of the outage. */
  sentAway = 0;
  isAway = false;
  /** Ignores acknowledgements and loses those in transit: the next connection receives everything again. */
  losesAcks = false;
  subscriptions = 0;
  readonly #now: () => number;
  readonly #server: Server;
  readonly #retained = new Map<string, Waiting>();
  #queue: Waiting[] = [];
  #hasSession = false;
  /** Topics of ended subscriptions. */
  readonly #left = new Set<string>();
  #socket: Socket | undefined;
  #messageId = 0;

  constructor(now: () => number) {
    this.#now = now;
    this.#server = createServer((socket) => this.#connected(socket));
  }

  async start(): Promise<number> {
    return listen(this.#server);
  }

  stop(): void {
    this.#socket?.destroy();
    this.#server.close();
  }

  /** Whether every sent message is acknowledged; messages without a subscriber are not sent. */
  get isIdle(): boolean {
    return this.#queue.every(({ wasSent }) => !wasSent);
  }

  get isConnected(): boolean {
    return this.#socket !== undefined;
  }

  say(topic: string, payload: string, { retain = false, times = 1 } = {}): void {
    const said = { topic, payload, saidMs: this.#now(), isRetained: false, messageId: 0, wasSent: false };
    if (retain) this.#retained.set(topic, said);
    if (this.#left.has(topic)) return;
    for (let time = 0; time < times; time += 1) this.#enqueue({ ...said });
  }

  /** Closes the connection; the session remains. */
  drop(): void {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  #enqueue(waiting: Waiting): void {
    this.#queue.push(waiting);
    this.#send(waiting);
  }

  #send(waiting: Waiting): void {
    if (!this.#socket || !this.#hasSession || this.isAway) return;
    // A repeated message keeps its packet id (MQTT 3.1.1, 4.4).
    if (waiting.messageId === 0) waiting.messageId = this.#messageId = (this.#messageId % 65_000) + 1;
    const { topic, payload, isRetained: retain, wasSent: dup, messageId } = waiting;
    waiting.wasSent = true;
    this.#socket.write(generate({ cmd: "publish", topic, payload, qos: 1, retain, dup, messageId }));
  }

  #connected(socket: Socket): void {
    socket.on("error", () => "the daemon has gone");
    if (this.isAway) {
      this.sentAway += 1;
      socket.destroy();
      return;
    }
    const reader = parser();
    reader.on("packet", (packet: Packet) => this.#read(socket, packet));
    socket.on("data", (data) => reader.parse(data));
    socket.on("close", () => {
      if (this.#socket === socket) this.drop();
    });
    socket.setNoDelay(true);
  }

  #read(socket: Socket, packet: Packet): void {
    if (packet.cmd === "connect") {
      // A client with the same id takes over the session (MQTT 3.1.1, 3.1.4).
      this.#socket?.destroy();
      this.#socket = socket;
      socket.write(generate({ cmd: "connack", returnCode: 0, sessionPresent: this.#hasSession }));
      for (const waiting of this.#queue) this.#send(waiting);
    } else if (socket !== this.#socket) return;
    else if (packet.cmd === "subscribe") this.#subscribed(packet);
    else if (packet.cmd === "unsubscribe") {
      for (const topic of packet.unsubscriptions) this.#left.add(topic);
      socket.write(generate({ cmd: "unsuback", messageId: packet.messageId ?? 0, granted: [] }));
    } else if (packet.cmd === "puback") this.#acknowledged(Number(packet.messageId));
    else if (packet.cmd === "pingreq") socket.write(generate({ cmd: "pingresp" }));
  }

  #subscribed(packet: Extract<Packet, { cmd: "subscribe" }>): void {
    const topics = packet.subscriptions.map(({ topic }) => topic);
    this.#socket?.write(
      generate({ cmd: "suback", messageId: packet.messageId ?? 0, granted: topics.map(() => 1) }),
    );
    if (topics.some((topic) => topic.startsWith("$SYS"))) return;
    const isFirst = !this.#hasSession;
    this.#hasSession = true;
    if (isFirst) for (const waiting of this.#queue) this.#send(waiting);
    for (const topic of topics) {
      this.#left.delete(topic);
      const kept = this.#retained.get(topic);
      if (kept) this.#enqueue({ ...kept, isRetained: true, messageId: 0, wasSent: false });
    }
    this.subscriptions += 1;
  }

  #acknowledged(messageId: number): void {
    if (this.losesAcks) return;
    const waiting = this.#queue.find((each) => each.messageId === messageId);
    if (!waiting) return;
    this.#queue = this.#queue.filter((each) => each !== waiting);
    const { topic, payload, saidMs, isRetained } = waiting;
    this.taken.push({ topic, payload, saidMs, takenMs: this.#now(), isRetained });
  }
}
