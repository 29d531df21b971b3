import type { BrowserContext, Download, Locator, Page } from "playwright-core";
import { eventually } from "./eventually.ts";
import { pause } from "./installation.ts";

/** A name or text: a string stands for exactly these words, a pattern for what it matches. */
export type Words = string | RegExp;

/** Roles that the tests look parts up by. */
type Role = "button" | "cell" | "columnheader" | "heading" | "link" | "listitem" | "option" | "region";

/**
 * A part of the page that must be there once, and nothing but ways of looking and acting that wait for it. How many
 * there are at this moment, or what the first of several says, is not to be had: that depends on the browser's speed.
 */
export class Part {
  readonly #locator: Locator;

  constructor(locator: Locator) {
    this.#locator = locator;
  }

  button(name: Words): Part {
    return this.#role("button", name);
  }

  /** The button of that name once it is pressed. */
  pressedButton(name: Words): Part {
    return new Part(this.#locator.getByRole("button", { name, exact: true, pressed: true }));
  }

  link(name: Words): Part {
    return this.#role("link", name);
  }

  heading(name: Words): Part {
    return this.#role("heading", name);
  }

  region(name: Words): Part {
    return this.#role("region", name);
  }

  /** The row whose cells, one after the other, match. */
  row(cells: RegExp): Part {
    return new Part(this.#locator.getByRole("row", { name: cells }));
  }

  cell(text: Words): Part {
    return this.#role("cell", text);
  }

  columnHeader(name: Words): Part {
    return this.#role("columnheader", name);
  }

  listItem(text: RegExp): Part {
    return new Part(this.#locator.getByRole("listitem").filter({ hasText: text }));
  }

  image(name: Words): Part {
    return new Part(this.#locator.getByRole("img", { name, exact: true }));
  }

  /** The field with that label. */
  field(label: string): Part {
    return new Part(this.#locator.getByLabel(label, { exact: true }));
  }

  /** The field that a form sends under that name, in whatever language its label is. */
  input(name: string): Part {
    return new Part(this.#locator.locator(`[name="${name}"]`));
  }

  /** The choice of that name in a list that drops down: never seen by itself, so it is there or not. */
  option(name: string): Part {
    return this.#role("option", name);
  }

  text(text: Words): Part {
    return new Part(this.#locator.getByText(text, { exact: true }));
  }

  /** A word with the sign of how it stands before it, which is not part of the word. */
  badge(word: string): Part {
    const escaped = word.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
    return new Part(this.#locator.locator(".badge").filter({ hasText: new RegExp(`^\\S ${escaped}$`) }));
  }

  /** By the markup, for what has no name of its own. */
  markup(selector: string): Part {
    return new Part(this.#locator.locator(selector));
  }

  /** The part that both look-ups find. */
  and(other: Part): Part {
    return new Part(this.#locator.and(other.#locator));
  }

  /** Waits until it is seen. @throws when it is not, or when there is more than one */
  async shown(): Promise<void> {
    await this.#locator.waitFor();
  }

  /** Waits until it is there, seen or not. */
  async present(): Promise<void> {
    await this.#locator.waitFor({ state: "attached" });
  }

  /** Waits until it is there no more. What has not been there yet is not there either: see `Screen.without`. */
  async gone(): Promise<void> {
    await this.#locator.waitFor({ state: "detached" });
  }

  /** Waits until the field holds this. */
  async holds(value: string): Promise<void> {
    await eventually(`a field with ${value}`, async () => (await this.#locator.inputValue()) === value);
  }

  /** Its words, once it is there. */
  async words(): Promise<string> {
    return this.#locator.innerText();
  }

  /** One of its attributes, once it is there. */
  async attribute(name: string): Promise<string | null> {
    return this.#locator.getAttribute(name);
  }

  async click(): Promise<void> {
    await this.#locator.click();
  }

  async fill(text: string): Promise<void> {
    await this.#locator.fill(text);
  }

  /** Chooses by the value that the form sends. */
  async choose(value: string): Promise<void> {
    await this.#locator.selectOption(value);
  }

  async check(): Promise<void> {
    await this.#locator.check();
  }

  async setFile(path: string): Promise<void> {
    await this.#locator.setInputFiles(path);
  }

  async hasFocus(): Promise<boolean> {
    return (await this.#locator.and(this.#locator.page().locator(":focus")).count()) > 0;
  }

  #role(role: Role, name: Words): Part {
    return new Part(this.#locator.getByRole(role, { name, exact: true }));
  }
}

/** A screen of the panel: what it finds is on this screen, and never on the one that is just going away. */
export class Screen extends Part {
  /** Behind `#/`. */
  readonly address: string;
  readonly #complete: Part;

  constructor(page: Page, address: string) {
    const main = `main[data-screen="${address}"]`;
    super(page.locator(main));
    this.address = address;
    this.#complete = new Part(page.locator(`${main}[aria-busy=false]`));
  }

  /** Waits until every answer that the screen has asked for is on it. */
  async complete(): Promise<void> {
    await this.#complete.present();
  }

  /** Waits until the screen is complete and does not have this part. */
  async without(part: Part): Promise<void> {
    await this.complete();
    await part.gone();
    // It has not gone with the screen.
    await this.complete();
  }
}

/** A tab of a browser before the panel. Every look at it goes through a screen or a part of the frame. */
export class PanelPage {
  readonly #page: Page;
  readonly #address: string;

  private constructor(page: Page, address: string) {
    this.#page = page;
    this.#address = address;
  }

  /** @param address where the panel is, with a slash at the end */
  static async in(context: BrowserContext, address: string): Promise<PanelPage> {
    const page = await context.newPage();
    if (SLOWDOWN > 1) await slowDown(page);
    return new PanelPage(page, address);
  }

  /** Asks for the panel, or for one of its screens, and gives the screen. */
  async open(screen: string): Promise<Screen> {
    await this.#page.goto(`${this.#address}#/${screen}`);
    return this.screen(screen);
  }

  /** Asks for the panel without saying which screen. */
  async openFirst(): Promise<void> {
    await this.#page.goto(this.#address);
  }

  /** @param address behind `#/`, such as `interventions/1/edit`; `sign-in`, `first-start`, `first-password` outside */
  screen(address: string): Screen {
    return new Screen(this.#page, address);
  }

  /** Waits for a screen whose address was not known before, such as that of a record that is just being saved. */
  async arrival(address: RegExp): Promise<Screen> {
    const found = await eventually(`a screen at ${address}`, async () => {
      const shown = await this.#page.locator("main").getAttribute("data-screen");
      return shown !== null && address.test(shown) ? shown : undefined;
    });
    return this.screen(found);
  }

  /** Chooses a screen in the menu as a person does, by its name in their language. */
  async follow(name: string): Promise<void> {
    await this.menu.link(name).click();
  }

  get menu(): Part {
    return new Part(this.#page.getByRole("navigation"));
  }

  /** The frame's head: whose site it is, and whether what is seen is fresh. */
  get banner(): Part {
    return new Part(this.#page.getByRole("banner"));
  }

  /** What the panel says about the person's last action. */
  get notice(): Part {
    return new Part(this.#page.locator(".notice"));
  }

  /** The band over every screen while a walk test runs. */
  get walkBanner(): Part {
    return new Part(this.#page.locator("section.banner"));
  }

  dialog(name: Words): Part {
    return new Part(this.#page.getByRole("dialog", { name, exact: true }));
  }

  /** The one dialog that is open, in whatever language it speaks. */
  get openDialog(): Part {
    return new Part(this.#page.locator("dialog[open]"));
  }

  /** @param language `RO` or `EN` */
  async speak(language: string): Promise<void> {
    await this.banner.button(language).click();
    await this.banner.pressedButton(language).shown();
  }

  async press(key: string): Promise<void> {
    await this.#page.keyboard.press(key);
  }

  async type(text: string): Promise<void> {
    await this.#page.keyboard.type(text);
  }

  async reload(): Promise<void> {
    await this.#page.reload();
  }

  async close(): Promise<void> {
    await this.#page.close();
  }

  /** The file that an action hands over. */
  async downloaded(action: () => Promise<void>): Promise<Download> {
    const saving = this.#page.waitForEvent("download");
    await action();
    return saving;
  }

  /** Waits until an action has made the page give up a request that ends in this path. */
  async givesUp(path: string, action: () => Promise<void>): Promise<void> {
    const given = this.#page.waitForEvent("requestfailed", (request) => request.url().endsWith(path));
    await action();
    await given;
  }

  /** Runs a program of the test's own in the page; for looking at the panel there are screens. */
  async evaluate<T>(program: string): Promise<T> {
    return this.#page.evaluate<T>(program);
  }

  /** Another pair of eyes: colours and width in pixels. */
  async look(colorScheme: "light" | "dark", width: number): Promise<void> {
    await this.#page.emulateMedia({ colorScheme });
    await this.#page.setViewportSize({ width, height: 800 });
  }
}

/**
 * BROWSER_SLOWDOWN=6 makes the browser six times as slow and holds each request up for a random time, so that answers
 * come in another order than they were asked for: what passes only at this machine's speed fails.
 */
const SLOWDOWN = Number(process.env["BROWSER_SLOWDOWN"] ?? 1);
/** A request waits so long at the most, for each time that the browser is slower. */
const HOLD_UP_MS = 50;

async function slowDown(page: Page): Promise<void> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send("Emulation.setCPUThrottlingRate", { rate: SLOWDOWN });
  page.setDefaultTimeout(30_000 * SLOWDOWN);
  await page.route("**/*", async (route) => {
    await pause(Math.random() * HOLD_UP_MS * SLOWDOWN);
    // The page may be gone meanwhile.
    await route.continue().catch(() => undefined);
  });
}
