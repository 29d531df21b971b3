import type { Config } from "./config/config.ts";
import type { TrustedTime } from "./domain/clock.ts";
import { VERSION } from "./generated/version.ts";
import type { InputsOptions, MqttSource } from "./inputs/inputs.ts";
import { mqttClientId } from "./ops/secrets.ts";
import type { SiteView } from "./site-view.ts";

/** Where MQTT readings come from; an external broker keeps the session under a name of this installation's own. */
export function mqttSourceOf({ mqtt, dataDir }: Config): MqttSource {
  return mqtt.mode === "external" ? { ...mqtt, clientId: mqtt.clientId ?? mqttClientId(dataDir) } : mqtt;
}

/** What is shown in Home Assistant, where it is asked for. @param view asked once the daemon runs */
export function homeAssistantOf(
  { homeAssistant, site }: Config,
  time: TrustedTime,
  view: () => SiteView,
): Pick<InputsOptions, "homeAssistant"> {
  if (!homeAssistant.enabled) return {};
  const look = () => ({
    ...view().status(),
    zones: view().zones(),
    isClockTrusted: time.isTrusted(),
  });
  return { homeAssistant: { site, prefix: homeAssistant.prefix, version: VERSION, look } };
}
