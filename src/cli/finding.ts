/** One thing that was looked at. */
export interface Finding {
  readonly check: string;
  readonly verdict: "well" | "doubt" | "fault";
  readonly text: string;
  /** What mends it. */
  readonly remedy?: string;
}
