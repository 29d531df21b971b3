import type { ZoneView } from "../../http/site/zone-port.ts";
import { ask } from "../api.ts";
import { Badge } from "../badge.tsx";
import { Dialog } from "../dialog.tsx";
import { Choice, Form, TextField, textOf } from "../field.tsx";
import { say } from "../language.ts";
import { sayMoment } from "../moments.ts";
import { LifeSafetyNames } from "../walk-banner.tsx";
import { attempt, tell } from "../notice.tsx";

/** What stands against a zone's trips being dispatched, and what is wrong with the zone itself. */
export function ZoneRemarks({ zone }: { readonly zone: ZoneView }) {
  const { fate, bypass, reason, faults } = zone;
  return (
    <>
      {faults.map(({ fault, since }) => (
        <div key={fault}>
          <Badge tone="warn">{say(`fault.${fault}`)}</Badge>
          <span class="quiet">{say("status.since", { time: sayMoment(since) })}</span>
        </div>
      ))}
      {bypass ? (
        <div>
          <Badge tone="quiet">{say("fate.bypassed")}</Badge>
          <span class="quiet">
            → {sayMoment(bypass.until)} ({bypass.who}: {bypass.reason})
          </span>
        </div>
      ) : (
        fate !== "waiting" && (
          <div>
            <Badge tone="quiet">{say(`fate.${fate}`)}</Badge>
            {reason !== null && fate !== "test" && (
              <span class="quiet" lang="en">
                {reason}
              </span>
            )}
          </div>
        )
      )}
    </>
  );
}

/** Whether an order of a person or the shutdown keeps the zone out of service, which a person can end. */
export function isOut({ fate, bypass }: ZoneView): boolean {
  return bypass !== null || fate === "swinger";
}

/** Minutes to choose from: an hour's work, a shift, a weekend. */
const SPANS = ["30", "60", "240", "480", "1440", "4320", "10080"] as const;

/** Asks for how long and why a zone is to be out of service. */
export function BypassDialog({ zone, close }: { readonly zone: ZoneView; readonly close: () => void }) {
  const order = async (fields: FormData): Promise<void> => {
    const body = { reason: textOf(fields, "reason").trim(), minutes: Number(textOf(fields, "minutes")) };
    const isDone = await attempt(async () => {
      await ask(`/site/zones/${zone.id}/bypass`, { method: "POST", body });
      tell(say("bypass.done", { zone: zone.name }));
    });
    if (isDone) close();
  };
  return (
    <Dialog title={say("bypass.title", { zone: zone.name })} onCancel={close}>
      <p>{say("bypass.text")}</p>
      <LifeSafetyNames zones={zone.isLifeSafety ? [zone] : []} />
      <Form onSubmit={order}>
        <TextField label={say("bypass.reason")} name="reason" required maxLength={200} />
        <Choice
          label={say("bypass.span")}
          name="minutes"
          initial="480"
          options={SPANS.map((minutes) => [minutes, spanText(Number(minutes))])}
        />
        <button class="main">{say("bypass.do")}</button>
        <button type="button" onClick={close}>
          {say("app.cancel")}
        </button>
      </Form>
    </Dialog>
  );
}

function spanText(minutes: number): string {
  if (minutes < 60) return say("span.minutes", { n: minutes });
  return minutes < 1440 ? say("span.hours", { n: minutes / 60 }) : say("span.days", { n: minutes / 1440 });
}

/** Puts a zone back into service. */
export async function restoreZone({ id, name }: ZoneView): Promise<void> {
  await attempt(async () => {
    await ask(`/site/zones/${id}/restore`, { method: "POST" });
    tell(say("bypass.over", { zone: name }));
  });
}
