import type { PanelPage, Part } from "./panel-page.ts";

/* How long a practised thumb takes: Fitts and keystroke-level models give 1.1 to 1.3 s for a target of 44 px with the look
   for it, 0.2 to 0.28 s for a character of a phone keyboard, and less than a second for a swipe. */
const TAP_S = 1.2;
const KEY_S = 0.25;
const SWIPE_S = 0.8;

/** A person's hand on a phone: it taps and writes, and counts what that takes. */
export class InteractionCounter {
  readonly #page: PanelPage;
  taps = 0;
  keys = 0;
  /** Swipes to what is not on the screen. */
  swipes = 0;

  constructor(page: PanelPage) {
    this.#page = page;
  }

  /** Taps, after a swipe if the part is not on the screen. */
  async tap(part: Part): Promise<void> {
    await part.shown();
    this.swipes += await part.swipesTo();
    this.taps += 1;
    await part.tap();
  }

  /** Writes into a field, whose earlier text is selected by two more taps. */
  async write(part: Part, text: string): Promise<void> {
    await this.tap(part);
    if ((await part.value()) !== "") this.taps += 2;
    this.keys += text.length;
    await part.fill(text);
  }

  /** Chooses from a list that opens with a tap. */
  async choose(part: Part, value: string): Promise<void> {
    await this.tap(part);
    this.taps += 1;
    await this.#page.press("Escape");
    await part.choose(value);
  }

  /** Taps outside the page, such as those that accept the certificate. */
  tapsElsewhere(count: number): void {
    this.taps += count;
  }

  /** Estimated time in seconds, without waiting for the daemon. */
  get seconds(): number {
    return this.taps * TAP_S + this.keys * KEY_S + this.swipes * SWIPE_S;
  }
}
