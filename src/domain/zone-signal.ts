import type { Contact } from "./zone.ts";

/** What a source says about a zone, after its own words were understood. */
export type ZoneSignal =
  /**
   * `live`: seen happening, not read from what a broker or a line kept. `occasion`: of an opening, what identifies the
   * event that it is part of, where the zone says where that is.
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
   * The sensor's own or its bridge's word on whether it can be heard. `bridge` names the bridge: it is said of every
   * zone behind it, and is one fault.
   */
  | { readonly kind: "availability"; readonly up: boolean; readonly bridge?: string }
  /** A message that says nothing else, and shows that the sensor lives. */
  | { readonly kind: "sign-of-life" };

/** How a contact was seen. */
export interface ReadingContext {
  /** False for a value that may be old, such as a retained message. */
  readonly live: boolean;
  /** Monotonic moment of it, where that is known better than by when it arrives. */
  readonly atMs?: number | undefined;
}
