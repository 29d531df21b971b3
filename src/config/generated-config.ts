import type { ProposedZone } from "../domain/discovery/proposed-zone.ts";
import type { ObjectiveType } from "../domain/objective.ts";
import { hasAlarmPanel, alarmPanelLines } from "./alarm-panel-questions.ts";
import { proposedZoneLines } from "./proposed-zones.ts";
import type { SetupAnswers } from "./setup-questions.ts";

/** A new configuration with its secret files. */
export interface Draft {
  readonly text: string;
  /** File name in the directory of the configuration -> content. */
  readonly secrets: ReadonlyMap<string, string>;
}

/** What no question asks for: the installation has set it already. */
export interface KeptOptions {
  /** Data directory; undefined for the default beside the configuration. */
  readonly dataDir?: string | undefined;
  /** `http.configuration` of the file that is replaced; undefined for the default. */
  readonly configuration?: string | undefined;
  /** Port of the local API; undefined for the default. */
  readonly port?: number | undefined;
}

/** Name of the file with the key of the alarm panel. */
export const ALARM_PANEL_KEY_FILE = "panel.key";

/**
 * Generates a readable configuration from answers.
 * @param secretFiles question -> existing file with its answer; other secrets get a new file
 * @param found zones of sensors that were found and chosen
 */
export function generateConfig(
  answers: SetupAnswers,
  secretFiles: SetupAnswers,
  { dataDir, configuration, port = 8080 }: KeptOptions,
  found: readonly ProposedZone[] = [],
): Draft {
  const secrets = new Map<string, string>();
  const fileOf = (question: string): string => {
    const given = secretFiles[question];
    if (given !== undefined) return given;
    const name =
      question === "panel-key" ? ALARM_PANEL_KEY_FILE : `${question.replace("-password", "")}.password`;
    secrets.set(name, answers[question] ?? "");
    return `./${name}`;
  };
  const editor = configuration === undefined ? "" : `, configuration: ${configuration}`;
  const lines = [
    "# All options: /usr/share/doc/santinela/docs/configuration.md. After a change: santinela reload, which also says what needs a restart.",
    ...(dataDir === undefined ? [] : [`dataDir: ${quoted(dataDir)}`]),
    `site: { name: ${quoted(answers["site-name"])}, ref: ${quoted(answers["site-ref"])}, timezone: ${quoted(answers["timezone"])}, locale: ${answers["language"]} }`,
    answers["network"] === "network"
      ? `http: { host: 0.0.0.0, port: ${port}, tls: own${editor} } # santinela cert shows the fingerprint`
      : `http: { host: 127.0.0.1, port: ${port}${editor} }`,
    ...centreLines(answers, fileOf),
    ...brokerLines(answers, fileOf),
    ...alarmPanelLines(answers, () => fileOf("panel-key")),
    ...zoneLines(answers, found),
  ];
  return { text: `${lines.join("\n")}\n`, secrets };
}

type FileOf = (question: string) => string;

function centreLines(answers: SetupAnswers, fileOf: FileOf): string[] {
  if (answers["centre"] !== "yes") return ["# upstream: none (standalone)"];
  return [
    "upstream:",
    `  baseUrl: ${quoted(answers["centre-url"])}`,
    `  email: ${quoted(answers["centre-email"])}`,
    `  passwordFile: ${quoted(fileOf("centre-password"))}`,
  ];
}

function brokerLines(answers: SetupAnswers, fileOf: FileOf): string[] {
  const { broker, "broker-url": url, "broker-username": username = "" } = answers;
  if (broker === "off") return ["mqtt: off"];
  if (broker !== "external") return ["# mqtt: the built-in broker, on 127.0.0.1:1883"];
  if (username === "") return [`mqtt: { url: ${quoted(url)} }`];
  return [
    `mqtt: { url: ${quoted(url)}, username: ${quoted(username)}, passwordFile: ${quoted(fileOf("broker-password"))} }`,
  ];
}

function zoneLines(answers: SetupAnswers, found: readonly ProposedZone[]): string[] {
  const { "objective-type": type, "objective-id": id } = answers;
  const entries = [
    ...proposedZoneLines(found, { type: type as ObjectiveType, id: Number(id) }),
    ...(answers["zone"] === "none" ? [] : firstZoneLines(answers)),
  ];
  const zones = entries.length === 0 ? ["zones: []"] : ["zones:", ...entries];
  if (entries.length === 0 && !hasAlarmPanel(answers)) return zones;
  const objective = `    - { id: ${id}, name: ${quoted(answers["objective-name"])} }`;
  return ["objectives:", `  ${type}:`, objective, ...zones];
}

function firstZoneLines(answers: SetupAnswers): string[] {
  const { "objective-type": type, "objective-id": id, "zone-normal": normal } = answers;
  // A sensor that does not report "normal" is restored automatically.
  const needsAutoRestore = answers["zone"] === "mqtt" && normal === "";
  return [
    `  - id: ${quoted(answers["zone-id"])}`,
    `    name: ${quoted(answers["zone-name"])}`,
    `    kind: ${answers["zone-kind"]}`,
    `    objective: { type: ${type}, id: ${id} }`,
    `    input: ${inputText(answers)}`,
    ...(needsAutoRestore ? ["    autoRestoreS: 30"] : []),
  ];
}

function inputText(answers: SetupAnswers): string {
  const { zone, "zone-gpio": line, "zone-contact": contact } = answers;
  if (zone === "gpio") return `{ gpio: ${line}, contact: ${contact === "no" ? '"no"' : "nc"} }`;
  if (zone === "simulated") return "{ simulated: true }";
  const {
    "zone-topic": topic,
    "zone-path": path = "",
    "zone-open": open = "",
    "zone-normal": normal = "",
  } = answers;
  return (
    [
      `{ mqtt: ${quoted(topic)}`,
      ...(path === "" ? [] : [`path: ${quoted(path)}`]),
      `open: [${valueText(open)}]`,
      ...(normal === "" ? [] : [`normal: [${valueText(normal)}]`]),
    ].join(", ") + " }"
  );
}

/** Quotes everything except true, false and numbers; some YAML parsers read ON as true. */
function valueText(text: string): string {
  return /^(?:true|false|-?\d+(?:\.\d+)?)$/.test(text) ? text : quoted(text);
}

function quoted(text = ""): string {
  return JSON.stringify(text);
}
