import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { brokerAddress } from "../../config/broker-address.ts";
import type { Config } from "../../config/config.ts";
import type { Condition } from "../../domain/condition.ts";
import type { BrokerAddress } from "../../domain/mqtt-broker.ts";
import type { Zone } from "../../domain/zone.ts";
import type { Trip } from "../../domain/trip.ts";
import type { StatusView } from "../../site/status-view.ts";
import type { SimulationView, ZoneView } from "../../site/zone-view.ts";
import { deleteSession } from "../../inputs/broker-probe.ts";
import { probeName } from "../../ops/secrets.ts";
import { ControlClient } from "../control-client.ts";
import { DaemonProcess } from "../demo/daemon-process.ts";
import type { Terminal } from "../terminal.ts";
import { pollUntilSignal } from "../poll.ts";
import type { Prompt } from "../prompt.ts";

/**
 * Runs a daemon with the new configuration until its first zone trips or the user ends the test. It uses a temporary data
 * directory and no dispatch centre, so that the test dispatches nothing.
 * @param text the new configuration
 */
export async function awaitFirstTrip(
  config: Config,
  text: string,
  prompt: Prompt,
  terminal: Terminal,
): Promise<void> {
  const [zone] = config.zones;
  if (!zone) return;
  const answer = await prompt.line(
    `Test ${zone.id} now? Nothing is sent to the dispatch centre. (yes, no) [yes]: `,
  );
  if (!/^(y|$)/.test(answer.trim())) return;
  const folder = mkdtempSync(join(tmpdir(), "santinela-init-"));
  const configFile = join(folder, "test.yaml");
  writeFileSync(configFile, testText(config, text), { mode: 0o600 });
  const clientId = `santinela-init-${probeName()}`;
  const broker = await brokerForTest(config);
  const environment = environmentOf(terminal, config, broker, clientId);
  const daemon = new DaemonProcess({ main: terminal.main, configFile, dataDir: join(folder, "data") });
  try {
    await daemon.start(environment);
    await watchZone(new ControlClient(join(folder, "data")), zone, prompt, terminal);
  } finally {
    await daemon.end("SIGTERM");
    // Otherwise the broker would queue messages for this session indefinitely.
    if (broker) await deleteSession(broker, clientId).catch(() => {});
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * The broker that the daemon of the test connects to: the external one, or the built-in one of a daemon that runs already, whose
 * port a second one cannot open. Undefined for a built-in one of its own, and without MQTT.
 */
async function brokerForTest({ mqtt }: Config): Promise<BrokerAddress | undefined> {
  if (mqtt.mode !== "built-in") return brokerAddress(mqtt);
  return (await isListening(mqtt.port)) ? brokerAddress(mqtt) : undefined;
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, "127.0.0.1");
  try {
    await once(socket, "connect");
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

function environmentOf(
  { env }: Terminal,
  { mqtt }: Config,
  broker: BrokerAddress | undefined,
  clientId: string,
): NodeJS.ProcessEnv {
  if (!broker) return env;
  if (mqtt.mode === "external") return { ...env, SANTINELA_MQTT__CLIENT_ID: clientId };
  // Options of a broker of its own exclude the address of another one.
  const others = Object.entries(env).filter(([name]) => !/^SANTINELA_MQTT/i.test(name));
  return {
    ...Object.fromEntries(others),
    SANTINELA_MQTT__URL: broker.url,
    SANTINELA_MQTT__CLIENT_ID: clientId,
  };
}

/** The same zones and broker, with another data directory and port no dispatch centre and no receiver. */
function testText(config: Config, text: string): string {
  const folder = dirname(config.file ?? "");
  const lines = text
    .replace(/^upstream:\n(?: .*\n)+/m, "")
    // An alarm of a real panel must not be acknowledged by a test.
    .replace(/^dc09:.*\n(?: .*\n)+/m, "")
    .replace(/^(?:dataDir|http):.*\n/gm, "")
    .replaceAll('passwordFile: "./', `passwordFile: "${folder}/`);
  return `dataDir: ./data\nhttp: { port: 0 }\n${lines}`;
}

async function watchZone(
  client: ControlClient,
  zone: Zone,
  prompt: Prompt,
  terminal: Terminal,
): Promise<void> {
  const { stderr, stdout } = terminal;
  const isSimulated = zone.input.source === "simulated";
  const enterPressed = prompt.line(
    isSimulated
      ? `${zone.id} is simulated: press Enter to trip it.\n`
      : `Trip ${zone.id} now: move, press or open its sensor. Press Enter to end the test.\n`,
  );
  const over = new AbortController();
  const shown = new Set<string>();
  let contact = "";
  const onEnter = async (): Promise<void> => {
    await enterPressed;
    if (!isSimulated) over.abort();
    else await client.post<SimulationView>("/site/simulate", { zone: zone.id, contact: "open" });
  };
  onEnter().catch(() => over.abort());
  await pollUntilSignal(
    async () => {
      const { conditions } = await client.get<StatusView>("/site/status");
      for (const { code, title, text } of conditions.filter(isOfInputs)) {
        if (shown.has(text)) continue;
        shown.add(text);
        stderr.write(`  ${title}: ${text}\n`);
        if (code !== "gpio-unavailable" || zone.input.source !== "gpio") continue;
        stderr.write(`  ${zone.id} cannot be tested without its GPIO line.\n`);
        over.abort();
      }
      const seen = (await client.get<ZoneView[]>("/site/zones")).find(({ id }) => id === zone.id);
      if (seen && seen.contact !== contact) stderr.write(`  ${zone.id} is ${(contact = seen.contact)}\n`);
      const [trip] = (await client.get<Trip[]>("/site/trips")).filter(
        ({ interventionId }) => interventionId !== null,
      );
      if (!trip) return;
      stdout.write(`${zone.name} tripped and created an intervention: the zone works.\n`);
      over.abort();
    },
    terminal,
    over,
  );
}

/** The others are about what the test lacks on purpose, such as lasting storage. */
function isOfInputs({ code }: Condition): boolean {
  return /^(?:mqtt|gpio|adc|loop)-/.test(code);
}
