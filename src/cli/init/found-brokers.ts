import { connect } from "node:net";
import type { Terminal } from "../terminal.ts";

/** Where the broker of a usual installation listens on this machine: without and with TLS. */
const USUAL_PLACES = [
  ["mqtt", "127.0.0.1", 1883],
  ["mqtt", "::1", 1883],
  ["mqtts", "127.0.0.1", 8883],
  ["mqtts", "::1", 8883],
] as const;
const LOOKED_AT = "127.0.0.1 and ::1, ports 1883 and 8883";
/** This machine answers at once; a firewall that drops the packets never does. */
const ANSWER_MS_MAX = 500;

/**
 * Says which brokers listen on this machine, and where was looked.
 * @param places to look at
 * @returns the URL of the first one; undefined without one
 */
export async function offerBrokers(
  { stderr }: Pick<Terminal, "stderr">,
  places: readonly (readonly [scheme: string, host: string, port: number])[] = USUAL_PLACES,
): Promise<string | undefined> {
  const found = await Promise.all(
    places.map(async ([scheme, host, port]) =>
      (await listens(host, port)) ? [`${scheme}://${host.includes(":") ? `[${host}]` : host}:${port}`] : [],
    ),
  );
  const urls = found.flat();
  stderr.write(
    urls.length === 0
      ? `  No broker listens on this machine (looked at ${LOOKED_AT}).\n`
      : `  On this machine a program listens at ${urls.join(", ")} (looked at ${LOOKED_AT}). If it is a broker and not Santinela's own, choose external: the built-in one needs port 1883.\n`,
  );
  return urls[0];
}

function listens(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: ANSWER_MS_MAX });
    const end = (isThere: boolean) => (): void => {
      socket.destroy();
      resolve(isThere);
    };
    socket.once("connect", end(true));
    socket.once("timeout", end(false));
    socket.once("error", end(false));
  });
}
