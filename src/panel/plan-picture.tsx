import type { ComponentChildren } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import type { Pin as PinPlace } from "../domain/plan.ts";
import type { PlanView } from "../site/plan-view.ts";
import { requestFile } from "./api.ts";
import { Icon } from "./icon.tsx";
import { ApiError } from "./http.ts";
import { errorText } from "./notice.tsx";
import type { ZoneAppearance } from "./zone-appearance.ts";

/** The picture of a plan with pins on it. It is requested with the token, which an address alone does not carry. */
export function PlanPicture({
  plan: { id, pictureAt },
  label,
  children,
}: {
  readonly plan: PlanView;
  readonly label: string;
  readonly children: ComponentChildren;
}) {
  const [address, setAddress] = useState("");
  const [error, setError] = useState("");
  // Before the page is drawn: pins must not be seen on the picture of another floor.
  useLayoutEffect(() => {
    setAddress("");
    setError("");
    let made = "";
    let isShown = true;
    const show = (picture: Blob): void => {
      if (!isShown) return;
      made = URL.createObjectURL(picture);
      setAddress(made);
    };
    requestFile(`/site/plans/${id}/picture`).then(show, (reason: unknown) => {
      if (isShown) setError(reason instanceof ApiError ? errorText(reason) : String(reason));
    });
    return () => {
      isShown = false;
      URL.revokeObjectURL(made);
    };
  }, [id, pictureAt]);
  return (
    <div class="plan">
      {address === "" ? <p class="quiet pending">{error}</p> : <img src={address} alt={label} />}
      {address !== "" && children}
    </div>
  );
}

/** A zone in its place: a button of 44 pixels. */
export function Pin({
  pin,
  look: { tone, icon },
  label,
  isSelected,
  press,
  ...rest
}: {
  readonly pin: PinPlace;
  readonly look: Pick<ZoneAppearance, "tone" | "icon">;
  readonly label: string;
  readonly isSelected: boolean;
  readonly press: () => void;
  readonly onKeyDown?: (event: KeyboardEvent) => void;
  readonly onPointerDown?: (event: PointerEvent) => void;
  readonly onPointerMove?: (event: PointerEvent) => void;
  readonly onPointerUp?: (event: PointerEvent) => void;
}) {
  return (
    <button
      type="button"
      class={tone === undefined ? "pin" : `pin s-${tone}`}
      aria-label={label}
      aria-pressed={isSelected}
      data-zone={pin.zone}
      ref={(button) => place(button, pin)}
      onClick={press}
      {...rest}
    >
      <span>
        <Icon name={icon} />
      </span>
    </button>
  );
}

/** Sets the place by script: the content policy allows no style attribute. */
function place(button: HTMLElement | null, { x, y }: PinPlace): void {
  if (!button) return;
  button.style.left = `${x}%`;
  button.style.top = `${y}%`;
}
