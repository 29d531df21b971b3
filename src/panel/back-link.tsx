import { Icon } from "./icon.tsx";

/** The way from one item back to its list, above the title. */
export function BackLink({
  href,
  text,
  onClick,
}: {
  readonly href: string;
  readonly text: string;
  readonly onClick?: (event: Event) => void;
}) {
  return (
    <p>
      <a class="button plain" href={href} {...(onClick ? { onClick } : {})}>
        <Icon name="chevron-left" />
        {text}
      </a>
    </p>
  );
}
