import { useState } from "preact/hooks";
import type { SyncRecordView, SyncView } from "../../http/site/sync-port.ts";
import { ask } from "../api.ts";
import { Question } from "../dialog.tsx";
import { say } from "../language.ts";
import { attempt, tell } from "../notice.tsx";

/** What a person does about a record that does not reach the centre by itself: have it tried again, or give it up. */
export function StuckActions({
  record: { interventionId: id, phase, lastAnswer },
  done,
}: {
  readonly record: SyncRecordView;
  readonly done: () => void;
}) {
  const [isAsked, setIsAsked] = useState(false);
  const act = async (action: "retry" | "drop"): Promise<void> => {
    await attempt(async () => {
      await ask<SyncView>(`/site/sync/${id}/${action}`, { method: "POST" });
      tell(say(action === "retry" ? "sync.retried" : "sync.dropped", { id }));
    });
    done();
  };
  return (
    <div class="row">
      <button type="button" aria-label={`${say("sync.retry")} #${id}`} onClick={() => void act("retry")}>
        {say("sync.retry")}
      </button>
      <button
        type="button"
        class="danger"
        aria-label={`${say("sync.drop")} #${id}`}
        onClick={() => setIsAsked(true)}
      >
        {say("sync.drop")}
      </button>
      {isAsked && (
        <Question
          title={say("sync.dropTitle", { id })}
          action={say("sync.dropDo")}
          isDanger
          act={() => act("drop")}
          close={() => setIsAsked(false)}
        >
          <p>{say(phase === "gone" ? "sync.dropGoneText" : "sync.dropText")}</p>
          {lastAnswer !== null && <p lang="en">{lastAnswer}</p>}
        </Question>
      )}
    </div>
  );
}
