import { useRef, useState } from "preact/hooks";
import type { Pin as PinPlace } from "../../domain/plan.ts";
import type { PlanView } from "../../site/plan-view.ts";
import type { ZoneView } from "../../site/zone-view.ts";
import { Act } from "../act.tsx";
import {
  changePlan,
  freePlace,
  nameOfZone,
  saveChanges,
  withChanges,
  zonesChangedIn,
  type PlanInput,
} from "../plan-change.ts";
import { ConfirmDialog } from "../dialog.tsx";
import { ErrorMessage, useErrorMessage } from "../error-message.tsx";
import { Form, TextField } from "../field.tsx";
import { t } from "../i18n.ts";
import { Icon } from "../icon.tsx";
import { zones } from "../live-updates.ts";
import { runWithErrorNotice, showNotice } from "../notice.tsx";
import { PlanPicture, Pin } from "../plan-picture.tsx";
import { goFrom, isAt, route } from "../route.ts";
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
  const { name, setName, pins, setPins, problem, save } = usePlanInput(plan, done);
  const [selected, setSelected] = useState("");
  const [isAsked, setIsAsked] = useState(false);
  const move = (zone: string, x: number, y: number): void =>
    setPins((all) => all.map((pin) => (pin.zone === zone ? { zone, x: within(x), y: within(y) } : pin)));
  const unplaced = zones.value.filter(({ id }) => !pins.some(({ zone }) => zone === id));
  const add = ({ id }: ZoneView): void => {
    setPins([...pins, { zone: id, ...freePlace(pins) }]);
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
              {t("plan.unplace", { zone: nameOfZone(selected) })}
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
              <Act type="submit" class="main">
                {t("plan.save")}
              </Act>
              <CancelLink href={`#/plan/${plan.id}`} />
            </div>
          </Form>
          <Replacement plan={plan} done={done} />
          <Act onClick={() => setIsAsked(true)}>
            <Icon name="trash-2" />
            {t("plan.remove")}
          </Act>
        </div>
      </div>
      {isAsked && <RemoveQuestion plan={plan} done={done} close={() => setIsAsked(false)} />}
    </>
  );
}

/** What is entered of a plan, and how it is saved. */
function usePlanInput(plan: PlanView, done: () => void) {
  // A new picture reads the plan again; the changes stay those from here.
  const [original, setOriginal] = useState(plan);
  const [name, setName] = useState(plan.name);
  const [pins, setPins] = useState<readonly PinPlace[]>(plan.pins);
  const [problem, run] = useErrorMessage();
  useUnsavedInput(() => name !== original.name || zonesChangedIn(original.pins, pins).length > 0);
  const latest = useRef({ name, pins });
  latest.current = { name, pins };
  // What this user has not changed follows the daemon: the next save would undo it.
  const baseOn = (now: PlanView, before: PlanInput): void => {
    setOriginal(now);
    setName((own) => (own.trim() === before.name.trim() ? now.name : own));
    setPins((own) => withChanges(now.pins, before.pins, own));
  };
  const save = async (): Promise<void> => {
    const here = route.value;
    await run(async () => {
      const sent = { name, pins };
      const saved = await saveChanges(original, sent, (now) => baseOn(now, original));
      done();
      const { name: ownName, pins: own } = latest.current;
      const isAsSent = ownName === name && zonesChangedIn(pins, own).length === 0;
      if (isAsSent || !isAt(here)) return goFrom(here, `#/plan/${plan.id}`);
      baseOn(saved, sent);
      showNotice(t("app.savedBefore"));
    });
  };
  return { name, setName, pins, setPins, problem, save };
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
      <div class="to-place">
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
  const release = (): void => {
    isHeld.current = false;
  };
  const follow = (event: PointerEvent): void => {
    const plan = (event.currentTarget as HTMLElement).parentElement?.getBoundingClientRect();
    if (!isHeld.current || !plan) return;
    move((100 * (event.clientX - plan.left)) / plan.width, (100 * (event.clientY - plan.top)) / plan.height);
  };
  return (
    <Pin
      pin={pin}
      look={{ tone: isSelected ? "test" : undefined, icon: kindIcon(zone?.kind ?? null) }}
      label={t("plan.pin", { zone: nameOfZone(pin.zone), x: Math.round(pin.x), y: Math.round(pin.y) })}
      isSelected={isSelected}
      press={select}
      onPointerDown={(event) => {
        isHeld.current = true;
        select();
        (event.currentTarget as HTMLElement).setPointerCapture(event.pointerId);
      }}
      onPointerMove={follow}
      onPointerUp={release}
      onPointerCancel={release}
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

/** A place on the plan, per cent with one digit. */
function within(share: number): number {
  return Math.round(Math.min(100, Math.max(0, share)) * 10) / 10;
}
