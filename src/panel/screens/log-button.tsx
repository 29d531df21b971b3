import { ask } from "../api.ts";
import { say } from "../language.ts";
import { sayMoment } from "../moments.ts";
import { attempt, tell } from "../notice.tsx";

/** Has the daemon write every detail into its log for half an hour, such as what each message said about its zone. */
export function LogButton() {
  const detail = (): Promise<boolean> =>
    attempt(async () => {
      const order = { method: "POST", body: { minutes: 30 } } as const;
      const { body } = await ask<{ readonly until: string }>("/site/log-level", order);
      tell(say("log.done", { time: sayMoment(body.until) }));
    });
  return (
    <button type="button" onClick={() => void detail()}>
      {say("log.ask")}
    </button>
  );
}
