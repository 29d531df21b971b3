import type { Contact } from "./zone.ts";

/** Interpreted signal of a source about a zone. */
export type ZoneSignal =
  /**
   * `live`: a new reading, not a retained message. `occasion`: for an opening, the value that identifies its event, if the
   * zone has an option for it.
   */
  | {
      readonly kind: "contact";
      readonly contact: Contact;
      readonly live: boolean;
      readonly occasion?: string;
    }
  | { readonly kind: "tamper"; readonly open: boolean }
  | { readonly kind: "battery"; readonly low: boolean }
  /**
   * Availability of the sensor, as reported by itself or its bridge. `bridge` is the name of an unavailable bridge: it
   * concerns all zones behind it, and is one fault.
   */
  | { readonly kind: "availability"; readonly up: boolean; readonly bridge?: string }
  /** A message without other information, which shows that the sensor works. */
  | { readonly kind: "sign-of-life" };

/** Context of a reading. */
export interface ReadingContext {
  /** False for a value that may be old, such as a retained message. */
  readonly live: boolean;
  /** Monotonic time of the reading, if known more exactly than by its arrival. */
  readonly atMs?: number | undefined;
}
