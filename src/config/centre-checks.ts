import type { Configuration } from "../generated/types.ts";
import type { ConfigProblem } from "./problems.ts";

/** Sections that only a site has. */
const OF_A_SITE = [
  "zones",
  "profiles",
  "dc09",
  "gpio",
  "mqtt",
  "homeAssistant",
  "upstream",
  "upstreams",
  "onBattery",
] as const;

/** Sections in the configuration of a dispatch centre that would have no effect. */
export function centreProblems(value: Configuration): ConfigProblem[] {
  return OF_A_SITE.filter((section) => value[section] !== undefined).map((section) => ({
    path: [section],
    message: `a dispatch centre has no ${section}. Remove it, or run santinela serve for a site`,
  }));
}
