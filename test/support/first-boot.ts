import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { decodeQR } from "qr/decode.js";
import { ControlClient } from "../../src/cli/control-client.ts";
import { MAIN } from "./built-program.ts";
import { eventually } from "./eventually.ts";
import { freePort } from "./loopback.ts";

/** The first start of a new package: its own configuration file and unit's environment, on ports and a folder of the test. */
export class FirstBoot {
  readonly folder = mkdtempSync(join(tmpdir(), "santinela-first-"));
  readonly configFile = join(this.folder, "santinela.yaml");
  readonly control = new ControlClient(join(this.folder, "data"));
  /** What standard error has said, as the journal has it. */
  printed = "";
  #process: ChildProcessWithoutNullStreams | undefined;
  #httpPort = 0;
  #mqttPort = 0;

  /** Starts it, and waits until it is ready. */
  async start(): Promise<void> {
    const shipped = readFileSync("systemd/santinela.yaml", "utf8");
    writeFileSync(this.configFile, shipped.replace("dataDir: /var/lib/santinela", "dataDir: ./data"));
    this.#httpPort = await freePort();
    this.#mqttPort = await freePort();
    const environment = {
      ...process.env,
      INVOCATION_ID: "first-boot",
      JOURNAL_STREAM: "8:1",
      RUNTIME_DIRECTORY: this.folder,
      SANTINELA_HTTP__PORT: String(this.#httpPort),
      SANTINELA_MQTT__LISTEN__PORT: String(this.#mqttPort),
      SANTINELA_GPIO__BACKEND: "simulated",
    };
    const daemon = spawn(process.execPath, [MAIN, "serve", "--config", this.configFile], {
      env: environment,
    });
    this.#process = daemon;
    let log = "";
    daemon.stdout.on("data", (chunk: Buffer) => (log += chunk.toString()));
    daemon.stderr.on("data", (chunk: Buffer) => (this.printed += chunk.toString()));
    await eventually("the first start", () => {
      if (daemon.exitCode !== null) throw new Error(`it ended with ${daemon.exitCode}: ${this.printed}`);
      return log.includes('"event":"ready"');
    });
  }

  /** The address that a phone reads from the printed QR code, with the loopback instead of an address of the LAN. */
  scannedAddress(): string {
    const address = new URL(scanned(this.printed));
    address.hostname = "127.0.0.1";
    return address.href;
  }

  get httpPort(): number {
    return this.#httpPort;
  }

  /** The built-in broker. */
  get brokerUrl(): string {
    return `mqtt://127.0.0.1:${this.#mqttPort}`;
  }

  async stop(): Promise<void> {
    const daemon = this.#process;
    if (daemon && daemon.exitCode === null && daemon.signalCode === null) {
      const ended = new Promise((resolve) => {
        daemon.once("exit", resolve);
      });
      daemon.kill("SIGKILL");
      await ended;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Pixels of a module in each direction: a camera sees more of them than one. */
const SCALE = 4;

/**
 * Reads the QR code of a text as a camera does: half blocks, light on dark, or dark on light.
 * @returns its content
 */
export function scanned(text: string, { isDarkText = false } = {}): string {
  const rows = text.split("\n").filter((line) => /^[ ▀▄█]{21,}$/.test(line));
  const light = rows.flatMap((line) => {
    const characters = [...line];
    return [
      characters.map((one) => (one === "█" || one === "▀") !== isDarkText),
      characters.map((one) => (one === "█" || one === "▄") !== isDarkText),
    ];
  });
  const margin = 4;
  const width = ((light[0]?.length ?? 0) + 2 * margin) * SCALE;
  const height = (light.length + 2 * margin) * SCALE;
  const data = new Uint8ClampedArray(width * height * 4).fill(255);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) {
      const module = light[Math.floor(y / SCALE) - margin]?.[Math.floor(x / SCALE) - margin];
      if (module === false) data.fill(0, (y * width + x) * 4, (y * width + x) * 4 + 3);
    }
  return decodeQR({ width, height, data });
}
