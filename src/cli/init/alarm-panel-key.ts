import type { Config } from "../../config/config.ts";
import type { SetupAnswers } from "../../config/setup-questions.ts";
import { lanAddresses } from "../../ops/panel-address.ts";
import { newAlarmPanelKeyText } from "../../ops/secrets.ts";
import type { Terminal } from "../terminal.ts";

/** The answers with a random key if the alarm panel has none yet. */
export function withAlarmPanelKey(answers: SetupAnswers): SetupAnswers {
  return answers["panel-key"] === "" ? { ...answers, "panel-key": newAlarmPanelKeyText() } : answers;
}

/** Says what to enter at the alarm panel; the key stays in its file, and off the screen. */
export function describeAlarmPanel(
  { dc09 }: Config,
  keyFile: string | undefined,
  { stderr }: Terminal,
): void {
  const [panel] = dc09?.accounts ?? [];
  if (!dc09 || !panel) return;
  const address = lanAddresses().join(" or ") || "the address of this machine";
  stderr.write(
    `enter at the alarm panel (/usr/share/doc/santinela/docs/panels.md has the menus of some makers):\n` +
      `  receiver: ${address}, port ${dc09.port}, TCP or UDP, SIA DC-09 as ADM-CID or SIA-DCS\n` +
      `  account: ${panel.account}\n` +
      `  encryption: ${keyFile === undefined ? "off" : `AES, with the key in ${keyFile}`}\n` +
      `  time stamps: on, in UTC\n`,
  );
}
