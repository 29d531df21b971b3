import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** The example settings for Mosquitto: of the source tree or the npm package, and of the Debian package. */
const MOSQUITTO_SETTINGS: readonly string[] = [
  fileURLToPath(new URL("../../systemd/mosquitto/santinela.conf", import.meta.url)),
  "/usr/share/doc/santinela/examples/mosquitto.conf",
];

/**
 * Path of a page of the documentation, such as `operating.md`: of the source tree or the npm package where it is there, otherwise
 * of the Debian package, whose pages small systems may have left out.
 */
export function documentationPage(name: string): string {
  const beside = fileURLToPath(new URL(`../../docs/${name}`, import.meta.url));
  return existsSync(beside) ? beside : `/usr/share/doc/santinela/docs/${name}`;
}

/**
 * The remedy for a Mosquitto with its default settings. It names the example where it exists on this machine. Small systems leave
 * out /usr/share/doc, and an image has no examples: the settings themselves are named then.
 */
export function mosquittoRemedy(candidates = MOSQUITTO_SETTINGS): string {
  const example = candidates.find((path) => existsSync(path));
  return example === undefined
    ? "Set persistence true, autosave_on_changes true, autosave_interval 1, queue_qos0_messages true and max_queued_messages 0 in a file in /etc/mosquitto/conf.d/ and restart mosquitto."
    : `Copy ${example} to /etc/mosquitto/conf.d/santinela.conf and restart mosquitto.`;
}
