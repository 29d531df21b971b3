import { useState } from "preact/hooks";
import type { ObjectiveType } from "../../generated/types.ts";
import type { ConfirmationView, EnrolmentResult, EnrolmentView } from "../../site/configuration-view.ts";
import { Act } from "../act.tsx";
import { AS_TYPED } from "../as-typed.ts";
import { request, useQuery } from "../api.ts";
import { DaemonText } from "../daemon-text.tsx";
import { ErrorMessage } from "../error-message.tsx";
import { Form, TextField, formText } from "../field.tsx";
import { testedZones } from "../guide-steps.ts";
import { t } from "../i18n.ts";
import { zones } from "../live-updates.ts";
import { TextArea } from "../more-fields.tsx";
import { useObjectiveNames } from "../objective-names.ts";
import { Pending, showNotice } from "../notice.tsx";
import { Password, usePasswordForm } from "../password.tsx";
import { SettingsSection } from "./settings-section.tsx";
import { GuardUnsavedFields } from "../unsaved.tsx";

/** The dispatch centre of this site; one that has none is enrolled here with a one-time code. */
export function CentreEnrolment() {
  const { response, error, reload } = useQuery<EnrolmentView>("/site/enrolment");
  const [result, setResult] = useState<EnrolmentResult>();
  return (
    <SettingsSection name="centre" title="enrol.title">
      {!response && <Pending error={error} reload={reload} />}
      {result && <Result result={result} />}
      {response?.body.obstacle === null && result?.state !== "applied" && (
        <EnrolmentForm
          view={response.body}
          onResult={(next) => {
            setResult(next);
            reload();
          }}
        />
      )}
      {response && response.body.obstacle !== null && <Obstacle view={response.body} />}
    </SettingsSection>
  );
}

function Obstacle({ view: { obstacle, centre, site } }: { readonly view: EnrolmentView }) {
  if (obstacle === "has-centre")
    return (
      <>
        {centre !== null && <p>{t("enrol.centreIs", { centre })}</p>}
        <p class="quiet">{t("enrol.onDevice")}</p>
      </>
    );
  return (
    <>
      <p>{t("enrol.notHere", { site })}</p>
      <p>
        <code>sudo santinela enrol CODE --centre https://…</code>
      </p>
    </>
  );
}

function EnrolmentForm({
  view: { site, takesReference },
  onResult,
}: {
  readonly view: EnrolmentView;
  readonly onResult: (result: EnrolmentResult) => void;
}) {
  const [centre, setCentre] = useState("");
  const [code, setCode] = useState("");
  const [isBusy, setIsBusy] = useState(false);
  const [problem, run, wrong] = usePasswordForm();
  const enter = (text: string): void => {
    // The link on the screen Sites of the centre has both.
    const [, address = text, its] = /^(.*?)\/?#enrol=(\S+)$/.exec(text.trim()) ?? [];
    setCentre(address);
    if (its !== undefined) setCode(its);
  };
  const enrol = async (fields: FormData): Promise<void> => {
    setIsBusy(true);
    await run(async () => {
      const { body: confirmed } = await request<ConfirmationView>("/site/configuration/confirmation", {
        method: "POST",
        body: { password: formText(fields, "password") },
      });
      const ca = formText(fields, "ca").trim();
      const order = { centre, code, confirmation: confirmed.confirmation, ...(ca === "" ? {} : { ca }) };
      const { body } = await request<EnrolmentResult>("/site/enrolment", { method: "POST", body: order });
      if (body.state === "applied") showNotice(t("enrol.done", { centre: body.centre }));
      onResult(body);
    });
    setIsBusy(false);
  };
  return (
    <>
      <p>{takesReference ? t("enrol.textNew") : t("enrol.text", { site })}</p>
      <Form onSubmit={enrol}>
        <TextField
          label={t("enrol.centre")}
          name="centre"
          hint={t("enrol.centreHint")}
          value={centre}
          maxLength={500}
          autocomplete="off"
          {...AS_TYPED}
          required
          onInput={({ currentTarget }) => enter(currentTarget.value)}
        />
        <TextField
          label={t("enrol.code")}
          name="code"
          value={code}
          maxLength={100}
          autocomplete="off"
          {...AS_TYPED}
          required
          onInput={({ currentTarget }) => setCode(currentTarget.value)}
        />
        <OwnAuthority />
        <ConfirmingPassword problem={wrong} />
        <ErrorMessage text={problem} />
        <Act type="submit" class="main" disabled={isBusy}>
          {t(isBusy ? "enrol.busy" : "enrol.do")}
        </Act>
        <GuardUnsavedFields />
      </Form>
    </>
  );
}

function ConfirmingPassword({ problem }: { readonly problem: string }) {
  return (
    <Password
      name="password"
      label={t("review.password")}
      isNew={false}
      hint={t("review.passwordHint")}
      problem={problem}
    />
  );
}

function OwnAuthority() {
  return (
    <details>
      <summary>{t("enrol.ownAuthority")}</summary>
      <p class="quiet">{t("enrol.ownAuthorityText")}</p>
      <TextArea label={t("enrol.authority")} name="ca" value="" />
    </details>
  );
}

function Result({
  result: { state, reason, site, centre, objectives, zonesOutside, names },
}: {
  readonly result: EnrolmentResult;
}) {
  // As type and number, such as obiective/cladiri/13.
  const located = objectives.map((one) => ({
    objectiveType: one.slice(0, one.lastIndexOf("/")) as ObjectiveType,
    objectiveId: Number(one.slice(one.lastIndexOf("/") + 1)),
  }));
  const nameOf = useObjectiveNames(located);
  const isSetUp = zones.value.length > 0 && testedZones(zones.value).length === zones.value.length;
  if (state === "reverted")
    return (
      <p class="box s-fault" role="alert">
        {t("review.reverted")} <DaemonText text={reason ?? ""} />
      </p>
    );
  return (
    <div class={`box ${names.some(({ differ }) => differ) ? "s-attention" : "s-fine"}`} role="status">
      <p>{t("enrol.done", { centre })}</p>
      <p>{t("enrol.siteIs", { site })}</p>
      <p>{t("enrol.objectives", { objectives: located.map(nameOf).join(", ") })}</p>
      {names.map(({ objective, here, there, differ }) => (
        <p key={objective}>
          {differ
            ? t("enrol.otherName", { objective, here: here ?? "", there })
            : t("enrol.name", { objective, there })}
        </p>
      ))}
      {names.some(({ differ }) => differ) && (
        <p>
          <strong>{t("enrol.compareNames")}</strong>
        </p>
      )}
      {zonesOutside.length > 0 && <p>{t("enrol.outside", { zones: zonesOutside.join(", ") })}</p>}
      {!isSetUp && (
        <a class="button" href="#/setup">
          {t("guide.continue")}
        </a>
      )}
    </div>
  );
}
