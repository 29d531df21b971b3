import { useRef, useState } from "preact/hooks";
import type { Pin as PinPlace } from "../../domain/plan.ts";
import type { PlanView } from "../../site/plan-view.ts";
import type { ZoneView } from "../../site/zone-view.ts";
import { request } from "../api.ts";
import { changePlan, withChanges, zonesChangedIn } from "../plan-change.ts";
import { ConfirmDialog } from "../dialog.tsx";
import { ErrorMessage, useErrorMessage } from "../error-message.tsx";
import { Form, TextField } from "../field.tsx";
import { ApiError, FORM_ERROR_CODE } from "../http.ts";
import { t } from "../i18n.ts";
import { Icon } from "../icon.tsx";
import { zones } from "../live-updates.ts";
import { runWithErrorNotice } from "../notice.tsx";
import { PlanPicture, Pin } from "../plan-picture.tsx";
import { goFrom, route } from "../route.ts";
import { kindIcon } from "../zone-appearance.ts";
import { CancelLink, useUnsavedInput } from "../unsaved.tsx";
import { Replacement } from "./plan-upload.tsx";
import { StepHead } from "./step-head.tsx";

/** A pin moves by one per cent with an arrow key. */
const STEPS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** Places zones on a plan, by hand or with the arrow keys; saved together. */
export function PlanEditor({ plan, done }: { readonly plan: PlanView; readonly done: () => void }) {
  // A new picture reads the plan again; the changes stay those from here.
  const [original, setOriginal] = useState(plan);
  const [name, setName] = useState(plan.name);
  const [pins, setPins] = useState<readonly PinPlace[]>(plan.pins);
  const [selected, setSelected] = useState("");
  const [isAsked, setIsAsked] = useState(false);
  const [problem, run] = useErrorMessage();
  const move = (zone: string, x: number, y: number): void =>
    setPins((all) => all.map((pin) => (pin.zone === zone ? { zone, x: within(x), y: within(y) } : pin)));
  const unplaced = zones.value.filter(({ id }) => !pins.some(({ zone }) => zone === id));
  useUnsavedInput(() => name !== original.name || zonesChangedIn(original.pins, pins).length > 0);
  // What this user has not changed follows the other administrator: the next attempt would undo it.
  const know = (now: PlanView): void => {
    setOriginal(now);
    setName((own) => (own.trim() === original.name ? now.name : own));
    setPins((own) => withChanges(now.pins, original.pins, own));
  };
  const save = async (): Promise<void> => {
    const here = route.value;
    await run(async () => {
      await saveChanges(original, { name: name.trim(), pins }, know);
      done();
      goFrom(here, `#/plan/${plan.id}`);
    });
  };
  const add = ({ id }: ZoneView): void => {
    setPins([...pins, { zone: id, x: 50, y: 50 }]);
    setSelected(id);
  };
  return (
    <>
      <StepHead title={plan.name} back={`#/plan/${plan.id}`} />
      <p class="quiet">{t("plan.editText")}</p>
      <div class="split">
        <PlanPicture plan={plan} label={t("plan.of", { name: plan.name })}>
          {pins.map((pin) => (
            <MovablePin
              key={pin.zone}
              pin={pin}
              isSelected={pin.zone === selected}
              select={() => setSelected(pin.zone)}
              move={(x, y) => move(pin.zone, x, y)}
            />
          ))}
        </PlanPicture>
        <div class="stack">
          {pins.some(({ zone }) => zone === selected) && (
            <button type="button" onClick={() => setPins(pins.filter(({ zone }) => zone !== selected))}>
              <Icon name="x" />
              {t("plan.unplace", { zone: nameOf(selected) })}
            </button>
          )}
          <ToPlace zones={unplaced} add={add} />
          <Form onSubmit={save}>
            <TextField
              label={t("plan.name")}
              name="name"
              value={name}
              onInput={(event) => setName(event.currentTarget.value)}
              required
              maxLength={40}
            />
            <ErrorMessage text={problem} />
            <div class="row">
              <button class="main">{t("plan.save")}</button>
              <CancelLink href={`#/plan/${plan.id}`} />
            </div>
          </Form>
          <Replacement plan={plan} done={done} />
          <button type="button" onClick={() => setIsAsked(true)}>
            <Icon name="trash-2" />
            {t("plan.remove")}
          </button>
        </div>
      </div>
      {isAsked && <RemoveQuestion plan={plan} done={done} close={() => setIsAsked(false)} />}
    </>
  );
}

