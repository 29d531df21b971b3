import { useEffect, useState } from "preact/hooks";
import type { DraftView, QuestionView } from "../../site/administration-view.ts";
import { AS_TYPED } from "../as-typed.ts";
import { request } from "../api.ts";
import { later } from "../clock.ts";
import { TextField } from "../field.tsx";
import { downloadFile } from "../file-download.ts";
import { ApiError, timeoutSignal } from "../http.ts";
import { DaemonText } from "../daemon-text.tsx";
import { t, translateCode } from "../i18n.ts";
import { Choice } from "../more-fields.tsx";
import { Pending } from "../notice.tsx";
import { useUnsavedInput } from "../unsaved.tsx";
import { RestartButton } from "./restart-button.tsx";

/** Delay after the last key press before the answers are sent. */
const TYPING_MS = 250;

type Answers = Readonly<Record<string, string>>;

/** A draft with the answers it was made of: the user may have entered others since. */
interface Judged {
  readonly draft: DraftView;
  readonly answers: Answers;
}

/**
 * The questions of a first configuration and the resulting file. A user copies the file to the device: a panel that
 * could write it could also redirect alarms.
 */
export function FirstConfiguration() {
  const [answers, setAnswers] = useState<Answers>({});
  const [judged, setJudged] = useState<Judged | undefined>(undefined);
  const draft = judged?.draft;
  const [error, setError] = useState<ApiError | undefined>(undefined);
  const [round, setRound] = useState(0);
  const [isDownloaded, setIsDownloaded] = useState(false);
  useUnsavedInput(() => !isDownloaded && Object.values(answers).some((answer) => answer !== ""));
  useEffect(() => {
    let isActive = true;
    const ask = async (): Promise<void> => {
      try {
        const options = { method: "POST", body: answers, signal: timeoutSignal() } as const;
        const { body } = await request<DraftView>("/site/setup/draft", options);
        if (!isActive) return;
        setJudged({ draft: body, answers });
        setError(undefined);
      } catch (cause) {
        if (!(cause instanceof ApiError)) throw cause;
        if (isActive) setError(cause);
      }
    };
    const cancel = later(draft ? TYPING_MS : 0, () => void ask());
    return () => {
      isActive = false;
      cancel();
    };
  }, [answers, round]);
  const pending = <Pending error={error} reload={() => setRound(round + 1)} />;
  if (!judged || !draft) return pending;
  return (
    <>
      {error && pending}
      <form class="grid" onSubmit={(event) => event.preventDefault()}>
        {draft.questions.map((question) => (
          <QuestionField
            key={question.name}
            question={question}
            answer={answers[question.name] ?? ""}
            isJudged={answers[question.name] === judged.answers[question.name]}
            onAnswer={(answer) => {
              setAnswers({ ...answers, [question.name]: answer });
              setIsDownloaded(false);
            }}
          />
        ))}
      </form>
      {draft.configuration === null ? (
        <p class="quiet">{t("guide.unanswered")}</p>
      ) : (
        <Result draft={draft} text={draft.configuration} downloaded={() => setIsDownloaded(true)} />
      )}
    </>
  );
}

function QuestionField({
  question: { name, text, choices, fallback, problem },
  answer,
  isJudged,
  onAnswer,
}: {
  readonly question: QuestionView;
  readonly answer: string;
  /** Whether the problem is that of this answer, not of an earlier one. */
  readonly isJudged: boolean;
  readonly onAnswer: (answer: string) => void;
}) {
  const label = translateCode("question", name, text);
  if (choices)
    return (
      <Choice
        label={label}
        name={name}
        value={answer || (fallback ?? "")}
        options={choices.map((choice) => [choice, translateCode(`choice.${name}`, choice)] as const)}
        onChange={onAnswer}
      />
    );
  const isWrong = isJudged && answer.trim() !== "" && problem !== null;
  // What is accepted, in the language of the user.
  const hint = isWrong
    ? translateCode("answer", name, problem)
    : answer === "" && fallback && t("guide.default", { text: fallback });
  return (
    <TextField
      label={label}
      name={name}
      value={answer}
      maxLength={500}
      {...(name.endsWith("-name") ? {} : AS_TYPED)}
      required={fallback === null}
      {...(hint ? { hint } : {})}
      aria-invalid={isWrong || undefined}
      onInput={(event) => onAnswer(event.currentTarget.value)}
    />
  );
}

function Result({
  draft,
  text,
  downloaded,
}: {
  readonly draft: DraftView;
  readonly text: string;
  readonly downloaded: () => void;
}) {
  const { file, exists, secretFiles, errors } = draft;
  const folder = file.slice(0, file.lastIndexOf("/"));
  // Files of the package belong to root and are readable by the group of the service.
  const isPackaged = exists && file.startsWith("/etc/");
  const place = isPackaged ? "sudo install -b -m 640 -g santinela" : "install -b -D -m 600";
  return (
    <section>
      <h3>{t("guide.file")}</h3>
      {errors !== null && (
        <p class="box s-fault">
          <DaemonText text={errors} />
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
        <button
          type="button"
          onClick={() => {
            downloadFile(new Blob([text]), "santinela.yaml");
            downloaded();
          }}
        >
          {t("guide.download")}
        </button>
        <RestartButton />
      </p>
    </section>
  );
}
