import type { BrowserContext, Download, Locator, Page } from "playwright-core";
import { eventually } from "./eventually.ts";
import { pause } from "./installation.ts";

/** A name or text: a string matches exactly, a pattern as usual. */
export type Words = string | RegExp;

/** Roles used by the look-ups. */
type Role = "button" | "cell" | "columnheader" | "heading" | "link" | "listitem" | "option" | "region";

/**
 * A part of the page that must exist exactly once; every method waits for it. There is no count and no "first of
 * several", because these depend on the speed of the browser.
 */
export class Part {
  readonly #locator: Locator;

  constructor(locator: Locator) {
    this.#locator = locator;
  }

  button(name: Words): Part {
    return this.#role("button", name);
  }

  /** The button of that name, when pressed. */
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

  /** The row whose joined cell texts match. */
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

  /** The field with this label. */
  field(label: string): Part {
    return new Part(this.#locator.getByLabel(label, { exact: true }));
  }

  /** The field with this form name, independent of the language. */
  input(name: string): Part {
    return new Part(this.#locator.locator(`[name="${name}"]`));
  }

  /** An option of a drop-down list; it is present, never visible. */
  option(name: string): Part {
    return this.#role("option", name);
  }

  text(text: Words): Part {
    return new Part(this.#locator.getByText(text, { exact: true }));
  }

  /** A badge by its text, or the label of live updates. */
  badge(text: string): Part {
    const escaped = text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");
    return new Part(this.#locator.locator(".badge, .live").filter({ hasText: new RegExp(`^${escaped}$`) }));
  }

  /** The tile of a zone, by its name. */
  tile(name: string): Part {
    return new Part(this.#locator.locator(".tile").filter({ hasText: name }));
  }

  /** By CSS selector, for parts without an accessible name. */
  markup(selector: string): Part {
    return new Part(this.#locator.locator(selector));
  }

  /** The part found by both look-ups. */
  and(other: Part): Part {
    return new Part(this.#locator.and(other.#locator));
  }

  /** Waits until it is visible. @throws if it is not, or if there is more than one */
  async shown(): Promise<void> {
    await this.#waited("visible");
  }

  /** Waits until it is in the page, visible or not. */
  async present(): Promise<void> {
    await this.#waited("attached");
  }

  /** Waits until it is not in the page; also true before it appears, see `Screen.without`. */
  async gone(): Promise<void> {
    await this.#waited("detached");
  }

  /** Waits until it is not visible, in the page or not; also true before it appears: wait for another part first. */
  async hidden(): Promise<void> {
    await this.#waited("hidden");
  }

  /** Waits until the field has this value. */
  async holds(value: string): Promise<void> {
    await eventually(`a field with ${value}`, async () => (await this.#locator.inputValue()) === value);
  }

  /** Whether it is visible now, for a decision; `shown`, `hidden` and `gone` wait. */
  async isShown(): Promise<boolean> {
    return this.#locator.isVisible();
  }

  /** Waits until a press would reach it: it is in front of every dialog. */
  async inFront(): Promise<void> {
    await this.#locator.click({ trial: true });
  }

  /** Its text. */
  async words(): Promise<string> {
    return this.#locator.innerText();
  }

  /** One of its attributes. */
  async attribute(name: string): Promise<string | null> {
    return this.#locator.getAttribute(name);
  }

  async click(): Promise<void> {
    await this.#locator.click();
  }

  async doubleClick(): Promise<void> {
    await this.#locator.dblclick();
  }

  /** A press with a finger; the context has to have touch. */
  async tap(): Promise<void> {
    await this.#locator.tap();
  }

  /** How many swipes bring it onto the screen of a phone; 0 if it is there. */
  async swipesTo(): Promise<number> {
    const box = await this.#locator.boundingBox();
    const { height } = this.#locator.page().viewportSize() ?? { height: 0 };
    if (!box || height === 0) return 0;
    const far = Math.max(-box.y, box.y + box.height - (height - BAR_PX));
    return Math.max(0, Math.ceil(far / (height * SWIPE)));
  }

  async fill(text: string): Promise<void> {
    await this.#locator.fill(text);
  }

  /** The value of a field. */
  async value(): Promise<string> {
    return this.#locator.inputValue();
  }

  /** Selects an option by its form value. */
  async choose(value: string): Promise<void> {
    await this.#locator.selectOption(value);
  }

  async check(): Promise<void> {
    await this.#locator.check();
  }

  async setFile(path: string): Promise<void> {
    await this.#locator.setInputFiles(path);
  }

  /** What an expression gives in the page, where it is `part`; waits until it is in the page. @throws if there is more than one */
  async evaluate<T>(expression: string): Promise<T> {
    // oxlint-disable-next-line typescript/no-implied-eval -- it runs in the page, which has no types here
    const program = new Function("part", `return (${expression});`) as (part: unknown) => T;
    return this.#locator.evaluate(program);
  }

  async hasFocus(): Promise<boolean> {
    return (await this.#locator.and(this.#locator.page().locator(":focus")).count()) > 0;
  }

  /** @throws with the text of the page, which says more than the time */
  async #waited(state: "visible" | "hidden" | "attached" | "detached"): Promise<void> {
    try {
      await this.#locator.waitFor({ state });
    } catch (error) {
      const body = this.#locator.page().locator("body");
      const text = await body.innerText({ timeout: 1_000 }).catch(() => "cannot be read");
      if (error instanceof Error)
        error.message += `\nThe page: ${text.replaceAll(/\s+/g, " ").slice(0, PAGE_TEXT_MAX)}`;
      throw error;
    }
  }

  #role(role: Role, name: Words): Part {
    return new Part(this.#locator.getByRole(role, { name, exact: true }));
  }
}

/** Height of the bottom bar of a phone, which covers what is behind it. */
const BAR_PX = 61;
/** Of the text of a page in an error. */
const PAGE_TEXT_MAX = 3_000;
/** Part of the screen that a swipe moves. */
const SWIPE = 0.75;

/** A screen of the panel; look-ups never match the previous screen. */
export class Screen extends Part {
  /** Address after `#/`. */
  readonly address: string;
  readonly #complete: Part;

  constructor(page: Page, address: string) {
    const main = `main[data-screen="${address}"]`;
    super(page.locator(main));
    this.address = address;
    this.#complete = new Part(page.locator(`${main}[aria-busy=false]`));
  }

  /** Waits until all queries of the screen are answered. */
  async complete(): Promise<void> {
    await this.#complete.present();
  }

  /** What an expression gives for the complete screen, which is `part`; the rest of the page is its `ownerDocument`. */
  override async evaluate<T>(expression: string): Promise<T> {
    return this.#complete.evaluate<T>(expression);
  }

  /** Waits until the screen is complete and does not have this part. */
  async without(part: Part): Promise<void> {
    await this.complete();
    await part.gone();
    // The screen itself is still there.
    await this.complete();
  }
}

/** Responses that the daemon has given and the page has not received. */
export interface HeldResponses {
  /** Waits until there is one. */
  readonly held: () => Promise<unknown>;
  /** How many responses there were until now. */
  readonly count: () => number;
  /** Delivers them, and later ones at once. */
  readonly release: () => void;
}

/** Requests of the page that are answered with 503. */
export interface FailedRequests {
  /** Waits until there is one. */
  readonly failed: () => Promise<unknown>;
  /** Lets later ones through. */
  readonly stop: () => Promise<void>;
}

/** A browser tab with the panel; look-ups go through a screen or the frame. */
export class PanelPage {
  readonly #page: Page;
  readonly #address: string;

  private constructor(page: Page, address: string) {
    this.#page = page;
    this.#address = address;
  }

  /** @param address URL of the panel with a trailing slash */
  static async in(context: BrowserContext, address: string): Promise<PanelPage> {
    const page = await context.newPage();
    // It is there to end a wait that hangs: a screen takes many seconds on a busy machine.
    page.setDefaultTimeout(60_000 * SLOWDOWN);
    if (SLOWDOWN > 1) await slowDown(page);
    return new PanelPage(page, address);
  }

  /** The session of this tab; undefined while signed out. */
  session(): Promise<string | undefined> {
    return this.evaluate<string | undefined>(`sessionStorage.getItem("${SESSION_KEY}") ?? undefined`);
  }

  /** Gives a new tab the session of another one, at an address of the daemon that is not the panel. */
  async startWith(session: string): Promise<void> {
    await this.#page.goto(`${this.#address}manifest.webmanifest`);
    await this.evaluate(`sessionStorage.setItem("${SESSION_KEY}", ${JSON.stringify(session)})`);
  }

  /** Opens a screen by its address, which may have filters after a question mark. */
  async open(address: string): Promise<Screen> {
    await this.#page.goto(`${this.#address}#/${address}`);
    return this.screen(address.replace(/\?.*/, ""));
  }

  /** Opens the panel without a screen address. */
  async openFirst(): Promise<void> {
    await this.#page.goto(this.#address);
  }

  /** @param address after `#/`, such as `interventions/1/edit`, or `sign-in`, `first-start`, `first-password` */
  screen(address: string): Screen {
    return new Screen(this.#page, address);
  }

  /** Waits for a screen whose address is not known before, such as that of a new record. */
  async arrival(address: RegExp | readonly string[]): Promise<Screen> {
    const isOne = (shown: string): boolean =>
      address instanceof RegExp ? address.test(shown) : address.includes(shown);
    const wanted = address instanceof RegExp ? address.source : address.join(" or ");
    const found = await eventually(`a screen at ${wanted}`, async () => {
      const shown = await this.#page.locator("main").getAttribute("data-screen");
      return shown !== null && isOne(shown) ? shown : undefined;
    });
    return this.screen(found);
  }

  /** Opens a screen through the menu, by its name in the current language. */
  async follow(name: string): Promise<void> {
    await this.menu.link(name).click();
  }

  get menu(): Part {
    return new Part(this.#page.getByRole("navigation"));
  }

  /** The page header: site name and live updates. */
  get banner(): Part {
    return new Part(this.#page.getByRole("banner"));
  }

  /** A link in the head of the page. @param rel its relation, such as `icon` */
  headLink(rel: string): Part {
    return new Part(this.#page.locator(`head link[rel=${rel}]`));
  }

  /** The notice about the last action. */
  get notice(): Part {
    return new Part(this.#page.locator(".notice"));
  }

  /** The part that a script has marked with this number. */
  marked(number: number): Part {
    return new Part(this.#page.locator(`[data-mark="${number}"]`));
  }

  /** What is shown in place of a panel that is never drawn. */
  get notLoaded(): Part {
    return new Part(this.#page.locator(".unloaded"));
  }

  /** A heading of the page that is shown without the daemon. */
  offlineTitle(text: string): Part {
    return new Part(this.#page.locator("main")).heading(text);
  }

  /** Says that the page has lost the daemon. */
  get staleBar(): Part {
    return new Part(this.#page.locator("section.banner.s-off"));
  }

  /** The banner of an active walk test. */
  get walkBanner(): Part {
    return new Part(this.#page.locator("section.banner.s-test"));
  }

  /** The bar of new alarms. */
  get newAlarms(): Part {
    return new Part(this.#page.locator("section.new-alarms"));
  }

  /** What screen readers have last announced of new alarms. */
  get alert(): Part {
    return new Part(this.#page.locator(".bars > [role=alert]"));
  }

  /** The banner of suppressed life-safety zones. */
  get lifeSafetyBanner(): Part {
    return new Part(this.#page.locator("section.banner.s-fault"));
  }

  dialog(name: Words): Part {
    return new Part(this.#page.getByRole("dialog", { name, exact: true }));
  }

  /** The open dialog, independent of the language. */
  get openDialog(): Part {
    return new Part(this.#page.locator("dialog[open]"));
  }

  /** @param language `RO` or `EN` */
  async speak(language: string): Promise<void> {
    await this.userMenu();
    await this.banner.button(language).click();
    await this.banner.pressedButton(language).shown();
    await this.press("Escape");
  }

  /** Opens the menu with language, theme and sign-out. */
  async userMenu(): Promise<void> {
    await this.banner.markup(".menu > button").click();
  }

  /** Signs out through the menu. */
  async signOut(): Promise<void> {
    await this.userMenu();
    await this.banner.button("Sign out").click();
  }

  /** Opens the sheet of a zone by a press on its tile. */
  async openZone(name: string): Promise<Part> {
    await this.screen("zones").tile(name).click();
    const sheet = this.dialog(name);
    await sheet.shown();
    return sheet;
  }

  /** A press at a place of the window, in pixels. */
  async pressAt(x: number, y: number): Promise<void> {
    await this.#page.mouse.click(x, y);
  }

  /** Drags a part with the mouse, in one quick movement and then a slow one; in pixels. */
  async drag(part: Part, right: number, down: number): Promise<void> {
    const { x, y } = await part.evaluate<{ x: number; y: number }>(
      "(({ left, top, width, height }) => ({ x: left + width / 2, y: top + height / 2 }))(part.getBoundingClientRect())",
    );
    const { mouse } = this.#page;
    await mouse.move(x, y);
    await mouse.down();
    await mouse.move(x + right / 2, y + down / 2);
    await mouse.move(x + right, y + down, { steps: 5 });
    await mouse.up();
  }

  async press(key: string): Promise<void> {
    await this.#page.keyboard.press(key);
  }

  /** Presses Tab until a part has the focus, as a person without a mouse. @throws after `max` presses */
  async tabTo(part: Part, max = 80): Promise<void> {
    await part.shown();
    for (let count = 0; count < max; count += 1) {
      if (await part.hasFocus()) return;
      await this.press("Tab");
    }
    throw new Error(`no focus after ${max} times Tab`);
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

  /** Waits until the tab is at this address: the part from `#`. */
  async isAt(hash: string): Promise<void> {
    await eventually(
      `the address ${hash}`,
      async () => (await this.evaluate<string>("location.hash")) === hash,
    );
  }

  /** Moves in the history of the tab as the browser's buttons do. */
  async back(): Promise<void> {
    await this.#page.evaluate("history.back()");
  }

  /**
   * Reloads or closes the page as a person does, and answers the question of the browser.
   * @param isLeaving whether the person leaves nevertheless
   * @returns whether the browser has asked; the page is as before if the person stays
   */
  async isAskedOn(act: "reload" | "close", isLeaving: boolean): Promise<boolean> {
    let isAsked = false;
    const answered = new Promise<void>((resolve) => {
      this.#page.once("dialog", (dialog) => {
        isAsked = dialog.type() === "beforeunload";
        void (isLeaving ? dialog.accept() : dialog.dismiss()).then(resolve);
      });
    });
    const left = act === "close" ? this.#page.waitForEvent("close") : this.#page.reload();
    // A reload that the person did not want never ends.
    left.catch(() => undefined);
    if (act === "close") await this.#page.close({ runBeforeUnload: true });
    await (isLeaving ? left : Promise.race([answered, left]));
    return isAsked;
  }

  /** The file downloaded by an action. */
  async downloaded(action: () => Promise<void>): Promise<Download> {
    const saving = this.#page.waitForEvent("download");
    await action();
    return saving;
  }

  /** Waits until an action makes the page abort a request with this path. */
  async abortsRequest(path: string, action: () => Promise<void>): Promise<void> {
    const aborted = this.#page.waitForEvent("requestfailed", (request) => request.url().endsWith(path));
    await action();
    await aborted;
  }

  /** Waits until the page requests this path. */
  async requested(path: string): Promise<void> {
    await this.#page.waitForEvent("request", (request) => request.url().endsWith(path));
  }

  /** Waits until a request with this path has a response of this status. */
  async answered(path: string, status: number): Promise<void> {
    await this.#page.waitForEvent(
      "response",
      (response) => response.url().endsWith(path) && response.status() === status,
    );
  }

  /** Changes the first `times` JSON responses to a path, as if the page had read them earlier. @param path glob pattern */
  async changeResponses(path: string, times: number, change: (body: object) => object): Promise<void> {
    await this.#page.route(
      path,
      async (route) => {
        // Only the browser resolves the panel's host name.
        const url = new URL(route.request().url());
        url.hostname = "127.0.0.1";
        const response = await route.fetch({ url: url.href });
        await route.fulfill({ response, json: change((await response.json()) as object) });
      },
      { times },
    );
  }

  /** Holds back the responses to a path from now on, as a slow link. @param path glob pattern */
  async holdResponses(path: string): Promise<HeldResponses> {
    let held = 0;
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await this.#page.route(path, async (route) => {
      const url = new URL(route.request().url());
      url.hostname = "127.0.0.1";
      const response = await route.fetch({ url: url.href });
      held += 1;
      await released;
      // The page may have left the screen that asked.
      await route.fulfill({ response }).catch(() => undefined);
    });
    return { held: () => eventually("a held response", () => held > 0), count: () => held, release };
  }

  /** Answers the requests for a path with 503 from now on, as a daemon that is restarting. @param path glob pattern */
  async failRequests(path: string): Promise<FailedRequests> {
    let failed = 0;
    await this.#page.route(path, async (route) => {
      failed += 1;
      await route.fulfill({ status: 503 });
    });
    return {
      failed: () => eventually("a failed request", () => failed > 0),
      stop: () => this.#page.unroute(path),
    };
  }

  /** Answers the requests for a path from now on, as something between page and daemon. @param path glob pattern @returns ends it */
  async answerRequests(path: string, contentType: string, body: string): Promise<() => Promise<void>> {
    await this.#page.route(path, (route) => route.fulfill({ status: 200, contentType, body }));
    return () => this.#page.unroute(path);
  }

  /** Passes on of each stream only what comes before the first status. @returns passes on the rest, and later streams at once */
  async holdStatus(): Promise<() => Promise<void>> {
    await this.evaluate(`{
      const send = fetch;
      const released = new Promise((resolve) => { window.releaseStatus = resolve; });
      window.fetch = async (path, options) => {
        const response = await send(path, options);
        if (path !== "./site/events") return response;
        const decoder = new TextDecoder();
        const encoder = new TextEncoder();
        const held = new TransformStream({
          async transform(chunk, out) {
            const [before, ...rest] = decoder.decode(chunk, { stream: true }).split(/(?=event: status\\n)/);
            out.enqueue(encoder.encode(before));
            if (rest.length > 0) await released;
            out.enqueue(encoder.encode(rest.join("")));
          },
        });
        return new Response(response.body.pipeThrough(held), { headers: response.headers });
      };
    }`);
    return () => this.evaluate("releaseStatus()");
  }

  /** Holds back the requests for a path from now on. @param path glob pattern @returns sends them, and later ones at once */
  async holdRequests(path: string): Promise<() => void> {
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    await this.#page.route(path, async (route) => {
      await released;
      await route.continue().catch(() => undefined);
    });
    return release;
  }

  /** Does something before each of the next requests reaches the daemon. @param path glob pattern */
  async beforeNextRequests(
    method: string,
    path: string,
    acts: readonly (() => Promise<void>)[],
  ): Promise<void> {
    const left = [...acts];
    await this.#page.route(path, async (route) => {
      if (route.request().method() === method) await left.shift()?.();
      await route.continue().catch(() => undefined);
    });
  }

  /**
   * Loses the response to the next request for a path: the daemon has received it, the page does not know.
   * @param path glob pattern
   * @param method of the request; default: any
   * @returns waits until it is lost
   */
  async loseNextResponse(path: string, method?: string): Promise<() => Promise<void>> {
    let resolve: () => void;
    let isLost = false;
    const lost = new Promise<void>((done) => (resolve = done));
    await this.#page.route(path, async (route) => {
      if (isLost || (method ?? route.request().method()) !== route.request().method())
        return route.fallback();
      isLost = true;
      const url = new URL(route.request().url());
      url.hostname = "127.0.0.1";
      await route.fetch({ url: url.href });
      await route.abort("connectionreset");
      resolve();
    });
    return () => lost;
  }

  /** Rejects the next request for a path with 400. @param path glob pattern */
  async refuseNextRequest(path: string, message: string): Promise<void> {
    const headers = { "X-Error-Code": "invalid" };
    const body = JSON.stringify({ message });
    await this.#page.route(path, (route) => route.fulfill({ status: 400, headers, body }), { times: 1 });
  }

  /** Answers the next request for a path as a proxy does that does not pass it on. @param path glob pattern */
  async blockNextRequest(path: string, status: number): Promise<void> {
    await this.#page.route(path, (route) => route.fulfill({ status }), { times: 1 });
  }

  /** Makes the page believe that it is hidden, as behind another tab, or visible again. */
  async setHidden(isHidden: boolean): Promise<void> {
    await this.#page.evaluate(`
      Object.defineProperty(document, "hidden", { value: ${isHidden}, configurable: true });
      document.dispatchEvent(new Event("visibilitychange"));`);
  }

  /** The filter of the content: `grayscale(1)` while it may be over. */
  async contentFilter(): Promise<string> {
    return this.evaluate<string>("getComputedStyle(document.querySelector('main')).filter");
  }

  /** The page as the browser prints it: a PDF. */
  async printed(): Promise<Buffer> {
    return this.#page.pdf({ preferCSSPageSize: true });
  }

  /** Shows the page as on paper, or on the screen again. */
  async asPrinted(isPrinted: boolean): Promise<void> {
    await this.#page.emulateMedia({ media: isPrinted ? "print" : "screen" });
  }

  /** Runs a script in the page that looks nothing up: for that, see `evaluate` of a part or screen. */
  async evaluate<T>(program: string): Promise<T> {
    return this.#page.evaluate<T>(program);
  }

  /** Sets colour scheme and width in pixels. */
  async look(colorScheme: "light" | "dark", width: number): Promise<void> {
    await this.#page.emulateMedia({ colorScheme });
    await this.#page.setViewportSize({ width, height: 800 });
  }
}

/** Where the panel keeps the token of a tab. */
const SESSION_KEY = "santinela.token";

/**
 * BROWSER_SLOWDOWN=6 makes the browser six times slower and delays each request randomly, so that responses arrive in a
 * different order. Tests that depend on the speed of the machine fail.
 */
const SLOWDOWN = Number(process.env["BROWSER_SLOWDOWN"] ?? 1);
/** Maximum delay of a request, times the slowdown. */
const DELAY_MAX_MS = 50;

async function slowDown(page: Page): Promise<void> {
  const devTools = await page.context().newCDPSession(page);
  await devTools.send("Emulation.setCPUThrottlingRate", { rate: SLOWDOWN });
  await page.route("**/*", async (route) => {
    await pause(Math.random() * DELAY_MAX_MS * SLOWDOWN);
    // The page may already be closed.
    await route.continue().catch(() => undefined);
  });
}
