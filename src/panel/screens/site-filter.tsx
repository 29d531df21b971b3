import { useEffect, useId, useRef, useState } from "preact/hooks";
import type { SiteView } from "../../generated/types.ts";
import { request, useQuery } from "../api.ts";
import { ErrorMessage, useErrorMessage } from "../error-message.tsx";
import { apiPath } from "../http.ts";
import { t } from "../i18n.ts";
import { Icon } from "../icon.tsx";
import { route, setQuery } from "../route.ts";
import { folded } from "../search-folding.ts";
import { useSettled } from "../settled.ts";

/** A dispatch centre has thousands of sites: the field offers those that match what was typed. */
const OFFERED_MAX = 10;

function choose(site: string): void {
  setQuery({ site, start: "" });
}

/** The choice of a site of a dispatch centre, by its reference or its name; the address has its reference. */
export function SiteFilter() {
  const { site = "" } = route.value.query;
  const id = useId();
  const [text, setText] = useState(site);
  const [isUnknown, setUnknown] = useState(false);
  const [problem, run] = useErrorMessage();
  const typed = useRef(site);
  useEffect(() => {
    typed.current = site;
    setText(site);
    setUnknown(false);
  }, [site]);
  const { response } = useQuery<SiteView[]>(pathOf(useSettled(text.trim())));
  const offered = response?.body ?? [];
  const isOffered = (value: string): boolean => offered.some(({ report }) => report.ref === value);
  // On a slow link a whole reference is typed before it is offered.
  useEffect(() => {
    if (text !== site && isOffered(text)) choose(text);
  }, [response]);
  const find = (value: string): Promise<void> =>
    run(async () => {
      const found = await siteOf(value);
      // Something else was typed or chosen meanwhile.
      if (typed.current.trim() !== value) return;
      setUnknown(found === undefined);
      if (found !== undefined) choose(found);
    });
  return (
    <>
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
            typed.current = value;
            setText(value);
            setUnknown(false);
            // Before the whole reference is there, the list would be refused.
            if (value === "" || isOffered(value)) choose(value);
          }}
          onChange={({ currentTarget: { value } }) => {
            const wanted = value.trim();
            if (wanted === "") choose("");
            else if (wanted !== site) void find(wanted);
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
      {(isUnknown || problem !== "") && (
        <ErrorMessage text={isUnknown ? t("interventions.siteUnknown") : problem} />
      )}
    </>
  );
}

/** The reference of the site that is meant: the one with this reference or name, or the only one that matches. @throws ApiError */
async function siteOf(text: string): Promise<string | undefined> {
  const { body } = await request<SiteView[]>(pathOf(text));
  const isSame = (other: string): boolean => folded(other) === folded(text);
  const exact = body.filter(({ report: { ref, name } }) => isSame(ref) || isSame(name));
  const [only, another] = exact.length > 0 ? exact : body;
  return another === undefined ? only?.report.ref : undefined;
}

/** Of the sites that match a text; of the first ones without it. */
function pathOf(text: string): string {
  const parameters = new URLSearchParams({ _end: String(OFFERED_MAX), _sort: "name" });
  if (text !== "") parameters.set("q", text);
  return apiPath(`/sites?${parameters.toString()}`);
}
