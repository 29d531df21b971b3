import "../facts.css";
import { useState } from "preact/hooks";
import type { UploadView, RestoreView } from "../../site/administration-view.ts";
import { Act } from "../act.tsx";
import { request } from "../api.ts";
import { Dialog } from "../dialog.tsx";
import { ErrorMessage, useErrorMessage } from "../error-message.tsx";
import { Form, formText } from "../field.tsx";
import { t } from "../i18n.ts";
import { SettingsSection } from "./settings-section.tsx";
import { showNotice } from "../notice.tsx";
import { Password, usePasswordForm } from "../password.tsx";

/** Maximum size that the daemon accepts in one request. */
const CHUNK_BYTES = 1024 * 1024;
const IDS_SHOWN = 20;

interface Planned {
  readonly copy: number;
  readonly plan: RestoreView;
}

/** Uploads a backup, shows what a restore would change, and restores it after a confirmation. */
export function Restore() {
  const [percent, setPercent] = useState<number | undefined>(undefined);
  const [planned, setPlanned] = useState<Planned | undefined>(undefined);
  const [problem, run] = useErrorMessage();
  const upload = async (fields: FormData): Promise<void> => {
    const file = fields.get("copy");
    if (!(file instanceof File) || file.size === 0) return;
    await run(async () => {
      const copy = await uploadChunks(file, setPercent);
      const options = { method: "POST", body: { copy, dryRun: true } } as const;
      setPlanned({ copy, plan: (await request<RestoreView>("/site/restore", options)).body });
    });
    setPercent(undefined);
  };
  return (
    <SettingsSection name="restore" title="restore.title">
      <p>{t("restore.text")}</p>
      <Form onSubmit={upload}>
        <p class="field">
          <label for="restore-copy">{t("restore.file")}</label>
          <input id="restore-copy" type="file" name="copy" required />
        </p>
        <ErrorMessage text={problem} />
        <Act type="submit" disabled={percent !== undefined}>
          {t("restore.check")}
        </Act>
        <span role="status">{percent !== undefined && t("restore.uploaded", { percent })}</span>
      </Form>
      {planned && <RestoreQuestion planned={planned} close={() => setPlanned(undefined)} />}
    </SettingsSection>
  );
}

/** @returns the number of the uploaded backup */
async function uploadChunks(file: File, onPercent: (percent: number) => void): Promise<number> {
  let copy = 0;
  for (let from = 0; from < file.size; from += CHUNK_BYTES) {
    onPercent(Math.floor((100 * from) / file.size));
    const bytes = file.slice(from, from + CHUNK_BYTES);
    const path = `/site/restore/pieces?from=${from}`;
    ({ copy } = (await request<UploadView>(path, { method: "POST", bytes })).body);
  }
  return copy;
}

function RestoreQuestion({ planned, close }: { readonly planned: Planned; readonly close: () => void }) {
  const { copy, plan } = planned;
  const { otherSite, brokenTrail } = plan;
  const [problem, run, wrong] = usePasswordForm();
  const [isSent, setSent] = useState(false);
  const restore = async (fields: FormData): Promise<void> => {
    const currentPassword = formText(fields, "currentPassword");
    setSent(true);
    // After a mistyped password the uploaded backup is still there.
    await run(async () => {
      const body = { copy, otherSite: otherSite !== undefined, currentPassword };
      await request("/site/restore", { method: "POST", body });
      close();
      showNotice(t("restore.done"));
    });
    setSent(false);
  };
  return (
    <Dialog title={t("restore.question")} onCancel={isSent ? undefined : close}>
      {otherSite !== undefined && <p role="alert">{t("restore.other", { site: otherSite })}</p>}
      {brokenTrail !== undefined && <p role="alert">{t("restore.brokenTrail", { entries: brokenTrail })}</p>}
      <dl class="facts">
        <dt>{t("restore.inBackup")}</dt>
        <dd>{plan.recordsInBackup}</dd>
        <dt>{t("restore.onlyInCurrent")}</dt>
        <dd>{idList(plan.onlyInCurrent)}</dd>
        <dt>{t("restore.onlyInBackup")}</dt>
        <dd>{idList(plan.onlyInBackup)}</dd>
      </dl>
      <p>{t("restore.warning")}</p>
      <Form onSubmit={restore}>
        <Password name="currentPassword" label={t("accounts.ownPassword")} isNew={false} problem={wrong} />
        <ErrorMessage text={problem} />
        <div class="row">
          <Act type="submit" class="danger main">
            {t(otherSite === undefined ? "restore.do" : "restore.doOther")}
          </Act>
          <button type="button" disabled={isSent} onClick={close}>
            {t("app.cancel")}
          </button>
        </div>
      </Form>
    </Dialog>
  );
}

function idList(ids: readonly number[]): string {
  const shown = ids.slice(0, IDS_SHOWN).map((id) => `#${id}`);
  if (ids.length > IDS_SHOWN) shown.push("…");
  return ids.length === 0 ? "0" : `${ids.length} (${shown.join(", ")})`;
}
