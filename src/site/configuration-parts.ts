import type { Config } from "../config/config.ts";
import type { LoadOptions } from "../config/load.ts";
import type { Clock } from "../domain/clock.ts";
import type { Remote } from "../domain/remote.ts";
import { oneTimePassword } from "../ops/secrets.ts";
import { CentreEnrolment } from "./centre-enrolment.ts";
import type { ConfigurationParts } from "./configuration.ts";
import { ConfigurationEditor } from "./configuration-editor.ts";
import { Confirmations } from "./confirmations.ts";
import { EarlierConfigurations } from "./earlier-configurations.ts";
import type { DaemonControl } from "./settings.ts";
import type { ObjectiveStore } from "../store/objectives.ts";

interface Parts {
  readonly config: Config;
  readonly load: LoadOptions;
  readonly clock: Clock;
  readonly sensing: { readonly control: Remote<DaemonControl> };
  readonly objectives: Pick<ObjectiveStore, "isDescribed">;
}

/** What changes the configuration file from the web panel. */
export function configurationParts({
  config,
  load: given,
  clock,
  sensing,
  objectives,
}: Parts): ConfigurationParts {
  const load: LoadOptions = { ...given, knowsObjective: (objective) => objectives.isDescribed(objective) };
  const parts = { config, load, control: sensing.control };
  return {
    editor: new ConfigurationEditor(parts),
    earlier: new EarlierConfigurations(parts),
    confirmations: new Confirmations(clock, oneTimePassword),
    enrolment: new CentreEnrolment({ ...parts, newPassword: oneTimePassword }),
  };
}
