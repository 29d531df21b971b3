import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config/config.ts";

/** What is shorter cannot be told from ordinary text, and guards nothing. */
const LENGTH_MIN = 4;

/** Everything of an installation that must not leave it: passwords, tokens, and all that lies in its secret files. */
export function installationSecrets({ dataDir, upstream, mqtt, metricsToken }: Config): string[] {
  const passwords = [
    upstream?.password,
    mqtt.mode === "off" ? undefined : mqtt.credentials?.password,
    metricsToken ?? undefined,
  ];
  const texts = [...filesIn(join(dataDir, "secrets")), ...filesIn(join(dataDir, "tls"))]
    .filter((path) => !path.endsWith(".crt"))
    .map((path) => readFileSync(path, "utf8"));
  // A key in PEM is told by each of its lines.
  const lines = texts.flatMap((text) => text.split("\n")).filter((line) => !line.startsWith("-----"));
  const all = [...passwords, ...lines].map((text) => text?.trim() ?? "");
  // The longest first, so that what holds another one goes as a whole.
  return [...new Set(all)].filter((text) => text.length >= LENGTH_MIN).sort((a, b) => b.length - a.length);
}

/** The text with every secret blanked, as it is and as JSON or an address would write it. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])
    .reduce((left, form) => left.replaceAll(form, "[secret]"), text);
}

function filesIn(folder: string): string[] {
  const exists = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  return exists ? readdirSync(folder).map((name) => join(folder, name)) : [];
}
