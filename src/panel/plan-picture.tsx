import type { ComponentChildren } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { Pin as PinPlace } from "../domain/plan.ts";
import type { PlanView } from "../site/plan-view.ts";
import { connections } from "./api.ts";
import { requestFile } from "./file-request.ts";
import { Icon } from "./icon.tsx";
import { ApiError } from "./http.ts";
import { Pending } from "./notice.tsx";
import type { ZoneAppearance } from "./zone-appearance.ts";

/**
 * The picture of a plan with pins on it. It is requested with the token, which an address alone does not carry. The pins do not
 * wait for it, because they show the alarms. While it is not loaded, it is requested again once the daemon is reached.
 */
export function PlanPicture({
  plan: { id, pictureAt },
  label,
  children,
}: {
  readonly plan: PlanView;
  readonly label: string;
  readonly children: ComponentChildren;
}) {
  const { address, error, reload } = usePicture(id, pictureAt);
  return (
    <div class="stack tight">
      {error && <Pending error={error} reload={reload} />}
      <div class={address === "" ? "plan no-picture" : "plan"}>
        {/* The browser would drag the picture in place of a pin. */}
        {address !== "" && <img src={address} alt={label} draggable={false} />}
        {children}
      </div>
    </div>
  );
}

/** The address of a picture within the page, empty until it is loaded, and why it could not be. */
function usePicture(id: number, pictureAt: string) {
  const [address, setAddress] = useState("");
  const [error, setError] = useState<ApiError | undefined>();
  const [attempts, setAttempts] = useState(0);
  const reload = (): void => setAttempts((last) => last + 1);
  // Before the page is drawn: pins must not be seen on the picture of another floor.
  useLayoutEffect(() => {
    setAddress("");
    setError(undefined);
  }, [id, pictureAt]);
  useLayoutEffect(() => {
    let made = "";
    const leaving = new AbortController();
    const show = (picture: Blob): void => {
      if (leaving.signal.aborted) return;
      made = URL.createObjectURL(picture);
      setAddress(made);
      setError(undefined);
    };
    requestFile(`/site/plans/${id}/picture`, leaving.signal).then(show, (reason: unknown) => {
      if (!(reason instanceof ApiError)) throw reason;
      if (!leaving.signal.aborted) setError(reason);
    });
    return () => {
      leaving.abort();
      URL.revokeObjectURL(made);
    };
  }, [id, pictureAt, attempts]);
  const connection = connections.value;
  const known = useRef(connection);
  useEffect(() => {
    if (connection !== known.current && address === "") reload();
    known.current = connection;
  }, [connection]);
  return { address, error, reload };
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
  readonly onPointerCancel?: (event: PointerEvent) => void;
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
