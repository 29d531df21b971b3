import { writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { oneTimePassword } from "../../ops/secrets.ts";
import { DaemonProcess } from "./daemon-process.ts";
import type { Narrator } from "./narrator.ts";
import { PostgresProcess } from "./postgres-process.ts";
import { Relay } from "./relay.ts";
import { EDGE_EMAIL, OBJECTIVES, siteYaml } from "./demo-configuration.ts";

/** A dispatch centre of two processes on one PostgreSQL, of which a process and the database fail while a site reports. */
export class SecondAct {
  readonly #narrator: Narrator;
  readonly #folder: string;
  readonly #database: PostgresProcess;
  readonly #first: DaemonProcess;
  readonly #second: DaemonProcess;
  readonly #site: DaemonProcess;
  #relay: Relay | undefined;

  /** @param folder of its configurations @param programs folder of PostgreSQL's programs */
  constructor(
    narrator: Narrator,
    { folder, main, programs }: { readonly folder: string; readonly main: string; readonly programs: string },
  ) {
    this.#narrator = narrator;
    this.#folder = folder;
    this.#database = new PostgresProcess(programs, tmpdir());
    const process = (name: string, command: "serve" | "centre"): DaemonProcess =>
      new DaemonProcess({
        main,
        configFile: join(folder, `${name}.yaml`),
        dataDir: join(folder, name),
        command,
      });
    this.#first = process("centre-a", "centre");
    this.#second = process("centre-b", "centre");
    this.#site = process("second-site", "serve");
  }

  /** @returns whether every trip is at the centre exactly once */
  async run(): Promise<boolean> {
    const narrator = this.#narrator;
    const secondPort = await this.#startAll();
    narrator.print("Tripping the front door and the window.");
    await this.#trip("front-door", "window");
    const [site, centre] = [this.#site, this.#second];
    await narrator.waitForArrival("both interventions to arrive in PostgreSQL", site, centre, 2);

    narrator.print(
      "Killing the first process of the centre (SIGKILL), and stopping PostgreSQL as in a crash.",
    );
    await this.#first.end("SIGKILL");
    await this.#database.stop("at-once");
    narrator.print("Tripping the smoke detector and the back gate while there is no centre.");
    await this.#trip("smoke", "back-gate");
    await narrator.waitForQueue(site, 4, 2);

    narrator.print(
      "Starting PostgreSQL again. The load balancer now uses the second process, which continues automatically.",
    );
    this.#database.start();
    this.#relay?.lead(secondPort);
    await narrator.waitForArrival("all four to arrive", site, centre, 4);
    return narrator.compare(site, centre, 4);
  }

  async cleanUp(): Promise<void> {
    await this.#site.end("SIGTERM");
    this.#relay?.stop();
    await this.#first.end("SIGTERM");
    await this.#second.end("SIGTERM");
    await this.#database.stop("cleanly");
    this.#database.remove();
  }

  /** @returns the port of the second process */
  async #startAll(): Promise<number> {
    const narrator = this.#narrator;
    narrator.print("Starting PostgreSQL in a temporary folder, and two processes of a centre that share it.");
    this.#database.create();
    this.#database.start();
    const password = oneTimePassword();
    writeFileSync(join(this.#folder, "upstream.password"), password, { mode: 0o600 });
    for (const name of ["centre-a", "centre-b"])
      writeFileSync(join(this.#folder, `${name}.yaml`), centreYaml(name, this.#database.url));
    const first = await this.#first.start();
    await this.#first.addAccount({ email: EDGE_EMAIL, password }, "operator");
    const second = await this.#second.start();
    this.#relay = new Relay(first.httpPort);
    writeFileSync(join(this.#folder, "second-site.yaml"), siteYaml("second-site", await this.#relay.start()));
    narrator.print("Starting a site that reaches them through a load balancer.");
    await this.#site.start();
    return second.httpPort;
  }

  async #trip(...zones: readonly string[]): Promise<void> {
    for (const zone of zones) await this.#site.run(["trip", "--zone", zone]);
  }
}

function centreYaml(name: string, database: string): string {
  return `dataDir: ./${name}
site: { name: Centre, ref: centre, locale: en }
database: "${database}"
http: { port: 0 }
${OBJECTIVES}`;
}
