import { useRef, useState } from "preact/hooks";
import type { ConfigurationResult, ConfiguredZonesView } from "../../site/configuration-view.ts";
import { Act } from "../act.tsx";
import { request } from "../api.ts";
import { ConfigurationErrors } from "../configuration-errors.tsx";
import { confirm, forgetConfirmation, validConfirmation } from "../confirmation.ts";
import { ErrorMessage } from "../error-message.tsx";
import { Form, formText } from "../field.tsx";
import { ApiError } from "../http.ts";
import { nowMs, pause } from "../clock.ts";
import { DaemonText } from "../daemon-text.tsx";
import { t } from "../i18n.ts";
import { noteSaved } from "../last-objective.ts";
import { errorText, showError, showNotice } from "../notice.tsx";
import { Password, wrongPassword } from "../password.tsx";
import { go, replaceBy, route } from "../route.ts";
import {
  pendingChange,
  propose,
  proposeReturn,
  savedChanges,
  savingChange,
  type PendingChange,
} from "../zone-draft.ts";
import { Difference } from "./difference.tsx";
import { Checked } from "./zone-checked.tsx";
import { StepHead } from "./step-head.tsx";

/** Step 3: what the change does to the file, the check of the daemon, the password, and the trial. */
export function ZoneReview({ site }: { readonly site: ConfiguredZonesView }) {
  const pending = pendingChange.value;
  if (!pending)
    return (
      <>
        <StepHead title={t("review.title")} back="#/zones/edit" />
        <p>{t("review.none")}</p>
      </>
    );
  return <Review pending={pending} file={site.file ?? ""} />;
}

function Review({ pending, file }: { readonly pending: PendingChange; readonly file: string }) {
  const { proposal, back, changes, earlier } = pending;
  const { isOnTrial, error, reverted, save, readAgain } = useSaving(pending);
  const isNew = changes.length === 1 && changes[0]?.action === "add";
  return (
    <>
      <StepHead
        title={t(earlier === undefined ? "review.title" : "earlier.question")}
        back={back}
        {...(isNew ? { step: 3 } : {})}
      />
      <div class="split">
        <Difference diff={proposal.diff} file={file} />
        <div class="stack">
          {reverted !== undefined && <Reverted reason={reverted} />}
          <ConfigurationErrors errors={proposal.errors} />
          <section class="card">
            {proposal.errors.length === 0 && <Checked pending={pending} />}
            <Form onSubmit={save}>
              {validConfirmation() === undefined ? (
                <Password
                  name="password"
                  label={t("review.password")}
                  isNew={false}
                  hint={t("review.passwordHint")}
                  problem={wrongPassword(error)}
                />
              ) : (
                <p class="quiet">{t("review.confirmed")}</p>
              )}
              <ErrorMessage text={error && wrongPassword(error) === "" ? errorText(error) : ""} />
              {(error?.status === 409 || error?.status === 0) && (
                <button type="button" onClick={() => void readAgain()}>
                  {t("review.readAgain")}
                </button>
              )}
              <div class="row">
                <Act
                  type="submit"
                  class="main"
                  disabled={isOnTrial || proposal.errors.length > 0 || proposal.diff === ""}
                >
                  {t(earlier === undefined ? "app.save" : "earlier.return")}
                </Act>
                <a class="button plain" href={back}>
                  {t("steps.back")}
                </a>
              </div>
              <p role="status" class={isOnTrial ? "box s-test" : "unseen"}>
                {isOnTrial && t("review.onTrial")}
              </p>
            </Form>
          </section>
        </div>
      </div>
    </>
  );
}

/** Until then the file has a change that the daemon may take back. */
const TRIED_OUT_MS = 5_000;

