import { useState } from "preact/hooks";
import { ask } from "../api.ts";
import { Question } from "../dialog.tsx";
import { say } from "../language.ts";
import { attempt, tell } from "../notice.tsx";

/** Has the daemon run again, after a question: it hears no sensor for some seconds. */
export function RestartButton() {
  const [isAsked, setIsAsked] = useState(false);
  const restart = (): Promise<boolean> =>
    attempt(async () => {
      await ask("/site/restart", { method: "POST" });
      tell(say("restart.done"));
    });
  return (
    <>
      <button type="button" onClick={() => setIsAsked(true)}>
        {say("restart.ask")}
      </button>
      {isAsked && (
        <Question
          title={say("restart.title")}
          action={say("restart.do")}
          act={restart}
          close={() => setIsAsked(false)}
        >
          <p>{say("restart.text")}</p>
        </Question>
      )}
    </>
  );
}
