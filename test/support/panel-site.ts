import { join } from "node:path";
import type { Browser, BrowserContext, BrowserContextOptions } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { ControlClient } from "../../src/cli/control-client.ts";
import type { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import { PANEL_HOST, startBrowser } from "./browser.ts";
import { EDGE, Installation } from "./installation.ts";
import { PanelPage } from "./panel-page.ts";

/** A running daemon with three zones, and a browser with its panel. */
export class PanelSite {
  readonly installation = new Installation();
  readonly daemon: DaemonProcess;
  /** URLs requested from other hosts. */
  readonly foreignRequests: string[] = [];
  /** Exceptions and violations of the content security policy. */
  readonly pageErrors: string[] = [];
  #browser: Browser | undefined;
  #port = 0;
  /** The session of the last page that was opened signed in. */
  #session: string | undefined;
  /** Port of the built-in broker; undefined without one. */
  mqttPort: number | undefined;
  /** Port of a proxy before the daemon, which pages use then. */
  proxyPort: number | undefined;

  /**
   * A site that is not started, with the password for a centre in `upstream.password`.
   * @param yaml appended to the configuration
   * @param configuration instead of the one with three zones
   * @param role `centre` for a dispatch centre
   */
  constructor(yaml = "", configuration = CONFIGURATION, role: "daemon" | "centre" = "daemon") {
    this.daemon = this.installation[role]("site", `${configuration}${yaml}`);
    this.installation.secret("upstream.password", EDGE.password);
  }

  /** A site that runs during all tests of the file or `describe`, with the options of the constructor. */
  static running(...options: ConstructorParameters<typeof PanelSite>): PanelSite {
    const site = new PanelSite(...options);
    beforeAll(() => site.start());
    afterAll(() => site.stop());
    return site;
  }

  /** The daemon by its control socket. */
  get control(): ControlClient {
    return new ControlClient(join(this.installation.folder, "site"));
  }

  /** A bypass that is ended at once: two events. */
  async bypassBriefly(zone: string): Promise<void> {
    await this.control.post(`/site/zones/${zone}/bypass`, { minutes: 5, reason: "probă" });
    await this.control.post(`/site/zones/${zone}/restore`);
  }

  /** @param environment of the daemon; default: that of the test */
  async start(environment = process.env): Promise<void> {
    await this.daemon.addAccount(EDGE, "administrator");
    const ports = await this.daemon.start(environment);
    this.#port = ports.httpPort;
    this.mqttPort = ports.mqttPort;
    this.#browser = await startBrowser();
  }

  /** Port of its HTTP API. */
  get port(): number {
    return this.#port;
  }

  /** Starts the daemon again on the same port. */
  async startAgain(): Promise<void> {
    await this.daemon.start({ ...process.env, SANTINELA_HTTP__PORT: String(this.#port) });
  }

  get address(): string {
    return `http://${PANEL_HOST}:${this.proxyPort ?? this.#port}/`;
  }

  /** A page at the loopback address, which browsers treat as secure. */
  async pageOnDevice(): Promise<PanelPage> {
    if (!this.#browser) throw new Error("the site has not been started");
    const context = await this.#browser.newContext(VISITOR);
    return PanelPage.in(context, `http://127.0.0.1:${this.#port}/`);
  }

  /** A new browser context without a session. */
  async context(options: BrowserContextOptions = {}): Promise<BrowserContext> {
    if (!this.#browser) throw new Error("the site has not been started");
    const context = await this.#browser.newContext({ ...VISITOR, ...options });
    context.on("request", (request) => {
      if (/^https?:/.test(request.url()) && new URL(request.url()).hostname !== PANEL_HOST)
        this.foreignRequests.push(request.url());
    });
    context.on("weberror", (error) => this.pageErrors.push(error.error().message));
    context.on("console", (message) => {
      if (/Content Security Policy|Trusted/.test(message.text())) this.pageErrors.push(message.text());
    });
    return context;
  }

  /** As `context`, for a test that moves the clock of the browser: the panel takes it for the time of the daemon too. */
  async contextWithTime(): Promise<BrowserContext> {
    const context = await this.context();
    await context.addInitScript({
      content: `(() => {
        const get = Headers.prototype.get;
        Headers.prototype.get = function (name) {
          return name === "Date" ? null : get.call(this, name);
        };
      })()`,
    });
    return context;
  }

  /** A page before the sign-in. */
  async signedOutPage(context?: BrowserContext): Promise<PanelPage> {
    return PanelPage.in(context ?? (await this.context()), this.address);
  }

  /**
   * A signed-in page on the given screen. Only the first one signs in with the password, whose check takes a quarter of a
   * second of the processor; later ones go on with the session of the former, like a duplicated tab.
   */
  async page(screen = "status", context?: BrowserContext): Promise<PanelPage> {
    const page = await this.signedOutPage(context);
    const address = screen.replace(/\?.*/, "");
    if (this.#session !== undefined) await page.startWith(this.#session);
    await page.open(screen);
    const shown = await page.arrival([address, "sign-in"]);
    if (shown.address === "sign-in") await signIn(page);
    await page.screen(address).present();
    this.#session = await page.session();
    return page;
  }

  async stop(): Promise<void> {
    await this.#browser?.close();
    await this.installation.remove();
  }
}

/** The pulse of an alarm, which takes a quarter of a processor, is off. */
const VISITOR: BrowserContextOptions = { locale: "en-GB", reducedMotion: "reduce" };

/** Fills in and submits the sign-in form. */
export async function signIn(
  page: PanelPage,
  password: string = EDGE.password,
  email: string = EDGE.email,
): Promise<void> {
  const form = page.screen("sign-in");
  await form.input("email").fill(email);
  await form.input("password").fill(password);
  await page.press("Enter");
}

const OBJECTIVE = "objective: { type: obiective/cladiri, id: 12 }";
const CONFIGURATION = `site: { name: Hala Nord, ref: hala-nord }
http: { port: 0, hosts: [${PANEL_HOST}] }
mqtt: off
gpio: { backend: simulated }
objectives: { obiective/cladiri: [ { id: 12, name: Hala Nord, address: "Str. Fabricii 7" } ] }
zones:
  - { id: front-door, name: Ușa principală, kind: intrusion, ${OBJECTIVE}, input: { simulated: true } }
  - { id: hall, name: PIR hol, kind: motion, ${OBJECTIVE}, input: { gpio: 27 } }
  - { id: smoke, name: Fum depozit, kind: fire, ${OBJECTIVE}, input: { simulated: true } }
`;

/**
 * A site that administrators change in the panel, in place of the usual one.
 * @param zones their options, such as `id: usa, name: Ușa, kind: intrusion`; lines are given in order, from 17 on
 */
export function editableSite(...zones: readonly string[]): string {
  const listed = zones.map((zone, at) => `  - { ${zone}, ${OBJECTIVE}, input: { gpio: ${17 + at} } }\n`);
  return `site: { name: Hala Nord, ref: hala-nord }
http: { port: 0, hosts: [${PANEL_HOST}], configuration: panel }
mqtt: off
gpio: { backend: simulated }
objectives: { obiective/cladiri: [ { id: 12, name: Hala Nord } ] }
zones:
${listed.join("")}`;
}

/** The options of a dispatch centre that does not respond. @param more of them, such as `phone: 0264 555 012` */
export function deadCentre(...more: readonly string[]): string {
  const common = [
    `baseUrl: "http://127.0.0.1:9"`,
    `email: ${EDGE.email}`,
    "passwordFile: ./upstream.password",
  ];
  return `upstream: { ${[...common, ...more].join(", ")} }\n`;
}
