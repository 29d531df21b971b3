import { createServer } from "node:net";
import { Aedes, type AedesOptions } from "aedes";
import { close, listen } from "./loopback.ts";

/** An in-process broker with its own rules for sign-ins and subscriptions, which Mosquitto cannot have. */
export interface ScriptedBroker {
  readonly url: string;
  stop(): Promise<void>;
}

export async function startScriptedBroker(rules: AedesOptions): Promise<ScriptedBroker> {
  const aedes = await Aedes.createBroker(rules);
  const server = createServer((socket) => void aedes.handle(socket));
  const port = await listen(server);
  return {
    url: `mqtt://127.0.0.1:${port}`,
    stop: async () => {
      await new Promise<void>((resolve) => {
        aedes.close(resolve);
      });
      await close(server);
    },
  };
}
