import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { Badge, type Tone } from "../badge.tsx";
import type { StepState } from "../guide-steps.ts";
import { t } from "../i18n.ts";
import type { IconName } from "../icons.ts";

export interface OwnState {
  readonly state: StepState;
}

/** `example`: the site is the one of the configuration without a file. */
type ShownState = StepState | "example";

const LOOKS: Readonly<Record<ShownState, readonly [Tone, IconName]>> = {
  done: ["fine", "check"],
  next: ["link", "play"],
  later: ["off", "ellipsis"],
  example: ["off", "ellipsis"],
  unused: ["off", "circle-slash"],
  unknown: ["off", "ellipsis"],
};

/** A step with its state in a word and its result in a line. It opens when it is the next one and stays so for its reader. */
export function Step({
  title,
  state,
  result,
  isOpen = false,
  children,
}: {
  readonly title: string;
  readonly state: ShownState;
  readonly result: string;
  readonly isOpen?: boolean;
  readonly children?: ComponentChildren;
}) {
  const wasNext = useRef(false);
  if (state === "next" || isOpen) wasNext.current = true;
  const [tone, icon] = LOOKS[state];
  const head = (
    <>
      <h2>{title}</h2>{" "}
      <Badge tone={tone} icon={icon}>
        {t(`guide.${state}`)}
      </Badge>
      <small>{result}</small>
    </>
  );
  return (
    <li class="guide-step card" aria-current={state === "next" ? "step" : undefined}>
      {children === undefined ? (
        <div class="guide-head">{head}</div>
      ) : (
        <details open={wasNext.current}>
          <summary class="guide-head">{head}</summary>
          <div class="stack tight">{children}</div>
        </details>
      )}
    </li>
  );
}
