import type { Contact } from "./zone.ts";

/** What a source says about a zone, after its own words were understood. */
export type ZoneSignal =
  /** `live`: seen happening, not read from what a broker or a line kept. */
  | { readonly kind: "contact"; readonly contact: Contact; readonly live: boolean }
  | { readonly kind: "tamper"; readonly open: boolean }
  | { readonly kind: "battery"; readonly low: boolean }
  /**
   * The sensor's own or its bridge's word on whether it can be heard. `bridge` names the bridge: it is said of every
   * zone behind it, and is one fault.
   */
  | { readonly kind: "availability"; readonly up: boolean; readonly bridge?: string }
  /** A message that says nothing else, and shows that the sensor lives. */
  | { readonly kind: "sign-of-life" };
