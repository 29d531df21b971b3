import type { BypassView, ZoneView } from "../../site/zone-view.ts";
import { hasDestination } from "../destination.ts";
import { request } from "../api.ts";
import { Badge } from "../badge.tsx";
import { Dialog } from "../dialog.tsx";
import { originText } from "../event-detail-texts.ts";
import { Form, TextField, formText } from "../field.tsx";
import { DaemonText } from "../daemon-text.tsx";
import { FormActions } from "../form-actions.tsx";
import { t } from "../i18n.ts";
import { status } from "../live-updates.ts";
import { formatMinute, formatTime } from "../date-format.ts";
import { Choice } from "../more-fields.tsx";
import { LifeSafetyNames } from "../walk-banner.tsx";
import { runWithErrorNotice, showNotice } from "../notice.tsx";

/** What its contact reports, and since when. */
export function contactText({ kind, contact, since, unnamedValue }: ZoneView): string {
  const word =
    contact === "unknown"
      ? t(unnamedValue === null ? "contact.unknown" : "contact.unnamed")
      : t(`zoneWord.${kind}.${contact}`);
  return since === null ? word : `${word} · ${t("status.since", { time: formatTime(since) })}`;
}

/** Where a trip ends now: not every one reaches a dispatch centre. */
function ifTripped({ disposition, objective: { type, id } }: ZoneView) {
  if (disposition !== "waiting") return disposition;
  if (!hasDestination()) return "here";
  const missing = status.value?.conditions.find(({ code }) => code === "objective-missing");
  return String(missing?.values?.["objectives"]).includes(`${type}/${id} (`) ? "missing" : disposition;
}

/** Whether a trip is dispatched now; if not, by whom it is suppressed and how long. */
export function ServiceText({ zone }: { readonly zone: ZoneView }) {
  const { disposition, bypass, reason, shutDownUntil } = zone;
  return (
    <>
      {t(`ifTripped.${ifTripped(zone)}`)}
      {bypass && (
        <span class="quiet">
          {"\n"}
          {/* A walk test takes precedence over a bypass, which goes on after it. */}
          {disposition !== "bypassed" && `${t("zoneWord.bypassed")} · `}
          {t("status.since", { time: formatMinute(bypass.since) })}{" "}
          {t("zones.until", { time: formatMinute(bypass.until) })}
          {` · ${originText(bypass.who)}: ${bypass.reason}`}
        </span>
      )}
      {shutDownUntil && (
        <span class="quiet">
          {"\n"}
          {t("zones.shutDownUntil", { time: formatMinute(shutDownUntil) })}
        </span>
      )}
      {disposition === "gated" && reason !== null && (
        <span class="quiet">
          {" · "}
          <DaemonText text={reason} />
        </span>
      )}
    </>
  );
}

/** Each fault of a zone on a line, the most serious first. */
export function ZoneFaults({ faults }: Pick<ZoneView, "faults">) {
  return (
    <>
      {faults.map(({ fault, since }, place) => (
        <span key={`${fault} ${since}`}>
          {place > 0 && "\n"}
          <Badge tone={fault === "battery" ? "attention" : "fault"}>{t(`fault.${fault}`)}</Badge>{" "}
          <span class="quiet">{t("status.since", { time: formatTime(since) })}</span>
        </span>
      ))}
    </>
  );
}

/** Whether a bypass or a swinger shutdown suppresses the zone; a user can end both. */
export function isOutOfService({ disposition, bypass }: ZoneView): boolean {
  return bypass !== null || disposition === "swinger";
}

/** When most sites open: a bypass for the night ends then. */
const MORNING_HOUR = 6;
/** Durations offered, in minutes: half an hour to one week. */
const DURATIONS = ["30", "60", "morning", "240", "480", "1440", "4320", "10080"] as const;

/** Asks for the duration and the reason of a bypass. */
export function BypassDialog({ zone, close }: { readonly zone: ZoneView; readonly close: () => void }) {
  const bypass = async (fields: FormData): Promise<void> => {
    const chosen = formText(fields, "minutes");
    // The clock of a phone may be another one.
    const length = chosen === "morning" ? { untilHour: MORNING_HOUR } : { minutes: Number(chosen) };
    const body = { reason: formText(fields, "reason").trim(), ...length };
    const isDone = await runWithErrorNotice(async () => {
      const path = `/site/zones/${zone.id}/bypass`;
      const { bypass: made } = (await request<BypassView>(path, { method: "POST", body })).body;
      const time = made === null ? "–" : formatMinute(made.until);
      showNotice(t("bypass.done", { zone: zone.name, time }), false, () => returnToService(zone));
    });
    if (isDone) close();
  };
  return (
    <Dialog title={t("bypass.title", { zone: zone.name })} onCancel={close}>
      <p>{t("bypass.text")}</p>
      <LifeSafetyNames zones={zone.isLifeSafety ? [zone] : []} />
      <Form onSubmit={bypass}>
        <TextField label={t("bypass.reason")} name="reason" required maxLength={200} />
        <Choice
          label={t("bypass.duration")}
          name="minutes"
          initial="480"
          options={DURATIONS.map((minutes) => [minutes, durationText(minutes)])}
        />
        <FormActions action={t("bypass.do")} close={close} />
      </Form>
    </Dialog>
  );
}

function durationText(duration: (typeof DURATIONS)[number]): string {
  if (duration === "morning") return t("bypass.untilMorning");
  const minutes = Number(duration);
  if (minutes < 60) return t("span.minutes", { n: minutes });
  return minutes < 1440 ? t("span.hours", { n: minutes / 60 }) : t("span.days", { n: minutes / 1440 });
}

/** Ends a bypass or a swinger shutdown. */
export async function returnToService({ id, name }: ZoneView): Promise<void> {
  await runWithErrorNotice(async () => {
    await request(`/site/zones/${id}/restore`, { method: "POST" });
    showNotice(t("bypass.ended", { zone: name }));
  });
}
