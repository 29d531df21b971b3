import { useEffect, useState } from "preact/hooks";
import type { DraftView, QuestionView } from "../../http/site/setup-port.ts";
import { request } from "../api.ts";
import { later } from "../clock.ts";
import { Choice, TextField } from "../field.tsx";
import { downloadFile } from "../file-download.ts";
import { t, tCode } from "../i18n.ts";
import { runWithErrorNotice } from "../notice.tsx";
import { RestartButton } from "./restart-button.tsx";

/** Somebody who types is not asked about each letter. */
const TYPING_MS = 250;

/**
 * The questions of a first configuration, and the file that the answers make. The page shows it and the device gets it
 * from a person: what may write there can send the alarms elsewhere.
 */
export function FirstConfiguration() {
  const [answers, setAnswers] = useState<Readonly<Record<string, string>>>({});
  const [draft, setDraft] = useState<DraftView | undefined>(undefined);
  useEffect(() => {
    let isWanted = true;
    const forget = later(draft ? TYPING_MS : 0, () => {
      void runWithErrorNotice(async () => {
        const { body } = await request<DraftView>("/site/setup/draft", { method: "POST", body: answers });
        if (isWanted) setDraft(body);
      });
    });
    return () => {
      isWanted = false;
      forget();
    };
  }, [answers]);
  if (!draft) return <p class="quiet">{t("app.loading")}</p>;
  return (
    <>
      <form class="grid" onSubmit={(event) => event.preventDefault()}>
        {draft.questions.map((question) => (
          <QuestionField
            key={question.name}
            question={question}
            answer={answers[question.name] ?? ""}
            onAnswer={(answer) => setAnswers({ ...answers, [question.name]: answer })}
          />
        ))}
      </form>
      {draft.configuration === null ? (
        <p class="quiet">{t("guide.unanswered")}</p>
      ) : (
        <Result draft={draft} text={draft.configuration} />
      )}
    </>
  );
}

function QuestionField({
  question: { name, text, choices, fallback, problem },
  answer,
  onAnswer,
}: {
  readonly question: QuestionView;
  readonly answer: string;
  readonly onAnswer: (answer: string) => void;
}) {
  const label = tCode("question", name, text);
  if (choices)
    return (
      <Choice
        label={label}
        name={name}
        value={answer || (fallback ?? "")}
        options={choices.map((choice) => [choice, tCode(`choice.${name}`, choice)] as const)}
        onChange={onAnswer}
      />
    );
  const hint = answer === "" ? fallback && t("guide.fallback", { text: fallback }) : problem;
  return (
    <TextField
      label={label}
      name={name}
      value={answer}
      maxLength={500}
      required={fallback === null}
      {...(hint ? { hint } : {})}
      onInput={(event) => onAnswer(event.currentTarget.value)}
    />
  );
}

function Result({ draft, text }: { readonly draft: DraftView; readonly text: string }) {
  const { file, exists, secretFiles, errors: mistakes } = draft;
  const folder = file.slice(0, file.lastIndexOf("/"));
  // What the package has put there belongs to root, and the service's group reads it.
  const isPackaged = exists && file.startsWith("/etc/");
  const place = isPackaged ? "sudo install -b -m 640 -g santinela" : "install -b -D -m 600";
  return (
    <section>
      <h3>{t("guide.file")}</h3>
      {mistakes !== null && (
        <p class="bad box" lang="en">
          {mistakes}
        </p>
      )}
      <pre class="box" tabIndex={0}>
        {text}
      </pre>
      <ol>
        <li>
          {t(exists ? "guide.replace" : "guide.save")}
          <br />
          <code>{`${place} santinela.yaml ${file}`}</code>
        </li>
        {secretFiles.map((name) => (
          <li key={name}>
            {t("guide.secret")}
            <br />
            <code>{`${place} /dev/stdin ${folder}/${name}`}</code>
          </li>
        ))}
        {isPackaged && (
          <li>
            {t("guide.check")}
            <br />
            <code>sudo santinela check-config</code>
          </li>
        )}
        <li>{t("guide.restart")}</li>
      </ol>
      <p class="row">
        <button type="button" onClick={() => downloadFile(new Blob([text]), "santinela.yaml")}>
          {t("guide.download")}
        </button>
        <RestartButton />
      </p>
    </section>
  );
}
