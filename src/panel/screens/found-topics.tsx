import { useState } from "preact/hooks";
import type { FoundDeviceView, LastMessageView, UnknownTopicView } from "../../site/discovery-view.ts";
import { formatTime } from "../date-format.ts";
import { t } from "../i18n.ts";
import { draft, meaningOf, type ZoneDraft } from "../zone-draft.ts";

/** Topics shown before the user searches further. */
const UNKNOWN_SHOWN = 20;

/** A daemon of an earlier release does not send what the values mean. */
type SentTopic = Omit<UnknownTopicView, "guesses"> & {
  readonly guesses?: UnknownTopicView["guesses"] | undefined;
};

/** A daemon of an earlier release does not send the topics. */
type SilentDevice = Omit<FoundDeviceView, "topics"> & {
  readonly topics?: FoundDeviceView["topics"] | undefined;
};

/** Devices without a proposed zone, and topics of which no device is known. */
export function UnknownTopics({
  topics,
  devices,
  isOnly,
}: {
  readonly topics: readonly UnknownTopicView[];
  readonly devices: readonly SilentDevice[];
  /** Whether there is no sensor above; then these are not hidden. */
  readonly isOnly: boolean;
}) {
  const [isAll, setIsAll] = useState(false);
  const free = topics.filter(({ zoneIds }) => zoneIds.length === 0);
  if (free.length === 0 && devices.length === 0) return null;
  const shown = isAll ? free : free.slice(0, UNKNOWN_SHOWN);
  return (
    <details open={isOnly}>
      <summary>{t("found.unknown", { n: free.length + devices.length })}</summary>
      <p class="quiet">{t("found.unknownText")}</p>
      <ul class="items">
        {devices.map(({ id, name, model, topics: own = [] }) => (
          <li key={id}>
            <div class="grow stack tight">
              <b>{name}</b>
              <small>
                {[model, t(own.length === 0 ? "found.noMessage" : "found.noProposal")]
                  .filter(Boolean)
                  .join(" · ")}
              </small>
              {own.map((topic) => (
                <Readable key={keyOf(topic)} topic={topic} name={name} />
              ))}
            </div>
          </li>
        ))}
        {shown.map((topic) => (
          <li key={topic.lastMessage.topic}>
            <div class="grow stack tight">
              <Readable topic={topic} />
            </div>
          </li>
        ))}
      </ul>
      {shown.length < free.length && (
        <button type="button" onClick={() => setIsAll(true)}>
          {t("zones.showAll")}
        </button>
      )}
    </details>
  );
}

/** Messages of several events may share a topic. */
function keyOf({ lastMessage: { topic, payload } }: UnknownTopicView): string {
  return `${topic} ${payload}`;
}

/** A message whose values can be pointed at. @param name of its device, if that is known */
function Readable({ topic, name }: { readonly topic: UnknownTopicView; readonly name?: string }) {
  return (
    <>
      <Message message={topic.lastMessage} />
      <a class="button" href="#/zones/form" onClick={() => (draft.value = draftOf(topic, name))}>
        {t("found.useTopic")} <span class="unseen">{topic.lastMessage.topic}</span>
      </a>
    </>
  );
}

/** A message as it was received. */
function Message({ message: { topic, payload, at, isRetained } }: { readonly message: LastMessageView }) {
  return (
    <>
      <pre class="diff" tabIndex={0} aria-label={t("found.lastMessage")}>
        <span>{topic}</span>
        <span>{payload}</span>
      </pre>
      <small>
        {formatTime(at)} {isRetained && t("found.retained")}
      </small>
    </>
  );
}

/** Without the values that mean open if the message does not tell them: the form requires them. */
function draftOf({ lastMessage, fields, guesses = [] }: SentTopic, device?: string): ZoneDraft {
  const [likely] = guesses;
  const path = likely?.path ?? undefined;
  const input = { mqtt: lastMessage.topic, ...(path === undefined ? {} : { path }), ...meaningOf(likely) };
  const name = device ?? lastMessage.topic.split("/").pop() ?? lastMessage.topic;
  return { zone: { id: "", name, kind: likely?.kind ?? "intrusion", input }, fields, guesses };
}
