import type { BrokerAddress } from "../../domain/mqtt-broker.ts";
import type { SetupAnswers } from "../../config/setup-questions.ts";
import { pause } from "../../domain/clock.ts";
import { doubtText } from "../../domain/discovery/doubt.ts";
import { leftOutText } from "../../domain/discovery/left-out.ts";
import { proposedZones, uniqueId, type ProposedZone } from "../../domain/discovery/proposed-zone.ts";
import { ZONE_KINDS } from "../../domain/zone.ts";
import { GPIO_DEFAULTS, HOME_ASSISTANT_DEFAULTS } from "../../generated/defaults.ts";
import { DiscoverySession } from "../../inputs/discovery-session.ts";
import { SystemClock } from "../../ops/system-clock.ts";
import { freeLines } from "../free-lines.ts";
import type { Prompt } from "../prompt.ts";
import { plainLine } from "../../domain/single-line.ts";
import { tableText } from "../table.ts";
import type { Terminal } from "../terminal.ts";
import { topicsAt, topicTable, zoneAtTopic, zoneReadingTopic, type OfferedTopic } from "./offered-topics.ts";

/** What the broker has shown. */
interface Found {
  readonly zones: readonly ProposedZone[];
  readonly topics: readonly OfferedTopic[];
}

const NOTHING: Found = { zones: [], topics: [] };

/** Devices that say what they have only when asked need a few questions and answers. */
const LISTEN_AT_LEAST_MS = 3_000;
const LOOK_EVERY_MS = 100;
/** More would not fit on a screen; the panel and `zones discover` have all. */
const OFFERED_MAX = 40;

/**
 * Listens at the broker of the answers while the user opens sensors, and lets the user choose among them and among the
 * topics that no known device sends on.
 * @returns the chosen ones with their names and types; empty without a broker
 */
export async function offerSensors(
  answers: SetupAnswers,
  prompt: Prompt,
  terminal: Terminal,
): Promise<ProposedZone[]> {
  const broker = brokerOf(answers);
  const isBuiltIn = answers.broker === "built-in";
  const found = broker ? await sensorsAt(broker, prompt, terminal, isBuiltIn) : NOTHING;
  const { stderr } = terminal;
  const chosen = await chosenFrom(found, prompt, terminal);
  const usedIds = new Set<string>();
  const zones: ProposedZone[] = [];
  for (const one of chosen) {
    const topic = "values" in one ? one : undefined;
    const sensor = "values" in one ? zoneAtTopic(one) : one;
    for (const doubt of sensor.doubts) stderr.write(`  ${doubtText(doubt)}\n`);
    const name = (
      await prompt.line(`Name of ${plainLine(sensor.name)} [${plainLine(sensor.name)}]: `)
    ).trim();
    const kind = await kindOf(sensor, prompt, terminal);
    const read = topic ? await zoneReadingTopic(sensor, topic, prompt, terminal) : sensor;
    const named = name === "" ? sensor.name : name;
    zones.push({ ...read, name: named, kind, id: uniqueId(named, usedIds) });
  }
  return zones;
}

/** Shows the free lines of the GPIO chips of this machine, and says if there is none. */
export async function offerLines({ stderr }: Terminal): Promise<void> {
  const lines = await freeLines({ gpio: GPIO_DEFAULTS, zones: [] });
  for (const line of lines) stderr.write(`  ${line}\n`);
  if (lines.length === 0)
    stderr.write("  No free GPIO line was found on this machine; santinela gpio list shows all lines.\n");
}

/** The broker that the answers describe; undefined for none. The built-in one runs if a daemon does. */
function brokerOf(answers: SetupAnswers): BrokerAddress | undefined {
  const {
    broker,
    "broker-url": url = "",
    "broker-username": username = "",
    "broker-password": password = "",
  } = answers;
  if (broker === "off") return undefined;
  if (broker === "built-in") return { url: "mqtt://127.0.0.1:1883" };
  return { url, ...(username === "" ? {} : { credentials: { username, password } }) };
}