/** Saving on trial, and its result. */
function useSaving(pending: PendingChange) {
  const isSaving = useRef(false);
  /** When the response to a save was missed. */
  const unansweredMs = useRef<number | undefined>(undefined);
  const [isOnTrial, setIsOnTrial] = useState(false);
  const [error, setError] = useState<ApiError | undefined>(undefined);
  const [reverted, setReverted] = useState<string | undefined>(undefined);
  const attempt = async (action: () => Promise<void>): Promise<void> => {
    setError(undefined);
    try {
      await action();
    } catch (cause) {
      if (!(cause instanceof ApiError)) throw cause;
      if (cause.status === 403) forgetConfirmation();
      if (cause.status === 0 && isSaving.current) {
        unansweredMs.current = nowMs();
        pending.noteUnanswered?.();
      }
      setError(cause);
      if (!isReviewed(pending)) showError(cause);
    }
  };
  const save = async (fields: FormData): Promise<void> => {
    // A second press before the button is disabled.
    if (isSaving.current) return;
    isSaving.current = true;
    setReverted(undefined);
    setIsOnTrial(true);
    savingChange.value = pending;
    await attempt(async () => {
      const secret = validConfirmation() ?? (await confirm(formText(fields, "password")));
      const { state, reason, reload: reloaded } = await apply(pending, secret);
      if (state === "applied") return finish(pending, reloaded?.needsRestart ?? []);
      setReverted(reason ?? "");
      if (!isReviewed(pending)) showNotice(t("review.reverted"), true);
    });
    setIsOnTrial(false);
    savingChange.value = undefined;
    isSaving.current = false;
  };
  const triedOut = async (): Promise<void> => {
    if (unansweredMs.current === undefined) return;
    setIsOnTrial(true);
    await pause(Math.max(0, unansweredMs.current + TRIED_OUT_MS - nowMs()));
    setIsOnTrial(false);
  };
  const readAgain = (): Promise<void> =>
    attempt(async () => {
      const { earlier, wanted } = pending;
      await triedOut();
      const proposed = await (earlier === undefined ? propose(wanted) : proposeReturn(earlier));
      if (pendingChange.value !== pending) return;
      if (unansweredMs.current !== undefined && proposed.proposal.diff === "")
        return finish(pending, pending.proposal.needsRestart);
      pendingChange.value = { ...pending, ...proposed };
      showNotice(t("review.readAgainDone"));
    });
  return { isOnTrial, error, reverted, save, readAgain };
}

async function apply(
  { changes, proposal: { hash }, earlier: name }: PendingChange,
  confirmation: string,
): Promise<ConfigurationResult> {
  const isReturn = name !== undefined;
  const { body } = await request<ConfigurationResult>(
    `/site/configuration/${isReturn ? "return" : "apply"}`,
    { method: "POST", body: { hash, confirmation, ...(isReturn ? { name } : { changes }) } },
  );
  return body;
}

/** Whether the user still looks at this change; otherwise the result must not take away what the user does now. */
function isReviewed(pending: PendingChange): boolean {
  const { screen, item } = route.value;
  return pendingChange.value === pending && screen === "zones" && item === "review";
}

/** @param needsRestart options that apply only after a restart */
function finish(pending: PendingChange, needsRestart: readonly string[]): void {
  const { zoneIds, next, forget } = pending;
  const isHere = isReviewed(pending);
  if (pendingChange.value === pending) pendingChange.value = undefined;
  forget();
  noteSaved(pending.changes);
  savedChanges.value += 1;
  if (isHere && next === undefined)
    return replaceBy(`#/zones/saved?ids=${encodeURIComponent(zoneIds.join(","))}`);
  const options = needsRestart.join(", ");
  showNotice(options === "" ? t("saved.title") : t("saved.afterRestart", { options }));
  if (isHere && next !== undefined) go(next);
}

/** The change was undone; it stays here, so that it can be corrected. */
function Reverted({ reason }: { readonly reason: string }) {
  return (
    <section class="box s-fault" role="alert">
      <h2>{t("review.reverted")}</h2>
      <p>
        <DaemonText text={reason} />
      </p>
      <p class="quiet">{t("review.revertedText")}</p>
      <a class="button" href="#/events?q=configuration-reverted">
        {t("review.log")}
      </a>
    </section>
  );
}
