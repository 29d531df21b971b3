import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Config } from "../config/config.ts";

/** Shorter secrets are skipped: replacing them would damage ordinary text. */
const LENGTH_MIN = 4;

/** All secrets of an installation: passwords, tokens and the lines of its secret files, longest first. */
export function installationSecrets({ dataDir, upstream, mqtt, metricsToken }: Config): string[] {
  const passwords = [
    upstream?.password,
    mqtt.mode === "off" ? undefined : mqtt.credentials?.password,
    metricsToken ?? undefined,
  ];
  const texts = [...filesIn(join(dataDir, "secrets")), ...filesIn(join(dataDir, "tls"))]
    .filter((path) => !path.endsWith(".crt"))
    .map((path) => readFileSync(path, "utf8"));
  // Each line of a PEM key is a secret.
  const lines = texts.flatMap((text) => text.split("\n")).filter((line) => !line.startsWith("-----"));
  const all = [...passwords, ...lines].map((text) => text?.trim() ?? "");
  // Longest first, so that a secret that contains another one is replaced as a whole.
  return [...new Set(all)].filter((text) => text.length >= LENGTH_MIN).sort((a, b) => b.length - a.length);
}

/** Replaces each secret in a text, also in its JSON and URL encodings. */
export function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets
    .flatMap((secret) => [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)])
    .reduce((left, form) => left.replaceAll(form, "[secret]"), text);
}

function filesIn(folder: string): string[] {
  const exists = statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;
  return exists ? readdirSync(folder).map((name) => join(folder, name)) : [];
}
