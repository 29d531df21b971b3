import { readFileSync } from "node:fs";
import { EN } from "../../src/panel/messages/en.ts";
import { RO } from "../../src/panel/messages/ro.ts";
import { eventually } from "./eventually.ts";
import { foreignWords } from "./foreign-words.ts";
import type { PanelPage, Screen } from "./panel-page.ts";
import type { PanelSite } from "./panel-site.ts";
import { accessibilityFaults, clippedParts } from "./accessibility-checks.ts";

type BrowserContext = Awaited<ReturnType<PanelSite["context"]>>;
/** A request of a page that waits for its answer. */
export type Route = Parameters<Parameters<BrowserContext["route"]>[1]>[0];

const SHELL = readFileSync(new URL("../../src/panel/shell.tsx", import.meta.url), "utf8");

/** The screens of the panel's own route table. */
export const SCREEN_NAMES: readonly string[] = [
  ...SHELL.matchAll(/^ {2}(?:screen\(|\{ name: )"([\w-]+)"/gm),
].flatMap(([, name]) => name ?? []);

/** The addresses of each screen of a site: those of its parts too. A new screen has to be added. */
export const SITE_ADDRESSES: Readonly<Record<string, readonly string[]>> = {
  status: ["status"],
  zones: ["zones", "zones/edit", "zones/earlier", "zones/found", "zones/form"],
  interventions: ["interventions", "interventions/1", "interventions/1/edit", "interventions/new"],
  events: ["events"],
  plan: ["plan", "plan/new"],
  "walk-test": ["walk-test", "walk-test/1"],
  // Only a dispatch centre has it: CENTRE_ADDRESSES.
  sites: [],
  objectives: ["objectives"],
  sync: ["sync"],
  settings: ["settings?open=site.phone.centre.accounts.backup.restore.configuration"],
  setup: ["setup"],
  api: ["api"],
  more: ["more"],
};
/** The addresses that a dispatch centre has. */
export const CENTRE_ADDRESSES: readonly string[] = [
  "status",
  "interventions",
  "events",
  "sites",
  "sites/1",
  "objectives",
  "settings?open=accounts",
  "api",
  "more",
];

/** What the panel says while it waits, and when the daemon does not answer. */
export const WORDS = {
  RO: {
    loading: RO["app.loading"],
    retry: RO["app.retry"],
    well: RO["headline.well"],
    noZones: RO["reason.no-zones"],
  },
  EN: {
    loading: EN["app.loading"],
    retry: EN["app.retry"],
    well: EN["headline.well"],
    noZones: EN["reason.no-zones"],
  },
} as const;
export type Language = keyof typeof WORDS;

/** Each language in two of the four looks: together they are all, and each has a phone and a laptop. */
const LOOKS = {
  RO: [
    ["light", 360],
    ["dark", 1100],
  ],
  EN: [
    ["dark", 360],
    ["light", 1100],
  ],
} as const;

/** Text that belongs into no state of any screen: codes, markup, empty placeholders. */
const RAW = /\b(?:[45]\d\d|undefined|null|NaN|html|internal error|forbidden|Error)\b|\{\w+\}|\[object/;

/** What is wrong with the page as it is, in the looks of the language. */
export async function faultsOf(
  page: PanelPage,
  language: Language,
  names: readonly (string | RegExp)[],
): Promise<string[]> {
  const faults = await foreignWords(page, language, names);
  const text = await mainText(page);
  const raw = RAW.exec(text);
  if (raw) faults.push(`raw: ${raw[0]}`);
  if (text.includes(WORDS[language].loading)) faults.push("still loading");
  for (const [colorScheme, width] of LOOKS[language]) {
    await page.look(colorScheme, width);
    for (const fault of [...(await accessibilityFaults(page)), ...(await clippedParts(page))])
      faults.push(`${colorScheme} ${width}: ${fault}`);
  }
  return faults;
}

/** The words that the screen shows, without what is code: options, paths, the API. */
export function mainText(page: PanelPage): Promise<string> {
  return page.evaluate<string>(`(() => {
    const main = document.querySelector("main");
    const parts = [main, ...main.querySelectorAll("*")].filter(
      (part) => part.checkVisibility() && !part.closest("main code, main pre, main [lang]"),
    );
    const texts = parts.flatMap((part) => [...part.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE));
    return texts.map(({ data }) => data).join(" ");
  })()`);
}

/** Requests of the panel for what its screens show: neither its own files nor the session. */
function isForContent(route: Route): boolean {
  const { pathname } = new URL(route.request().url());
  const isOwn =
    /^\/(?:assets\/.*)?$|\.(?:svg|webmanifest|js|html)$|\/site\/(?:events|account|setup)$|\/auth\//;
  return route.request().resourceType() === "fetch" && !isOwn.test(pathname);
}

/** What answers in place of the daemon's content. */
export class NoContent {
  readonly #context: BrowserContext;
  #asked = 0;
  #answer: ((route: Route) => Promise<void>) | undefined;

  private constructor(context: BrowserContext) {
    this.#context = context;
  }

  /** Stands in front of the daemon of every page of the context. */
  static async in(context: BrowserContext): Promise<NoContent> {
    const own = new NoContent(context);
    await context.route("**/*", async (route) => {
      if (!own.#answer || !isForContent(route)) return route.fallback();
      own.#asked += 1;
      return own.#answer(route);
    });
    return own;
  }

  /** From now on no content arrives. @param answer instead of it */
  begin(answer: (route: Route) => Promise<void>): void {
    this.#asked = 0;
    this.#answer = answer;
  }

  /** The daemon answers again. */
  end(): void {
    this.#answer = undefined;
  }

  /** Whether content was asked for. */
  get wasAsked(): boolean {
    return this.#asked > 0;
  }

  /**
   * Waits until the screen waits for nothing and says what it could not have.
   * @param isSilent whether the page has a clock of its own: time then passes for the page alone
   */
  async settled(page: PanelPage, screen: Screen, isSilent: boolean): Promise<void> {
    await screen.present();
    await eventually(`${screen.address} waiting for nothing`, async () => {
      const isBusy = (await screen.attribute("aria-busy")) !== "false";
      const says = await page.evaluate<boolean>(
        "document.querySelector('main .s-fault[role=alert]') !== null",
      );
      if (!isBusy && (says || !this.wasAsked)) return true;
      if (isSilent && this.wasAsked) await this.#context.clock.fastForward(ANSWER_MS);
      return false;
    });
  }
}

/** More than a screen waits for its content. */
const ANSWER_MS = 16_000;