/** @param isBuiltIn whether it runs only within a daemon */
async function sensorsAt(
  broker: BrokerAddress,
  prompt: Prompt,
  { stderr }: Terminal,
  isBuiltIn: boolean,
): Promise<Found> {
  const clock = new SystemClock();
  const discovery = {
    replyTo: "santinela/discovery/init",
    prefix: HOME_ASSISTANT_DEFAULTS.prefix,
    own: "santinela/",
  };
  const session = new DiscoverySession({ broker, clock, discovery });
  try {
    await session.start();
    while (session.state.state === "starting") await pause(clock, LOOK_EVERY_MS);
    const { state, reason } = session.state;
    if (state !== "listening") {
      const why = isBuiltIn
        ? "the built-in broker starts with the daemon"
        : `the broker does not respond (${reason ?? state})`;
      stderr.write(
        `  Sensors cannot be discovered yet: ${why}. The web panel and santinela zones discover find them later.\n`,
      );
      return NOTHING;
    }
    const enough = pause(clock, LISTEN_AT_LEAST_MS);
    await prompt.line("Looking for sensors at the broker. Open each one once, then press Enter: ");
    await enough;
    const { devices, leftOut } = session.found();
    const zones = proposedZones(devices, []);
    const { topics, notes } = topicsAt(devices, session, discovery);
    if (zones.length === 0)
      stderr.write(`  No sensor ${topics.length === 0 ? "" : "of a known type "}was found.\n`);
    if (zones.length > OFFERED_MAX)
      stderr.write(
        `  Of ${zones.length} sensors the first ${OFFERED_MAX} are listed. The web panel and santinela zones discover list all.\n`,
      );
    for (const note of notes) stderr.write(`  ${note}\n`);
    for (const one of leftOut) stderr.write(`  not complete: ${leftOutText(one)}\n`);
    return { zones: zones.slice(0, OFFERED_MAX), topics };
  } finally {
    await session.stop();
  }
}

/** Shows what was found, all rows numbered, and asks which are to be zones. */
async function chosenFrom(
  { zones, topics }: Found,
  prompt: Prompt,
  { stderr }: Terminal,
): Promise<readonly (ProposedZone | OfferedTopic)[]> {
  const all = [...zones, ...topics];
  if (all.length === 0) return [];
  const rows = zones.map(({ name, kind, input }, index) => [String(index + 1), name, kind, input.mqtt]);
  if (zones.length > 0) stderr.write(tableText(["", "SENSOR", "TYPE", "TOPIC"], rows));
  if (topics.length > 0)
    stderr.write(
      `  Messages without a known sensor; a zone can read one of their values:\n${topicTable(topics, zones.length + 1)}`,
    );
  const allText = topics.length === 0 ? " all;" : ` all for the rows with a type;`;
  const question = `Zones from these sensors (such as 1,3;${zones.length === 0 ? "" : allText} empty for none): `;
  for (;;) {
    const typed = (await prompt.line(question)).trim();
    if (typed === "") return [];
    if (typed === "all" && zones.length > 0) return zones;
    const chosen = [...new Set(typed.split(/[\s,]+/))].map((number) => all[Number(number) - 1]);
    if (chosen.every((one) => one !== undefined)) return chosen;
    stderr.write(`  enter numbers from 1 to ${all.length}, separated by commas\n`);
  }
}

async function kindOf(
  { name, kind }: ProposedZone,
  prompt: Prompt,
  { stderr }: Terminal,
): Promise<ProposedZone["kind"]> {
  for (;;) {
    const typed = (await prompt.line(`Zone type of ${plainLine(name)} [${kind}]: `)).trim();
    const chosen = ZONE_KINDS.find((one) => one === (typed === "" ? kind : typed));
    if (chosen !== undefined) return chosen;
    stderr.write(`  the zone type must be one of ${ZONE_KINDS.join(", ")}\n`);
  }
}
