import { existsSync } from "node:fs";
import { readConfiguration } from "../../config/load.ts";
import { currentAnswers } from "../../config/merged-config.ts";
import { readText } from "../../config/parsed-text.ts";
import type { SetupAnswers } from "../../config/setup-questions.ts";
import { GIVEN_AT_INSTALLATION } from "../../ops/restore.ts";
import type { Terminal } from "../terminal.ts";

/**
 * What the configuration that `init --force` replaces answers about the site. Otherwise the usual defaults would close the web
 * panel of a package to the network, or give a site another reference. An invalid file answers nothing.
 */
export function replacedAnswers(path: string, { env, cwd }: Terminal): SetupAnswers {
  if (!existsSync(path)) return {};
  try {
    const text = readText(path, "the configuration");
    const config = readConfiguration({ file: path, text }, { env, cwd, allowMissingFiles: true });
    const answers = currentAnswers(config);
    const isNamed = !GIVEN_AT_INSTALLATION.test(config.site.ref);
    const kept = ["timezone", "language", "network", ...(isNamed ? ["site-name", "site-ref"] : [])];
    return Object.fromEntries(Object.entries(answers).filter(([name]) => kept.includes(name)));
  } catch {
    return {};
  }
}
