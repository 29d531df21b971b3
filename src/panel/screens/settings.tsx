import "../facts.css";
import { useState } from "preact/hooks";
import type { OptionView } from "../../site/administration-view.ts";
import { useQuery } from "../api.ts";
import { ErrorMessage, useErrorMessage } from "../error-message.tsx";
import { downloadFile } from "../file-download.ts";
import { requestFile } from "../file-request.ts";
import { formatTime } from "../date-format.ts";
import { t } from "../i18n.ts";
import { status } from "../live-updates.ts";
import { Pending } from "../notice.tsx";
import { CentreEnrolment } from "./centre-enrolment.tsx";
import { DebugLogButton } from "./debug-log-button.tsx";
import { Accounts } from "./accounts.tsx";
import { PanelAddress } from "./panel-address.tsx";
import { RestartButton } from "./restart-button.tsx";
import { SettingsSection } from "./settings-section.tsx";
import { SiteForm } from "./site-form.tsx";
import { Restore } from "./restore.tsx";
import { Table, type Column } from "../table.tsx";

/** Accounts, backup, restore and the effective configuration. */
export function SettingsScreen() {
  if (status.value?.role === "centre")
    return (
      <>
        <h1>{t("nav.settings")}</h1>
        <About />
        <div class="row">
          <a class="button" href="#/api">
            {t("nav.api")}
          </a>
        </div>
        <Accounts />
        <CentreOnOneMachine />
      </>
    );
  return (
    <>
      <h1>{t("nav.settings")}</h1>
      <About />
      <div class="row">
        <a class="button" href="#/setup">
          {t("nav.setup")}
        </a>
        <a class="button" href="#/api">
          {t("nav.api")}
        </a>
        <RestartButton />
        <DebugLogButton />
      </div>
      <SiteForm />
      <PanelAddress />
      <CentreEnrolment />
      <Accounts />
      <Backup />
      <Restore />
      <Configuration />
    </>
  );
}

/**
 * What a dispatch centre with SQLite has in the panel. On PostgreSQL, its configuration is a file on each of its machines, and its
 * database has backups of its own: the API has neither.
 */
function CentreOnOneMachine() {
  const { response, error, reload } = useQuery<OptionView[]>("/site/configuration");
  if (!response) return error?.status === 404 ? null : <Pending error={error} reload={reload} />;
  return (
    <>
      <Backup />
      <Restore />
      <SettingsSection name="configuration" title="settings.configuration">
        <Options rows={response.body} />
      </SettingsSection>
    </>
  );
}

/** Version, start and time zone of this installation. */
function About() {
  const now = status.value;
  if (!now) return null;
  return (
    <section class="card">
      <dl class="facts">
        <dt>{t("status.version")}</dt>
        <dd>{now.version}</dd>
        <dt>{t("status.started")}</dt>
        <dd>{formatTime(now.startedAt)}</dd>
        <dt>{t("question.timezone")}</dt>
        <dd>{now.site.timezone}</dd>
      </dl>
    </section>
  );
}

function Backup() {
  const [isBusy, setIsBusy] = useState(false);
  const [problem, run] = useErrorMessage();
  const download = async (): Promise<void> => {
    setIsBusy(true);
    await run(async () => {
      const content = await requestFile("/site/backup");
      downloadFile(content, `${status.value?.site.ref ?? "santinela"}.db`);
    });
    setIsBusy(false);
  };
  return (
    <SettingsSection name="backup" title="settings.backup">
      <p>{t("settings.backupText")}</p>
      <p>
        <button type="button" disabled={isBusy} onClick={() => void download()}>
          {t("settings.download")}
        </button>
      </p>
      <ErrorMessage text={problem} />
    </SettingsSection>
  );
}

function Configuration() {
  const { response, error, reload } = useQuery<OptionView[]>("/site/configuration");
  return (
    <SettingsSection name="configuration" title="settings.configuration">
      <p>
        <a class="button" href="#/zones/earlier">
          {t("earlier.title")}
        </a>
      </p>
      {response ? <Options rows={response.body} /> : <Pending error={error} reload={reload} />}
    </SettingsSection>
  );
}

function Options({ rows }: { readonly rows: readonly OptionView[] }) {
  return (
    <Table
      caption={t("settings.configuration")}
      columns={columns()}
      rows={rows}
      keyOf={({ option }) => option}
    />
  );
}

function columns(): Column<OptionView>[] {
  return [
    { key: "option", title: t("settings.option"), isLead: true, cell: ({ option }) => <code>{option}</code> },
    { key: "value", title: t("settings.value"), cell: ({ value }) => <code>{JSON.stringify(value)}</code> },
    {
      key: "source",
      title: t("settings.source"),
      cell: ({ source }) => (source === "default" ? t("settings.default") : <code>{source}</code>),
    },
  ];
}
