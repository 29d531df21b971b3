import { useState } from "preact/hooks";
import type { PlanView } from "../../site/plan-view.ts";
import { Act } from "../act.tsx";
import { request } from "../api.ts";
import { ErrorMessage, useErrorMessage } from "../error-message.tsx";
import { Form, TextField, formText } from "../field.tsx";
import { ApiError, FORM_ERROR_CODE } from "../http.ts";
import { t } from "../i18n.ts";
import { showNotice } from "../notice.tsx";
import { drawnPicture } from "../picture-file.ts";
import { changePlan } from "../plan-change.ts";
import { goFrom, route } from "../route.ts";
import { ofOneUser } from "../session.ts";
import { GuardUnsavedFields } from "../unsaved.tsx";
import { StepHead } from "./step-head.tsx";

/** Uploads the picture of a floor. */
export function NewPlan({ done }: { readonly done: () => void }) {
  const { isUploading, problem, upload } = useUpload(async (bytes, fields) => {
    const here = route.value;
    const path = `/site/plans?name=${encodeURIComponent(formText(fields, "name").trim())}`;
    const { body } = await request<PlanView[]>(path, { method: "POST", bytes });
    done();
    goFrom(here, `#/plan/${body[body.length - 1]?.id}/edit`);
  });
  return (
    <>
      <StepHead title={t("plan.add")} back="#/plan" />
      <section class="card">
        <p>{t("plan.uploadText")}</p>
        <Form onSubmit={upload}>
          <TextField label={t("plan.name")} name="name" required maxLength={40} hint={t("plan.nameHint")} />
          <PictureField />
          <ErrorMessage text={problem} />
          <div class="row">
            <Act type="submit" class="main" disabled={isUploading}>
              {t("plan.upload")}
            </Act>
          </div>
          <GuardUnsavedFields />
        </Form>
      </section>
    </>
  );
}

/**
 * Uploads the chosen picture once, however long it takes: a form takes a second press after a while.
 * @returns whether it is under way, why the last one has failed, and what a form does
 */
function useUpload(send: (bytes: Blob, fields: FormData) => Promise<void>) {
  const [isUploading, setIsUploading] = useState(false);
  const [problem, run] = useErrorMessage();
  const upload = async (fields: FormData): Promise<void> => {
    setIsUploading(true);
    // Drawing takes seconds on a phone.
    await run(async () => send(await ofOneUser(pictureIn(fields)), fields));
    setIsUploading(false);
  };
  return { isUploading, problem, upload };
}

function PictureField() {
  return (
    <p class="field">
      <label for="plan-picture">{t("plan.picture")}</label>
      <input id="plan-picture" type="file" name="picture" accept="image/*" required />
    </p>
  );
}

/** The chosen picture as the daemon takes it. @throws ApiError for a file that the browser cannot draw */
async function pictureIn(fields: FormData): Promise<Blob> {
  const file = fields.get("picture");
  const picture = file instanceof File ? await drawnPicture(file) : undefined;
  if (!picture) throw new ApiError(0, t("plan.noPicture"), { code: FORM_ERROR_CODE });
  return picture;
}

/** Another picture of the same floor. */
export function Replacement({ plan, done }: { readonly plan: PlanView; readonly done: () => void }) {
  const { isUploading, problem, upload } = useUpload(async (bytes) => {
    await changePlan(plan, "/picture", { method: "PUT", bytes }, done);
    showNotice(t("plan.replaced"));
    done();
  });
  return (
    <details>
      <summary>{t("plan.replace")}</summary>
      <Form onSubmit={upload}>
        <PictureField />
        <ErrorMessage text={problem} />
        <Act type="submit" disabled={isUploading}>
          {t("plan.replace")}
        </Act>
      </Form>
    </details>
  );
}
