import type { EventFormat } from "./event-code.ts";

/** Where a receiver listens. */
export interface ReceiverAddress {
  readonly host: string;
  readonly port: number;
  readonly transport: "tcp" | "udp";
}

/** How the receiver knows the zones of this site. */
export interface EventNumbering {
  readonly format: EventFormat;
  /** Partition of the zones that are not listed. */
  readonly partition: number;
  readonly zones: readonly {
    readonly zone: string;
    readonly number?: number | undefined;
    readonly partition?: number | undefined;
    /** Three digits of Contact ID, instead of those of the zone's type. */
    readonly code?: string | undefined;
  }[];
}

/** A transmitter to monitoring receivers: the options of `upstreams: [{ dc09: ... }]`. */
export interface TransmitterConfig {
  readonly account: string;
  /** Hexadecimal digits of 16, 24 or 32 bytes; null without encryption. */
  readonly key: string | null;
  /** null: none is sent. */
  readonly receiverNumber: string | null;
  readonly line: string;
  /** The first receiver, then the backup ones, each with the interval of its supervision messages in seconds. */
  readonly receivers: readonly (ReceiverAddress & { readonly pollS: number })[];
  readonly replyS: number;
  /** Interval of the periodic test in hours; 0 for none. */
  readonly testH: number;
  readonly numbering: EventNumbering;
}
