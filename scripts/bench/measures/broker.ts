import { existsSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { userInfo } from "node:os";
import { delimiter, join } from "node:path";
import type { Children } from "../children.ts";
import { freePort } from "../paths.ts";

/** Why no broker is available; undefined if one is. */
export function brokerMissing(): string | undefined {
  return findMosquitto() === undefined
    ? "mosquitto is not installed; on Debian: sudo apt-get install mosquitto"
    : undefined;
}

/**
 * Starts mosquitto on a free port of the loopback. Its queue takes a whole burst, so that what is lost was lost by the
 * contender.
 * @returns its URL
 */
export async function startBroker(children: Children, folder: string): Promise<string> {
  const binary = findMosquitto();
  if (binary === undefined) throw new Error(brokerMissing());
  const port = await freePort();
  const configFile = join(folder, "mosquitto.conf");
  writeFileSync(
    configFile,
    [
      `listener ${port} 127.0.0.1`,
      "allow_anonymous true",
      `user ${userInfo().username}`,
      "persistence false",
      "max_queued_messages 0",
      "",
    ].join("\n"),
  );
  const child = children.start({ command: binary, args: ["-c", configFile], logFile: join(folder, "log") });
  await child.until("mosquitto to listen", () => listens(port));
  return `mqtt://127.0.0.1:${port}`;
}

function findMosquitto(): string | undefined {
  // Debian installs daemons in /usr/sbin, which is not on every PATH.
  const folders = [...(process.env["PATH"] ?? "").split(delimiter), "/usr/sbin", "/usr/local/sbin"];
  return folders.map((folder) => join(folder, "mosquitto")).find((path) => existsSync(path));
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
