import type { Config } from "../config/config.ts";
import type { TrustedTime } from "../domain/clock.ts";
import { VERSION } from "../generated/version.ts";
import type { InputsOptions, MqttSource } from "../inputs/inputs.ts";
import { mqttClientId } from "../ops/secrets.ts";
import type { Site } from "./site.ts";

/**
 * Where MQTT readings come from, and what of the site is shown in Home Assistant.
 * @param running asked once the daemon runs
 */
export function siteMqttOf(
  config: Config,
  time: TrustedTime,
  running: () => Site,
): Pick<InputsOptions, "mqtt" | "homeAssistant"> {
  const { homeAssistant, site } = config;
  const mqtt = sourceOf(config);
  if (!homeAssistant.enabled) return { mqtt };
  const look = () => ({
    ...running().status(),
    zones: running().zones.list(),
    isClockTrusted: time.isTrusted(),
  });
  return { mqtt, homeAssistant: { site, prefix: homeAssistant.prefix, version: VERSION, look } };
}

/** An external broker keeps the session under a name of this installation's own. */
function sourceOf({ mqtt, dataDir }: Config): MqttSource {
  return mqtt.mode === "external" ? { ...mqtt, clientId: mqtt.clientId ?? mqttClientId(dataDir) } : mqtt;
}
