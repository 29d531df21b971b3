import "../facts.css";
import "../api.css";
import { useLayoutEffect, useState } from "preact/hooks";
import { beginLoading, useQuery } from "../api.ts";
import { fieldsOf, type Field, type OpenApi, type Operation, type Responses } from "../api-fields.ts";
import { ApiText, loadApiTexts } from "../api-text.tsx";
import { later } from "../clock.ts";
import { apiPath, REQUEST_TIMEOUT_MS } from "../http.ts";
import { language, t } from "../i18n.ts";
import { status } from "../live-updates.ts";
import { Pending } from "../notice.tsx";

/** What a dispatch centre does not have, although the document is the same. */
const OF_SITE = new Set(
  ["zones", "trips", "walk-test", "walk-tests", "signal-test", "simulate", "outputs", "plans", "discovered"]
    .concat(["sync", "objectives", "enrolment"])
    .map((name) => `/site/${name}`),
);

/** The operations of the API, from the daemon's own OpenAPI document. */
export function ApiScreen() {
  const path = apiPath("/openapi.json");
  const { response, error, reload } = useQuery<OpenApi>(path);
  const hasTexts = useApiTexts();
  if (!response || !hasTexts || !status.value)
    return (
      <>
        <h1>{t("nav.api")}</h1>
        <Pending error={error} reload={reload} />
      </>
    );
  const { info, paths, components } = response.body;
  const resources = new Map<string, { address: string; method: string; operation: Operation }[]>();
  for (const [address, methods] of Object.entries(paths)) {
    const resource = resourceOf(address);
    if (status.value.role === "centre" && OF_SITE.has(resource)) continue;
    const others = resources.get(resource) ?? [];
    const own = Object.entries(methods).map(([method, operation]) => ({ address, method, operation }));
    resources.set(resource, [...others, ...own]);
  }
  return (
    <>
      <h1>{t("nav.api")}</h1>
      <p>
        <span lang="en">{info.title}</span> {info.version}. <ApiText text={info.description ?? ""} />
      </p>
      <p>
        {t("api.document")} <code>{path}</code>
      </p>
      <div class="card operations">
        {[...resources].map(([resource, group]) => (
          <details key={resource} name="resource">
            <summary>
              <h2>
                <code>{resource}</code>
              </h2>{" "}
              <span class="quiet">{group.length}</span>
            </summary>
            {group.map(({ address, method, operation }) => (
              <details key={`${method} ${address}`} name="operation">
                <summary>
                  <code>{`${method.toUpperCase()} ${address}`}</code>
                  <span>
                    <ApiText text={operation.summary ?? ""} />
                  </span>
                </summary>
                <Details
                  fields={fieldsOf(operation, components.schemas)}
                  responses={operation.responses ?? {}}
                />
              </details>
            ))}
          </details>
        ))}
      </div>
    </>
  );
}

/** The first part of an address; below `/site`, where most operations are, the first two. */
function resourceOf(address: string): string {
  const [, first, second] = address.split("/");
  return first === "site" && second !== undefined ? `/site/${second}` : `/${first}`;
}

function Details({
  fields,
  responses,
}: {
  readonly fields: readonly Field[];
  readonly responses: Responses;
}) {
  return (
    <dl class="facts">
      {fields.map(({ name, place, description, type }) => (
        <div key={`${place} ${name}`}>
          <dt>
            {name !== "" && <code>{name}</code>} <ApiText text={place} />
          </dt>
          <dd>
            {description !== undefined && <ApiText text={description} />}
            <span class="quiet">
              {type.map((part, at) => (
                <ApiText key={at} text={part} />
              ))}
            </span>
          </dd>
        </div>
      ))}
      {Object.entries(responses).map(([status, { description }]) => (
        <div key={status}>
          <dt>{status}</dt>
          <dd>{description === undefined ? "–" : <ApiText text={description} />}</dd>
        </div>
      ))}
    </dl>
  );
}

/** Loads the texts of the screen. @returns whether it can be shown; without its texts it is in English, and marked so */
function useApiTexts(): boolean {
  const [isTried, setTried] = useState(false);
  useLayoutEffect(() => {
    const stop = beginLoading();
    const finish = (): void => {
      setTried(true);
      stop();
    };
    const stopWaiting = later(REQUEST_TIMEOUT_MS, finish);
    void loadApiTexts().then(finish, finish).finally(stopWaiting);
    return () => {
      stopWaiting();
      stop();
    };
  }, [language.value]);
  return isTried;
}
