import { useState } from "preact/hooks";
import { ask } from "../api.ts";
import { Dialog } from "../dialog.tsx";
import { say } from "../language.ts";
import { attempt, tell } from "../notice.tsx";

/** Has the daemon run again, after a question: it hears no sensor for some seconds. */
export function RestartButton() {
  const [isAsked, setIsAsked] = useState(false);
  const restart = async (): Promise<void> => {
    setIsAsked(false);
    await attempt(async () => {
      await ask("/site/restart", { method: "POST" });
      tell(say("restart.done"));
    });
  };
  return (
    <>
      <button type="button" onClick={() => setIsAsked(true)}>
        {say("restart.ask")}
      </button>
      {isAsked && (
        <Dialog title={say("restart.title")} onCancel={() => setIsAsked(false)}>
          <p>{say("restart.text")}</p>
          <button type="button" class="main" onClick={() => void restart()}>
            {say("restart.do")}
          </button>
          <button type="button" onClick={() => setIsAsked(false)}>
            {say("app.cancel")}
          </button>
        </Dialog>
      )}
    </>
  );
}
