import { useState } from "preact/hooks";
import type { OptionView } from "../../http/site/settings-port.ts";
import { askFile, useAnswer } from "../api.ts";
import { handOver } from "../file-download.ts";
import { say } from "../language.ts";
import { status } from "../live.ts";
import { attempt, Pending } from "../notice.tsx";
import { LogButton } from "./log-button.tsx";
import { People } from "./people.tsx";
import { RestartButton } from "./restart-button.tsx";
import { Restore } from "./restore.tsx";
import { Table, type Column } from "../table.tsx";

/** What the installation runs with, and a copy of what it knows. */
export function SettingsScreen() {
  return (
    <>
      <h1>{say("nav.settings")}</h1>
      <p class="row">
        <a class="button" href="#/setup">
          {say("nav.setup")}
        </a>
        <RestartButton />
        <LogButton />
      </p>
      <People />
      <Backup />
      <Restore />
      <Configuration />
    </>
  );
}

function Backup() {
  const [isTaken, setIsTaken] = useState(false);
  const take = async (): Promise<void> => {
    setIsTaken(true);
    await attempt(async () => {
      const content = await askFile("/site/backup");
      handOver(content, `${status.value?.site.ref ?? "santinela"}.db`);
    });
    setIsTaken(false);
  };
  return (
    <section class="below">
      <h2>{say("settings.backup")}</h2>
      <p>{say("settings.backupText")}</p>
      <p>
        <button type="button" disabled={isTaken} onClick={() => void take()}>
          {say("settings.download")}
        </button>
      </p>
    </section>
  );
}

function Configuration() {
  const { answer, refusal, askAgain } = useAnswer<OptionView[]>("/site/configuration");
  return (
    <section class="below">
      <h2>{say("settings.configuration")}</h2>
      {answer ? (
        <Table
          caption={say("settings.configuration")}
          columns={columns()}
          rows={answer.body}
          keyOf={({ option }) => option}
        />
      ) : (
        <Pending refusal={refusal} askAgain={askAgain} />
      )}
    </section>
  );
}

function columns(): Column<OptionView>[] {
  return [
    { key: "option", title: say("settings.option"), cell: ({ option }) => <code>{option}</code> },
    { key: "value", title: say("settings.value"), cell: ({ value }) => JSON.stringify(value) },
    {
      key: "source",
      title: say("settings.source"),
      cell: ({ source }) => (source === "default" ? say("settings.default") : source),
    },
  ];
}
