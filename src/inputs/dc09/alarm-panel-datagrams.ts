import type { Socket } from "node:dgram";
import { FrameReader, type FrameRead } from "../../dc09/frame-reader.ts";
import { REJECTED_MAX } from "./alarm-panel-connections.ts";
import type { IntakeResult } from "./alarm-panel-intake.ts";
import type { AlarmPanelRejections } from "./alarm-panel-rejections.ts";

/** A datagram has one frame, of at most 4,105 bytes. */
const DATAGRAM_BYTES_MAX = 8_192;
/** Datagrams that are processed at once; further ones are dropped, and their panels send again. */
const DATAGRAMS_MAX = 256;

interface AlarmPanelDatagramsOptions {
  readonly take: (read: FrameRead, address: string) => Promise<IntakeResult>;
  readonly refusals: AlarmPanelRejections;
  /** Whether a socket is still in use. */
  readonly isOpen: (socket: Socket) => boolean;
}

/** Datagrams of alarm panels. */
export class AlarmPanelDatagrams {
  readonly #options: AlarmPanelDatagramsOptions;
  #pending = 0;

  constructor(options: AlarmPanelDatagramsOptions) {
    this.#options = options;
  }

  /** Processes the frames of one datagram, until as many are rejected as end a connection. */
  async answer(
    socket: Socket,
    bytes: Buffer,
    { address, port }: { readonly address: string; readonly port: number },
  ): Promise<void> {
    const { take, refusals, isOpen } = this.#options;
    // UDP allows it for a sender that expects no reply (RFC 768), and a socket cannot send to it.
    if (port === 0) return refusals.note("source-port", "", address);
    if (bytes.length > DATAGRAM_BYTES_MAX) return refusals.note("too-long", "", address);
    if (this.#pending >= DATAGRAMS_MAX) return refusals.note("rate", "", address);
    this.#pending += 1;
    let rejected = 0;
    try {
      for (const read of new FrameReader().push(bytes)) {
        const { isRejected, reply } = await take(read, address);
        if (reply && isOpen(socket))
          socket.send(reply, port, address, () => "a lost reply causes a repetition");
        if (isRejected) rejected += 1;
        if (rejected >= REJECTED_MAX) return;
      }
    } finally {
      this.#pending -= 1;
    }
  }
}