function ToPlace({
  zones: unplaced,
  add,
}: {
  readonly zones: readonly ZoneView[];
  readonly add: (zone: ZoneView) => void;
}) {
  if (unplaced.length === 0) return null;
  return (
    <section class="stack tight">
      <h2>{t("plan.toPlace")}</h2>
      <div class="chips">
        {unplaced.map((zone) => (
          <button type="button" key={zone.id} onClick={() => add(zone)}>
            <Icon name="plus" />
            {zone.name}
          </button>
        ))}
      </div>
    </section>
  );
}

/** A pin that follows the pointer and the arrow keys. */
function MovablePin({
  pin,
  isSelected,
  select,
  move,
}: {
  readonly pin: PinPlace;
  readonly isSelected: boolean;
  readonly select: () => void;
  readonly move: (x: number, y: number) => void;
}) {
  const isHeld = useRef(false);
  const zone = zones.value.find(({ id }) => id === pin.zone);
  const follow = (event: PointerEvent): void => {
    const plan = (event.currentTarget as HTMLElement).parentElement?.getBoundingClientRect();
    if (!isHeld.current || !plan) return;
    move((100 * (event.clientX - plan.left)) / plan.width, (100 * (event.clientY - plan.top)) / plan.height);
  };
  return (
    <Pin
      pin={pin}
      look={{ tone: isSelected ? "test" : undefined, icon: kindIcon(zone?.kind ?? null) }}
      label={t("plan.pin", { zone: nameOf(pin.zone), x: Math.round(pin.x), y: Math.round(pin.y) })}
      isSelected={isSelected}
      press={select}
      onPointerDown={(event) => {
        isHeld.current = true;
        select();
        (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
      }}
      onPointerMove={follow}
      onPointerUp={() => {
        isHeld.current = false;
      }}
      onKeyDown={(event) => {
        const step = STEPS[event.key];
        if (!step) return;
        event.preventDefault();
        select();
        move(pin.x + step[0], pin.y + step[1]);
      }}
    />
  );
}

function RemoveQuestion({
  plan,
  done,
  close,
}: {
  readonly plan: PlanView;
  readonly done: () => void;
  readonly close: () => void;
}) {
  const remove = (): Promise<boolean> =>
    runWithErrorNotice(async () => {
      const here = route.value;
      await changePlan(plan, "", { method: "DELETE" }, done);
      done();
      goFrom(here, "#/plan");
    });
  return (
    <ConfirmDialog
      title={t("plan.removeQuestion", { name: plan.name })}
      action={t("plan.remove")}
      isDanger
      act={remove}
      close={close}
    >
      <p>{t("plan.removeText")}</p>
    </ConfirmDialog>
  );
}

/**
 * Another administrator may have changed the plan since: only what was changed here is changed. What both have changed is not
 * overwritten before this user knows of it.
 * @param know called with the plan as it is now, if it is not saved; the next attempt is based on it
 */
async function saveChanges(
  before: PlanView,
  { name, pins }: Pick<PlanView, "name" | "pins">,
  know: (now: PlanView) => void,
): Promise<void> {
  const { body: plans } = await request<PlanView[]>("/site/plans");
  const now = plans.find(({ id }) => id === before.id) ?? before;
  const isRenamed = name !== before.name;
  const both = zonesChangedIn(before.pins, pins).filter((zone) =>
    zonesChangedIn(before.pins, now.pins).includes(zone),
  );
  const isRenamedByBoth = isRenamed && now.name !== before.name && now.name !== name;
  if (both.length > 0 || isRenamedByBoth) {
    know(now);
    const changed = [...(isRenamedByBoth ? [now.name] : []), ...both.map(nameOf)].join(", ");
    throw new ApiError(412, t("plan.changedMeanwhile", { changed }), { code: FORM_ERROR_CODE });
  }
  const body = { ...(isRenamed ? { name } : {}), pins: withChanges(now.pins, before.pins, pins) };
  await changePlan(now, "", { method: "PUT", body }, () => know(now));
}

/** A place on the plan, per cent with one digit. */
function within(share: number): number {
  return Math.round(Math.min(100, Math.max(0, share)) * 10) / 10;
}

function nameOf(id: string): string {
  return zones.value.find((zone) => zone.id === id)?.name ?? id;
}
