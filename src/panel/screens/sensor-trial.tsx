import type { SensorTrialView, TrialReadingView } from "../../site/discovery-view.ts";
import { request } from "../api.ts";
import { formatTime } from "../date-format.ts";
import { timeoutSignal } from "../http.ts";
import { t, translateCode } from "../i18n.ts";
import { Icon } from "../icon.tsx";
import { useLooks } from "../limited-looks.ts";
import { zones } from "../live-updates.ts";
import { isDispatchedNow } from "../watched-sensor.ts";
import type { InputText } from "../zone-draft.ts";
import { SearchOver } from "./search-over.tsx";

/** Fast enough to be seen while the contact is still held open. */
const LOOK_EVERY_MS = 1_000;

/**
 * "Operate the sensor now": what the sensor sends, read as the zone would. Nothing is dispatched, unless a zone watches the sensor
 * already.
 * @param zoneId of a zone that exists already; undefined for a new one
 * @param kind the zone type, for what to do at the sensor
 * @param endsItself whether the zone returns to normal by itself, as that of a button without a message for its release
 * @param onSwap undefined if the meaning of the values cannot be exchanged
 */
export function SensorTrial({
  input,
  zoneId,
  kind,
  endsItself,
  onSwap,
}: {
  readonly input: InputText;
  readonly zoneId: string | undefined;
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
  const isUnread = trial !== undefined && isUnreadable(input, trial);
  const isZone = zoneId !== undefined && zones.value.some(({ id }) => id === zoneId);
  const isDispatched = isDispatchedNow(input, zoneId);
  const isAsked = trial !== undefined && !isOver && !isUnread && !isDispatched;
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
                t(isAsked ? "trial.ask" : "trial.title")}
          </h2>
          <small>
            {isAsked && !opened && `${translateCode("walk.do", kind, "")} `}
            {opened && !isClosed && `${t("trial.close")} `}
            {isUnread && `${t(isZone ? "trial.zoneLineUnread" : "trial.lineUnread")} `}
            {isDispatched ? t("trial.sent") : !isUnread && t("trial.nothingSent")}
          </small>
        </div>
      </div>
      {(isDispatched || (isUnread && isZone)) && (
        <a class="button" href="#/walk-test">
          {t("trial.walkTest")}
        </a>
      )}
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

/** Whether it says what to read: in a form, options are missing until they are entered. */
function isComplete({ gpio, mqtt, open, adc }: InputText): boolean {
  if (gpio !== undefined) return Number.isInteger(gpio) && gpio >= 0;
  if (mqtt !== undefined) return mqtt !== "" && Array.isArray(open) && open.length > 0;
  return adc !== undefined;
}

/** A line that no program may read while a zone or another program has it. */
function isUnreadable({ gpio }: InputText, { readings }: SensorTrialView): boolean {
  return gpio !== undefined && readings.length === 0;
}

/** The newest message, with the value that decides the contact. */
function Reading({
  reading: { contact, value, message, at },
  input,
}: {
  readonly reading: TrialReadingView;
  readonly input: InputText;
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
function useTrial(input: InputText): {
  readonly trial: SensorTrialView | undefined;
  readonly isOver: boolean;
  readonly again: () => void;
} {
  const ask = async (): Promise<SensorTrialView> => {
    const { body } = await request<SensorTrialView>("/site/discovered/trial", {
      method: "POST",
      body: { input },
      // It changes nothing.
      signal: timeoutSignal(),
    });
    return body;
  };
  const key = isComplete(input) ? JSON.stringify(input) : undefined;
  const isLast = (trial: SensorTrialView): boolean => isUnreadable(input, trial);
  const { seen, error, isOver, again } = useLooks(key, LOOK_EVERY_MS, ask, isLast);
  // An input that is not complete yet; what was read with the former one no longer holds.
  return { trial: error ? undefined : seen, isOver, again };
}
