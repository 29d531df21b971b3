import { DC09_DEFAULTS } from "../generated/defaults.ts";
import { isAddress } from "./dc09.ts";
import { dc09KeyOf } from "./dc09-key.ts";
import type { SetupAnswers, SetupQuestion } from "./setup-questions.ts";

/** Three times the polling interval, so that one lost message is no fault; the schema has this minimum. */
const SILENCE_S_MIN = 30;
/** The longest interval whose triple the schema accepts. */
const POLLING_S_MAX = 201_600;

/** Whether the site has an IP alarm panel. */
export const hasAlarmPanel = ({ panel }: SetupAnswers): boolean => panel === "yes";
const isEncrypted = (answers: SetupAnswers): boolean =>
  hasAlarmPanel(answers) && answers["panel-encrypted"] !== "no";
const isPlain = (answers: SetupAnswers): boolean =>
  hasAlarmPanel(answers) && answers["panel-encrypted"] === "no";

/** The questions about an IP alarm panel, for the command line: its key is a file on this machine. */
export const ALARM_PANEL_QUESTIONS: readonly SetupQuestion[] = [
  {
    name: "panel",
    text: "Receive the alarms of an IP alarm panel (SIA DC-09)",
    choices: ["yes", "no"],
    defaultAnswer: () => "no",
  },
  {
    name: "panel-port",
    text: "Port for the alarm panel, TCP and UDP",
    when: hasAlarmPanel,
    defaultAnswer: () => String(DC09_DEFAULTS.port),
    problem: (text) => wholeProblem(text, 1, 65_535),
  },
  {
    name: "panel-account",
    text: "Account (object number) of the alarm panel, such as 1234",
    when: hasAlarmPanel,
    problem: (text) =>
      /^[0-9A-Fa-f]{3,16}$/.test(text) ? undefined : "must have 3 to 16 hexadecimal digits",
  },
  {
    name: "panel-encrypted",
    text: "Encryption; without it, anyone in the network can read and forge its alarms",
    choices: ["yes", "no"],
    when: hasAlarmPanel,
    defaultAnswer: () => "yes",
  },
  {
    name: "panel-key",
    text: "Encryption key of the alarm panel, empty to generate one",
    when: isEncrypted,
    isSecret: true,
    defaultAnswer: () => "",
    problem: (text) =>
      text === "" || dc09KeyOf(text) !== undefined
        ? undefined
        : "must have 32, 48 or 64 hexadecimal digits, or 16, 24 or 32 characters",
  },
  {
    name: "panel-address",
    text: "Address of the alarm panel, the only one that may send without encryption, such as 192.168.1.20",
    when: isPlain,
    problem: (text) =>
      isAddress(text) ? undefined : "is not an address such as 192.168.1.20 or 192.168.1.0/24",
  },
  {
    name: "panel-polling",
    text: "Seconds between two supervision messages of the alarm panel; 0 if it sends none",
    when: hasAlarmPanel,
    defaultAnswer: () => "60",
    problem: (text) => wholeProblem(text, 0, POLLING_S_MAX),
  },
];

/**
 * The section of the alarm panel.
 * @param keyFile the path of its key in the configuration; called if it encrypts
 */
export function alarmPanelLines(answers: SetupAnswers, keyFile: () => string): string[] {
  if (!hasAlarmPanel(answers)) return [];
  const { "objective-type": type, "objective-id": id, "panel-account": account = "" } = answers;
  const polling = Number(answers["panel-polling"]);
  return [
    "dc09: # what to enter at the alarm panel: /usr/share/doc/santinela/docs/panels.md",
    "  host: 0.0.0.0",
    `  port: ${answers["panel-port"]}`,
    "  accounts:",
    `    - account: ${JSON.stringify(account.toUpperCase())}`,
    isEncrypted(answers)
      ? `      keyFile: ${JSON.stringify(keyFile())}`
      : `      plain: true\n      from: [${JSON.stringify(answers["panel-address"])}]`,
    `      objective: { type: ${type}, id: ${id} }`,
    ...(polling === 0 ? [] : [`      silenceS: ${Math.max(SILENCE_S_MIN, polling * 3)}`]),
  ];
}

function wholeProblem(text: string, min: number, max: number): string | undefined {
  const isWhole = /^\d{1,6}$/.test(text) && Number(text) >= min && Number(text) <= max;
  return isWhole ? undefined : `must be a number from ${min} to ${max}`;
}
