import { useEffect, useId, useState } from "preact/hooks";
import type { SiteView } from "../../generated/types.ts";
import { useQuery } from "../api.ts";
import { apiPath } from "../http.ts";
import { t } from "../i18n.ts";
import { Icon } from "../icon.tsx";
import { useSettled } from "../settled.ts";

/** A dispatch centre has thousands of sites: the field offers those that match what was typed. */
const OFFERED_MAX = 10;

/**
 * The choice of a site of a dispatch centre, by its reference.
 * @param site the reference that the address has; empty for all sites
 * @param choose called with a reference that is offered, or when the user leaves the field
 */
export function SiteFilter({
  site,
  choose,
}: {
  readonly site: string;
  readonly choose: (site: string) => void;
}) {
  const id = useId();
  const [text, setText] = useState(site);
  useEffect(() => setText(site), [site]);
  const parameters = new URLSearchParams({ _end: String(OFFERED_MAX), _sort: "name" });
  const sought = useSettled(text.trim());
  if (sought !== "") parameters.set("q", sought);
  const { response } = useQuery<SiteView[]>(apiPath(`/sites?${parameters.toString()}`));
  const offered = response?.body ?? [];
  const isOffered = (value: string): boolean => offered.some(({ report }) => report.ref === value);
  // On a slow link a whole reference is typed before it is offered.
  useEffect(() => {
    if (text !== site && isOffered(text)) choose(text);
  }, [response]);
  return (
    <p class="field search">
      <label for={id}>{t("interventions.site")}</label>
      <Icon name="search" />
      <input
        id={id}
        type="search"
        name="site"
        list={`${id}-sites`}
        placeholder={t("interventions.site")}
        maxLength={100}
        autocomplete="off"
        value={text}
        onInput={({ currentTarget: { value } }) => {
          setText(value);
          // Before the whole reference is there, the list would be refused.
          if (value === "" || isOffered(value)) choose(value);
        }}
        onChange={({ currentTarget: { value } }) => {
          if (value.trim() !== site) choose(value.trim());
        }}
      />
      <datalist id={`${id}-sites`}>
        {offered.map(({ report: { ref, name } }) => (
          <option key={ref} value={ref}>
            {name}
          </option>
        ))}
      </datalist>
    </p>
  );
}
