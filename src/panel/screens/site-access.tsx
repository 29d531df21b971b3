import { useEffect, useState } from "preact/hooks";
import type { EnrolmentCode, SiteAccess as Access } from "../../generated/types.ts";
import { Act } from "../act.tsx";
import { AS_TYPED } from "../as-typed.ts";
import { request, useQuery } from "../api.ts";
import { Badge, type Tone } from "../badge.tsx";
import { everyShown } from "../clock.ts";
import { formatTime } from "../date-format.ts";
import { ConfirmDialog } from "../dialog.tsx";
import { ErrorMessage, useErrorMessage } from "../error-message.tsx";
import { Form, TextField, formText } from "../field.tsx";
import { ApiError, apiPath } from "../http.ts";
import { t } from "../i18n.ts";
import { Pending, runWithErrorNotice, showNotice } from "../notice.tsx";
import { ObjectiveChoice } from "../objective-choice.tsx";
import { useReferenceNames } from "../objective-names.ts";
import { Pager } from "../pager.tsx";
import { route } from "../route.ts";
import { Table, type Column } from "../table.tsx";
import { CodeTransfer, type Invited } from "./code-transfer.tsx";

const TONES: Readonly<Record<Access["state"], Tone>> = {
  invited: "attention",
  enrolled: "fine",
  revoked: "fault",
};

/** After a code was created: a site is enrolled within minutes, and the list may have thousands of sites. */
const REFRESH_EVERY_MS = 10_000;
const PAGE_SIZE = 50;
/** The code of the refusal of a one-time code for a site that is enrolled, without the confirmation. */
const ENROLLED_CODE = "site-enrolled";

/** The accounts of the sites, for administrators: one-time codes for new ones, and revocation. */
export function SiteAccess() {
  const [start, setStart] = useState(0);
  const page = `_start=${start}&_end=${start + PAGE_SIZE}`;
  const { response, error, reload, refresh } = useQuery<Access[]>(apiPath(`/enrolments?${page}`));
  const total = Number(response?.headers.get("X-Total-Count") ?? 0);
  const nameOf = useReferenceNames((response?.body ?? []).flatMap(({ objectives }) => objectives));
  const [leaving, setLeaving] = useState<string>();
  const revoke = async (site: string): Promise<void> => {
    await runWithErrorNotice(async () => {
      await request(apiPath(`/enrolments/${encodeURIComponent(site)}`), { method: "DELETE" });
      showNotice(t("access.revoked", { site }));
    });
    reload();
  };
  return (
    <section class="card">
      <h2>{t("access.title")}</h2>
      <p>{t("access.text")}</p>
      {!response && <Pending error={error} reload={reload} />}
      {response && response.body.length > 0 && (
        <>
          <Table
            caption={t("access.title")}
            columns={columns(setLeaving, nameOf)}
            rows={response.body}
            keyOf={({ site }) => site}
          />
          {total > PAGE_SIZE && <Pager start={start} size={PAGE_SIZE} total={total} turn={setStart} />}
        </>
      )}
      <Invitation onIssued={reload} refresh={refresh} />
      {leaving !== undefined && (
        <ConfirmDialog
          title={t("access.revokeTitle", { site: leaving })}
          action={t("access.revoke")}
          isDanger
          act={() => revoke(leaving)}
          close={() => setLeaving(undefined)}
        >
          <p>{t("access.revokeText")}</p>
        </ConfirmDialog>
      )}
    </section>
  );
}

function columns(revoke: (site: string) => void, nameOf: (reference: string) => string): Column<Access>[] {
  return [
    { key: "site", title: t("sites.ref"), isLead: true, cell: ({ site }) => <code>{site}</code> },
    {
      key: "state",
      title: t("access.state"),
      cell: ({ state }) => <Badge tone={TONES[state]}>{t(`access.state.${state}`)}</Badge>,
    },
    {
      key: "code",
      title: t("access.codeUntil"),
      cell: ({ codeExpiresAt }) => (codeExpiresAt === null ? "–" : formatTime(codeExpiresAt)),
    },
    {
      key: "objectives",
      title: t("nav.objectives"),
      cell: ({ objectives }) => objectives.map(nameOf).join(", "),
    },
    {
      key: "actions",
      title: t("zones.actions"),
      cell: ({ site, state, codeExpiresAt }) =>
        // A code of a revoked site would let a device in again.
        state === "revoked" && codeExpiresAt === null ? (
          "–"
        ) : (
          <Act aria-label={`${t("access.revoke")} ${site}`} onClick={() => revoke(site)}>
            {t("access.revoke")}
          </Act>
        ),
    },
  ];
}

