import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { DaemonProcess } from "../../src/cli/demo/daemon-process.ts";
import type { Intervention } from "../../src/domain/intervention.ts";
import { MAIN } from "./built-program.ts";

export { seededRandom } from "./seeded-random.ts";
export { MAIN };

/** A directory with the configuration and data of one or more daemons, which are stopped and removed at the end. */
export class Installation {
  readonly folder = mkdtempSync(join(tmpdir(), "santinela-e2e-"));
  readonly #daemons: DaemonProcess[] = [];

  /** @param atEnd when it is removed: after the test by default, with `afterAll` after all tests of the file or `describe` */
  static temporary(atEnd: (remove: () => Promise<void>) => void = onTestFinished): Installation {
    const installation = new Installation();
    atEnd(() => installation.remove());
    return installation;
  }

  /**
   * A daemon with this configuration, not started. Its data is in the directory of its name.
   * @param main the program; the present one by default
   */
  daemon(name: string, yaml: string, main: string = MAIN): DaemonProcess {
    const configFile = join(this.folder, `${name}.yaml`);
    writeFileSync(configFile, `dataDir: ./${name}\n${yaml}`);
    const daemon = new DaemonProcess({ main, configFile, dataDir: join(this.folder, name) });
    this.#daemons.push(daemon);
    return daemon;
  }

  /** A process of a dispatch centre with this configuration, not started. */
  centre(name: string, yaml: string): DaemonProcess {
    const configFile = join(this.folder, `${name}.yaml`);
    writeFileSync(configFile, `dataDir: ./${name}\n${yaml}`);
    const dataDir = join(this.folder, name);
    const centre = new DaemonProcess({ main: MAIN, configFile, dataDir, command: "centre" });
    this.#daemons.push(centre);
    return centre;
  }

  /** A secret file next to the configurations. */
  secret(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text, { mode: 0o600 });
  }

  async remove(): Promise<void> {
    for (const daemon of this.#daemons) await daemon.end("SIGKILL");
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export const EDGE = { email: "edge@site.example", password: "correct horse battery staple" } as const;

/** A running dispatch centre with an account for the site. */
export async function startCentre(
  installation: Installation,
  objectives: string,
): Promise<{ centre: DaemonProcess; port: number }> {
  const centre = installation.daemon(
    "centre",
    `site: { ref: centre }\nhttp: { port: 0 }\nmqtt: off\ngpio: { backend: simulated }\n${objectives}`,
  );
  await centre.addAccount(EDGE, "operator");
  installation.secret("upstream.password", EDGE.password);
  const { httpPort } = await centre.start();
  return { centre, port: httpPort };
}

/** This number of buildings as objectives, with ids from 1. */
export function buildingsYaml(count: number): string {
  const each = Array.from({ length: count }, (_, index) => `{ id: ${index + 1}, name: Hall ${index + 1} }`);
  return `objectives: { obiective/cladiri: [ ${each.join(", ")} ] }\n`;
}

export function upstreamYaml(port: number): string {
  return `upstream: { baseUrl: "http://127.0.0.1:${port}", email: ${EDGE.email}, passwordFile: ./upstream.password }\n`;
}

/** All interventions of a running daemon. */
export function interventionsOf(daemon: DaemonProcess): Promise<Intervention[]> {
  return daemon.get("/interventii");
}

/** Number of interventions by objective, as `id -> count`. */
export function countByObjective(records: readonly Intervention[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { objectiveId } of records) counts.set(objectiveId, (counts.get(objectiveId) ?? 0) + 1);
  return counts;
}

/** Waits in real time: for a power cut at a random moment, never for an outcome. */
export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}
