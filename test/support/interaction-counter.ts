import type { PanelPage, Part } from "./panel-page.ts";

/* How long a practised thumb takes: Fitts and keystroke-level models give 1.1 to 1.3 s for a target of 44 px with the look
   for it, 0.2 to 0.28 s for a character of a phone keyboard, and less than a second for a swipe. */
const TAP_S = 1.2;
const KEY_S = 0.25;
const SWIPE_S = 0.8;

/** What a part of the work has taken. */
interface Effort {
  readonly work: string;
  taps: number;
  /** Characters written. */
  keys: number;
  /** Screens seen, each time it was opened. */
  screens: number;
}

/** A person's hand on a phone: it taps and writes, and counts what that takes. */
export class InteractionCounter {
  readonly #page: PanelPage;
  readonly efforts: Effort[] = [];
  #screen = "";
  /** Swipes to what is not on the screen. */
  swipes = 0;

  constructor(page: PanelPage) {
    this.#page = page;
  }

  /** Begins the next part of the work. */
  begin(work: string): void {
    this.efforts.push({ work, taps: 0, keys: 0, screens: 0 });
  }

  /** Taps, after a swipe if the part is not on the screen. */
  async tap(part: Part): Promise<void> {
    await part.shown();
    await this.#look();
    this.swipes += await part.swipesTo();
    this.#effort.taps += 1;
    await part.tap();
  }

  /** Counts the screen if it is another one than at the last tap. */
  async #look(): Promise<void> {
    const screen = await this.#page.evaluate<string>("document.querySelector('main').dataset.screen");
    if (screen !== this.#screen) this.#effort.screens += 1;
    this.#screen = screen;
  }

  /** Writes into a field, whose earlier text is selected by two more taps. */
  async write(part: Part, text: string): Promise<void> {
    await this.tap(part);
    if ((await part.value()) !== "") this.#effort.taps += 2;
    this.#effort.keys += text.length;
    await part.fill(text);
  }

  /** Chooses from a list that opens with a tap. */
  async choose(part: Part, value: string): Promise<void> {
    await this.tap(part);
    this.#effort.taps += 1;
    await this.#page.press("Escape");
    await part.choose(value);
  }

  /** Taps outside the page, such as those that accept the certificate. */
  tapsElsewhere(count: number): void {
    this.#effort.taps += count;
  }

  get #effort(): Effort {
    const last = this.efforts.at(-1);
    if (!last) throw new Error("no part of the work has begun");
    return last;
  }

  get taps(): number {
    return this.efforts.reduce((sum, { taps }) => sum + taps, 0);
  }

  get keys(): number {
    return this.efforts.reduce((sum, { keys }) => sum + keys, 0);
  }

  /** Estimated time in seconds, without waiting for the daemon. */
  get seconds(): number {
    return this.taps * TAP_S + this.keys * KEY_S + this.swipes * SWIPE_S;
  }
}
