import { createSocket } from "node:dgram";
import { connect, isIPv6 } from "node:net";
import { FrameReader } from "../../dc09/frame-reader.ts";
import type { Clock } from "../../domain/clock.ts";
import type { ReceiverAddress } from "../../domain/transmitter.ts";

interface ExchangeOptions<Reply> {
  readonly to: ReceiverAddress;
  readonly clock: Clock;
  /** Time for the connection and the reply together. */
  readonly withinMs: number;
  /** Ends the wait. */
  readonly signal: AbortSignal;
  /** Reads the body of a frame. @returns undefined if it does not reply to this message */
  readonly read: (body: Buffer) => Reply | undefined;
}

/** A reply, or why there is none. */
type Exchanged<Reply> =
  | { readonly reply: Reply }
  | { readonly reply: undefined; readonly reason: string; readonly isRefused: boolean };

/** Bytes of one exchange; a reply has less than a hundred. A receiver that sends more sends anything but replies. */
const BYTES_MAX = 8_192;

/** Sends one frame and waits for its reply, over a connection of its own. Never rejects, and never waits longer than asked. */
export function exchange<Reply>(frame: Buffer, options: ExchangeOptions<Reply>): Promise<Exchanged<Reply>> {
  return options.to.transport === "tcp" ? overTcp(frame, options) : overUdp(frame, options);
}

function overTcp<Reply>(frame: Buffer, options: ExchangeOptions<Reply>): Promise<Exchanged<Reply>> {
  const { host, port } = options.to;
  return new Promise((resolve) => {
    const socket = connect(port, host, () => socket.write(frame));
    const conversation = new Conversation(options, (result) => {
      socket.destroy();
      resolve(result);
    });
    socket.on("data", (bytes) => conversation.take(bytes));
    socket.on("error", (error) => conversation.fail(error.message, isRefusal(error)));
    // After the errors: a connection that fails is closed too.
    socket.on("close", () => conversation.fail("it closed the connection without a reply", false));
  });
}

function overUdp<Reply>(frame: Buffer, options: ExchangeOptions<Reply>): Promise<Exchanged<Reply>> {
  const { host, port } = options.to;
  return new Promise((resolve) => {
    const socket = createSocket(isIPv6(host) ? "udp6" : "udp4");
    const conversation = new Conversation(options, (result) => {
      socket.close();
      resolve(result);
    });
    socket.on("error", (error) => conversation.fail(error.message, isRefusal(error)));
    socket.on("message", (bytes) => conversation.take(bytes));
    // Connected: datagrams of other senders are not delivered. Node passes an error of the name or the route to the callback,
    // and emits none.
    socket.connect(port, host, (error?: Error) => {
      if (error) conversation.fail(error.message, isRefusal(error));
      else if (!conversation.isOver) socket.send(frame);
    });
  });
}

/** The end of one exchange, whatever comes first. */
class Conversation<Reply> {
  readonly #options: ExchangeOptions<Reply>;
  readonly #onEnd: (result: Exchanged<Reply>) => void;
  readonly #reader = new FrameReader();
  readonly #cancel: () => void;
  #bytes = 0;
  isOver = false;

  constructor(options: ExchangeOptions<Reply>, onEnd: (result: Exchanged<Reply>) => void) {
    this.#options = options;
    this.#onEnd = onEnd;
    const { clock, withinMs, signal } = options;
    const cancelTimer = clock.after(withinMs, () => this.fail(`no reply within ${withinMs / 1000} s`, false));
    const onAbort = (): void => this.fail("the transmitter stops", false);
    signal.addEventListener("abort", onAbort);
    this.#cancel = () => {
      cancelTimer();
      signal.removeEventListener("abort", onAbort);
    };
  }

  take(bytes: Buffer): void {
    if (this.isOver) return;
    this.#bytes += bytes.length;
    if (this.#bytes > BYTES_MAX) return this.fail(`it sent more than ${BYTES_MAX} bytes`, false);
    // A frame with a wrong checksum is no reply, as for a receiver.
    for (const read of this.#reader.push(bytes)) {
      const reply = "body" in read ? this.#options.read(read.body) : undefined;
      if (reply !== undefined) return this.#end({ reply });
    }
  }

  fail(reason: string, isRefused: boolean): void {
    if (!this.isOver) this.#end({ reply: undefined, reason, isRefused });
  }

  #end(result: Exchanged<Reply>): void {
    this.isOver = true;
    this.#cancel();
    this.#onEnd(result);
  }
}

/** Whether an error shows at once that no process can be reached there, so that a second attempt is useless. */
function isRefusal(error: Error): boolean {
  return ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH", "ENETUNREACH"].includes(
    (error as NodeJS.ErrnoException).code ?? "",
  );
}
