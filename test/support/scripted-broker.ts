import { createServer, type Server } from "node:net";
import { Aedes, type AedesOptions } from "aedes";
import { close, listen } from "./loopback.ts";

/** An in-process broker with its own rules for sign-ins and subscriptions, which Mosquitto cannot have. */
export interface ScriptedBroker {
  readonly url: string;
  stop(): Promise<void>;
  /** Starts it at the same port. */
  startAgain(): Promise<void>;
}

export async function startScriptedBroker(rules: AedesOptions): Promise<ScriptedBroker> {
  let port = 0;
  let running = await run();

  async function run(): Promise<{ aedes: Aedes; server: Server }> {
    const aedes = await Aedes.createBroker(rules);
    const server = createServer((socket) => void aedes.handle(socket));
    port = await listen(server, port);
    return { aedes, server };
  }

  return {
    url: `mqtt://127.0.0.1:${port}`,
    stop: async () => {
      const { aedes, server } = running;
      await new Promise<void>((resolve) => {
        aedes.close(resolve);
      });
      await close(server);
    },
    startAgain: async () => {
      running = await run();
    },
  };
}
