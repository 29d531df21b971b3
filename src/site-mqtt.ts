import type { Config } from "./config/config.ts";
import type { Clock } from "./domain/clock.ts";
import { VERSION } from "./generated/version.ts";
import type { InputsOptions, MqttSource } from "./inputs/inputs.ts";
import { mqttClientId } from "./ops/secrets.ts";
import type { SiteView } from "./site-view.ts";

/** Where MQTT readings come from; an external broker keeps the session under a name of this installation's own. */
export function mqttSourceOf({ mqtt, dataDir }: Config): MqttSource {
  return mqtt.mode === "external" ? { ...mqtt, clientId: mqtt.clientId ?? mqttClientId(dataDir) } : mqtt;
}

/** No machine is right that says it is earlier than this release: 1 January 2026. */
const RELEASE_WALL_MS = 1_767_225_600_000;

/** What is shown in Home Assistant, where it is asked for. @param view asked once the daemon runs */
export function homeAssistantOf(
  { homeAssistant, site }: Config,
  clock: Clock,
  view: () => SiteView,
): Pick<InputsOptions, "homeAssistant"> {
  if (!homeAssistant.enabled) return {};
  const look = () => ({
    ...view().status(),
    zones: view().zones(),
    isClockTrusted: clock.wallMs() >= RELEASE_WALL_MS,
  });
  return { homeAssistant: { site, prefix: homeAssistant.prefix, version: VERSION, look } };
}
