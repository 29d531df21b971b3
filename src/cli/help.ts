import type { Command } from "commander";
import { EXIT_CODES } from "./exit-codes.ts";

/** Examples of each command, by its command words. */
const EXAMPLES: Readonly<Record<string, readonly string[]>> = {
  init: ["init", "init --template > answers.yaml", "init --from answers.yaml --config hala-nord.yaml"],
  serve: ["serve --config /etc/santinela/santinela.yaml"],
  centre: ["centre --config /etc/santinela/centre.yaml"],
  migrate: [
    "migrate --config /etc/santinela/centre.yaml",
    "migrate --config /etc/santinela/centre.yaml --from-sqlite /var/lib/santinela",
  ],
  "safe-mode": ["safe-mode --config /etc/santinela/santinela.yaml"],
  reload: ["reload", "reload --json"],
  "check-config": [
    "check-config --config santinela.yaml",
    "check-config --config new.yaml --try-centre",
    "check-config --centre --config /etc/santinela/centre.yaml",
  ],
  "config show": ["config show --sources"],
  "user add": ["user add --email ana@example.ro --role operator --password-stdin < password.txt"],
  "user list": ["user list --json"],
  "user passwd": ["user passwd --email ana@example.ro"],
  "user objectives": [
    "user objectives --email hala-nord@example.ro --only obiective/cladiri/12 obiective/bunuri/3",
    "user objectives --email hala-nord@example.ro --all",
  ],
  "user role": ["user role --email ana@example.ro --role administrator"],
  "user disable": ["user disable --email ana@example.ro", "user disable --email ana@example.ro --undo"],
  "keys rotate": ["keys rotate"],
  "keys revoke-previous": ["keys revoke-previous"],
  "machine confirm": ["machine confirm", "machine confirm --yes"],
  "factory-reset": ["factory-reset --yes"],
  address: ["address", "address --set-up"],
  cert: ["cert", "cert --ca > santinela-ca.crt"],
  "objectives import": ["objectives import objectives.json"],
  "objectives pull": ["objectives pull", "objectives pull --json"],
  "objectives list": ["objectives list --type obiective/cladiri"],
  status: ["status", "status --json"],
  "zones list": ["zones list", "zones list --json"],
  "zones watch": ["zones watch"],
  "zones bypass": ['zones bypass --zone front-door --reason "painter in the hall" --minutes 480'],
  "zones restore": ["zones restore --zone front-door"],
  "test walk": ["test walk --minutes 30", "test walk --status", "test walk --show 3"],
  "test signal": ["test signal"],
  "outputs list": ["outputs list"],
  "outputs test": ["outputs test --name siren"],
  "interventions list": ["interventions list --limit 50"],
  "interventions show": ["interventions show 120"],
  "interventions set": ["interventions set 120 --status done"],
  trip: ["trip --zone front-door", "trip --zone front-door --restore"],
  "dc09 send": ["dc09 send --account 1234 --event '1130 01 004'", "dc09 send --account 1234"],
  "sync status": ["sync status", "sync status --json"],
  "sync now": ["sync now"],
  "sync dead": ["sync dead"],
  "sync retry": ["sync retry", "sync retry 120"],
  "sync drop": ["sync drop 120"],
  "sync reassert": ["sync reassert 120"],
  events: ["events --since 2h --zone front-door", "events --follow"],
  "events verify": [
    "events verify",
    "events verify --head $(cat last-hash)",
    "events verify --file audit.jsonl",
  ],
  "events export": ["events export > audit.jsonl"],
  backup: ["backup --out /media/usb/hala-nord.db"],
  restore: ["restore --dry-run /media/usb/hala-nord.db", "restore /media/usb/hala-nord.db"],
  "zones discover": ["zones discover > found.yaml"],
  "zones replay": ["zones replay recording.jsonl"],
  doctor: ["doctor", "doctor --json"],
  metrics: ["metrics", "metrics --sites"],
  sites: ["sites", "sites --level fault", "sites --json"],
  "sites show": ["sites show hala-nord", "sites show hala-nord --json"],
  "sites remove": ["sites remove hala-nord", "sites remove hala-nord --yes"],
  "sites invite": ["sites invite hala-nord --objective obiective/cladiri/12"],
  "sites access": ["sites access", "sites access --json"],
  "sites revoke": ["sites revoke hala-nord"],
  enrol: ["enrol abcde-fghjk-mnpqr-stuvw --centre https://dispecerat.example.ro"],
  "support-bundle": ["support-bundle", "support-bundle --out /media/usb/hala-nord.tar.gz"],
  "gpio list": ["gpio list", "gpio list --all"],
  openapi: ["openapi > openapi.json"],
  completion: ["completion bash > ~/.local/share/bash-completion/completions/santinela"],
  demo: ["demo"],
  version: ["version"],
};

/** Adds the examples to the help of a command and its subcommands, and the exit codes to the program's. */
export function addHelp(command: Command, path = ""): void {
  command.addHelpText("after", () => textAfter(path));
  for (const inner of command.commands) addHelp(inner, `${path} ${inner.name()}`.trim());
}

/** The text at the end of a command's help, with a leading empty line; empty if there is none. */
export function textAfter(path: string): string {
  if (path === "") return `\n${exitCodeText()}`;
  const lines = (EXAMPLES[path] ?? []).map((line) => `  santinela ${line}`);
  return lines.length === 0 ? "" : `\nExample:\n${lines.join("\n")}`;
}

function exitCodeText(): string {
  const lines = EXIT_CODES.map(([code, meaning]) => `  ${String(code).padStart(2)}  ${meaning}`);
  return `Exit codes:\n${lines.join("\n")}`;
}
