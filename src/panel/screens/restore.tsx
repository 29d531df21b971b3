import { useState } from "preact/hooks";
import type { HandedInView, RestoreView } from "../../http/site/restore-port.ts";
import { ask } from "../api.ts";
import { Question } from "../dialog.tsx";
import { Form } from "../field.tsx";
import { say } from "../language.ts";
import { attempt, tell } from "../notice.tsx";

/** What the daemon takes in one piece. */
const PIECE_BYTES = 1024 * 1024;
const IDS_SHOWN = 20;

interface Planned {
  readonly copy: number;
  readonly plan: RestoreView;
}

/** Hands a copy of the database in, shows what putting it back would change, and does it once a person has read that. */
export function Restore() {
  const [percent, setPercent] = useState<number | undefined>(undefined);
  const [planned, setPlanned] = useState<Planned | undefined>(undefined);
  const handIn = async (fields: FormData): Promise<void> => {
    const file = fields.get("copy");
    if (!(file instanceof File) || file.size === 0) return;
    await attempt(async () => {
      const copy = await sendPieces(file, setPercent);
      const order = { method: "POST", body: { copy, dryRun: true } } as const;
      setPlanned({ copy, plan: (await ask<RestoreView>("/site/restore", order)).body });
    });
    setPercent(undefined);
  };
  return (
    <section class="below">
      <h2>{say("restore.title")}</h2>
      <p>{say("restore.text")}</p>
      <Form onSubmit={handIn}>
        <p class="field">
          <label for="restore-copy">{say("restore.file")}</label>
          <input id="restore-copy" type="file" name="copy" required />
        </p>
        <button disabled={percent !== undefined}>{say("restore.look")}</button>
        <span role="status">{percent !== undefined && say("restore.sent", { percent })}</span>
      </Form>
      {planned && <RestoreQuestion planned={planned} close={() => setPlanned(undefined)} />}
    </section>
  );
}

/** @returns the copy's number */
async function sendPieces(file: File, tellPercent: (percent: number) => void): Promise<number> {
  let copy = 0;
  for (let from = 0; from < file.size; from += PIECE_BYTES) {
    tellPercent(Math.floor((100 * from) / file.size));
    const bytes = file.slice(from, from + PIECE_BYTES);
    const path = `/site/restore/pieces?from=${from}`;
    ({ copy } = (await ask<HandedInView>(path, { method: "POST", bytes })).body);
  }
  return copy;
}

function RestoreQuestion({ planned, close }: { readonly planned: Planned; readonly close: () => void }) {
  const { copy, plan } = planned;
  const restore = (): Promise<boolean> =>
    attempt(async () => {
      await ask("/site/restore", { method: "POST", body: { copy } });
      tell(say("restore.done"));
    });
  return (
    <Question title={say("restore.question")} action={say("restore.do")} isDanger act={restore} close={close}>
      <dl class="facts">
        <dt>{say("restore.inCopy")}</dt>
        <dd>{plan.recordsInCopy}</dd>
        <dt>{say("restore.onlyInPresent")}</dt>
        <dd>{idList(plan.onlyInPresent)}</dd>
        <dt>{say("restore.onlyInCopy")}</dt>
        <dd>{idList(plan.onlyInCopy)}</dd>
      </dl>
      <p>{say("restore.warning")}</p>
    </Question>
  );
}

function idList(ids: readonly number[]): string {
  const shown = ids.slice(0, IDS_SHOWN).map((id) => `#${id}`);
  if (ids.length > IDS_SHOWN) shown.push("…");
  return ids.length === 0 ? "0" : `${ids.length} (${shown.join(", ")})`;
}