/** A form for a one-time code. The code is shown until the next one; the centre keeps only its hash. */
function Invitation({ onIssued, refresh }: { readonly onIssued: () => void; readonly refresh: () => void }) {
  const [objectives, setObjectives] = useState<readonly string[]>([]);
  const [issued, setIssued] = useState<EnrolmentCode>();
  const [transferred, setTransferred] = useState<Invited>();
  const [problem, run] = useErrorMessage();
  // An installer is at the device with the code.
  useEffect(() => (issued ? everyShown(REFRESH_EVERY_MS, refresh) : undefined), [issued]);
  const issue = (body: Invited): Promise<void> =>
    run(async () => {
      try {
        setIssued((await request<EnrolmentCode>(apiPath("/enrolments"), { method: "POST", body })).body);
        setObjectives([]);
      } catch (error) {
        // Another device would take over its account.
        if (!(error instanceof ApiError) || error.code !== ENROLLED_CODE) throw error;
        setTransferred(body);
      }
    }).finally(onIssued);
  const invite = async (fields: FormData): Promise<void> => {
    const chosen = objectives.length > 0 ? objectives : [chosenIn(fields)];
    await issue({ site: formText(fields, "site").trim(), objectives: chosen });
  };
  return (
    <>
      <details open={route.value.query["open"] === "invite"}>
        <summary>{t("access.invite")}</summary>
        <p>{t("access.inviteText")}</p>
        <Form onSubmit={invite}>
          <TextField
            label={t("sites.ref")}
            name="site"
            hint={t("access.refHint")}
            autocomplete="off"
            {...AS_TYPED}
            maxLength={32}
            required
          />
          <ObjectiveChoice type="obiective/cladiri" id={undefined} />
          <Chosen
            objectives={objectives}
            remove={(one) => setObjectives(objectives.filter((o) => o !== one))}
          />
          <ErrorMessage text={problem} />
          <div class="row">
            <button
              type="button"
              onClick={({ currentTarget: { form } }) => {
                const fields = new FormData(form ?? undefined);
                // None is selected while the list is awaited.
                if (formText(fields, "objectiveId") !== "")
                  setObjectives([...new Set([...objectives, chosenIn(fields)])]);
              }}
            >
              {t("access.addObjective")}
            </button>
            <Act type="submit" class="main">
              {t("access.inviteDo")}
            </Act>
          </div>
        </Form>
      </details>
      {issued && <Issued code={issued} />}
      {transferred && (
        <CodeTransfer invited={transferred} issue={issue} close={() => setTransferred(undefined)} />
      )}
    </>
  );
}

/** The objective that is selected in the form, as type and id. */
function chosenIn(fields: FormData): string {
  return `${formText(fields, "objectiveType")}/${formText(fields, "objectiveId")}`;
}

function Chosen({
  objectives,
  remove,
}: {
  readonly objectives: readonly string[];
  readonly remove: (objective: string) => void;
}) {
  const nameOf = useReferenceNames(objectives);
  if (objectives.length === 0) return null;
  return (
    <ul>
      {objectives.map((one) => (
        <li key={one}>
          {nameOf(one)}{" "}
          <button
            type="button"
            aria-label={`${t("access.remove")} ${nameOf(one)}`}
            onClick={() => remove(one)}
          >
            {t("access.remove")}
          </button>
        </li>
      ))}
    </ul>
  );
}

function Issued({ code: { code, site, expiresAt } }: { readonly code: EnrolmentCode }) {
  const centre = new URL(`.${apiPath("")}`, location.href).href.replace(/\/$/, "");
  return (
    <div class="box" role="status">
      <p>{t("access.issued", { site, time: formatTime(expiresAt) })}</p>
      <p>
        <code>{code}</code>
      </p>
      <p>{t("access.inPanel")}</p>
      <p>
        <code>
          {centre}/#enrol={code}
        </code>
      </p>
      <p>{t("access.atSite")}</p>
      <p>
        <code>
          sudo santinela enrol {code} --centre {centre}
        </code>
      </p>
    </div>
  );
}
