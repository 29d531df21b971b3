import type { SensorTrialView, TrialReadingView } from "../../site/discovery-view.ts";
import { request } from "../api.ts";
import { formatTime } from "../date-format.ts";
import { timeoutSignal } from "../http.ts";
import { t, translateCode } from "../i18n.ts";
import { Icon } from "../icon.tsx";
import { useLooks } from "../limited-looks.ts";
import { SearchOver } from "./search-over.tsx";

/** Fast enough to be seen while the contact is still held open. */
const LOOK_EVERY_MS = 1_000;

/**
 * "Operate the sensor now": what the sensor sends, read as the zone would, before there is a zone. Nothing is dispatched.
 * @param kind the zone type, for what to do at the sensor
 * @param endsItself whether the zone returns to normal by itself, as that of a button without a message for its release
 * @param onSwap undefined if the meaning of the values cannot be exchanged
 */
export function SensorTrial({
  input,
  kind,
  endsItself,
  onSwap,
}: {
  readonly input: Readonly<Record<string, unknown>>;
  readonly kind: string;
  readonly endsItself: boolean;
  readonly onSwap: (() => void) | undefined;
}) {
  const { trial, isOver, again } = useTrial(input);
  const readings = trial?.readings ?? [];
  const now = readings.filter(({ isEarlier }) => !isEarlier);
  const [opened] = now.filter(({ contact }) => contact === "open").slice(-1);
  const [last] = readings.slice(-1);
  const [newest] = now.slice(-1);
  const isClosed = opened !== undefined && (endsItself || newest?.contact === "normal");
  const isUnread = last === undefined && "gpio" in input;
  return (
    <section
      class={opened ? "card s-fine" : "card"}
      aria-label={t("trial.title")}
      data-trial={stateOf(opened, isClosed)}
    >
      <div class="row">
        <span class={opened ? "disc s-fine" : "disc s-test"}>
          <Icon name={opened ? "check" : "flask-conical"} />
        </span>
        <div class="grow" role="status">
          <h2>
            {opened
              ? t(isClosed ? "trial.passed" : "trial.opened", { time: formatTime(opened.at) })
              : // Not before the daemon listens: an opening in between would be missed.
                t(trial && !isOver ? "trial.ask" : "trial.title")}
          </h2>
          <small>
            {trial && !isOver && !opened && !isUnread && `${translateCode("walk.do", kind, "")} `}
            {t(isUnread ? "trial.lineUnread" : opened && !isClosed ? "trial.close" : "trial.nothingSent")}
          </small>
        </div>
      </div>
      {last && <Reading reading={last} input={input} />}
      {isOver && <SearchOver again={again} of="trial" />}
      {trial && trial.listening !== "listening" && <p class="quiet">{t(`found.state.${trial.listening}`)}</p>}
      {onSwap && last && last.contact !== "unknown" && (
        <div class="stack tight">
          <small>{t("trial.swapText")}</small>
          <button type="button" onClick={onSwap}>
            {t("trial.swap")}
          </button>
        </div>
      )}
    </section>
  );
}

function stateOf(opened: TrialReadingView | undefined, isClosed: boolean): string {
  if (opened === undefined) return "waiting";
  return isClosed ? "passed" : "opened";
}

/** The newest message, with the value that decides the contact. */
function Reading({
  reading: { contact, value, message, at },
  input,
}: {
  readonly reading: TrialReadingView;
  readonly input: Readonly<Record<string, unknown>>;
}) {
  return (
    <div class="stack tight">
      <p>
        <strong>{t(`trial.contact.${contact}`)}</strong>{" "}
        <small>
          {value !== null && `${String(value)} · `}
          {formatTime(at)}
        </small>
      </p>
      {message && (
        <pre class="diff" tabIndex={0} aria-label={t("found.lastMessage")}>
          <span>{message.topic}</span>
          <span>{marked(message.payload, input["path"])}</span>
        </pre>
      )}
    </div>
  );
}

/** The payload with the member that the path names. */
function marked(payload: string, path: unknown) {
  const name = typeof path === "string" ? path.split("/").pop() : undefined;
  const literal = JSON.stringify(name ?? "").replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  const found =
    name === undefined ? null : new RegExp(`${literal}\\s*:\\s*("[^"]*"|[^,}\\]]+)`).exec(payload);
  if (!found) return payload;
  return (
    <>
      {payload.slice(0, found.index)}
      <mark>{found[0]}</mark>
      {payload.slice(found.index + found[0].length)}
    </>
  );
}

/** What the input has read so far, again every second for ten minutes. */
function useTrial(input: Readonly<Record<string, unknown>>): {
  readonly trial: SensorTrialView | undefined;
  readonly isOver: boolean;
  readonly again: () => void;
} {
  const { seen, error, isOver, again } = useLooks(JSON.stringify(input), LOOK_EVERY_MS, async () => {
    const { body } = await request<SensorTrialView>("/site/discovered/trial", {
      method: "POST",
      body: { input },
      // It changes nothing.
      signal: timeoutSignal(),
    });
    return body;
  });
  // An input that is not complete yet; what was read with the former one no longer holds.
  return { trial: error ? undefined : seen, isOver, again };
}
