import type { Request, RequestHandler, Router } from "express";
import { AppError } from "../domain/errors.ts";
import { isLocal, principalOf, requestActor, type AuthGuards } from "../http/auth-guards.ts";
import { readBody } from "../http/body.ts";
import { addResource, json, slowJson } from "../http/resource.ts";
import type { TokenService } from "../service/tokens.ts";
import type { CentreEnrolment } from "./centre-enrolment.ts";
import type { Confirmations } from "./confirmations.ts";
import type { ConfirmationView, EnrolmentRequest } from "./configuration-view.ts";
import type { ConfigurationEditor } from "./configuration-editor.ts";
import type { EarlierConfigurations } from "./earlier-configurations.ts";
import { requestObject } from "./request-parameters.ts";
import { configurationEditsOf } from "./configuration-edit-parameters.ts";

/** What the routes of the configuration call. */
export interface ConfigurationParts {
  readonly editor: ConfigurationEditor;
  readonly earlier: EarlierConfigurations;
  readonly confirmations: Confirmations;
  readonly enrolment: CentreEnrolment;
}

/**
 * Zones and the site's name in the web panel, for administrators: reading and proposing change nothing; applying needs the password again and
 * `http.configuration: panel`.
 */
export function configurationRoutes(
  router: Router,
  { administrator: guard }: AuthGuards,
  { tokens, configuration }: { readonly tokens: TokenService; readonly configuration: ConfigurationParts },
): void {
  addResource(router, "/site/configuration/zones", guard, { get: json(() => configuration.editor.zones()) });
  const confirm = async (request: Request): Promise<ConfirmationView> => {
    const principal = principalOf(request);
    const { password } = requestObject(request);
    if (typeof password !== "string") throw new AppError("invalid", 'send {"password"}');
    if (principal.accountId === 0)
      throw new AppError("invalid", "the control socket has no password and needs no confirmation");
    // Rate-limited like every password. Not 401: the token is valid.
    const account = await tokens.accountOf(principal, password, { hasToken: true });
    if (!account)
      throw new AppError("forbidden", "the password is incorrect", { reason: "wrong-credentials" });
    return configuration.confirmations.issue(principal);
  };
  addResource(router, "/site/configuration/confirmation", guard, { post: [readBody, json(confirm)] });
  const propose = (request: Request) => {
    const { hash, changes } = requestObject(request);
    return configuration.editor.propose(textOf(hash, "hash"), configurationEditsOf(changes));
  };
  addResource(router, "/site/configuration/proposal", guard, { post: [readBody, json(propose)] });
  const apply = (request: Request) => {
    const { hash, changes } = requestObject(request);
    return configuration.editor.apply(
      textOf(hash, "hash"),
      configurationEditsOf(changes),
      requestActor(request),
    );
  };
  addResource(router, "/site/configuration/apply", guard, {
    post: [readBody, allowed(configuration), confirmed(configuration), slowJson(apply)],
  });
  earlierRoutes(router, guard, configuration);
  enrolmentRoutes(router, guard, configuration);
}

/** The last texts of the file; a return to one of them needs what a change of the zones needs. */
function earlierRoutes(
  router: Router,
  guard: AuthGuards["administrator"],
  configuration: ConfigurationParts,
): void {
  const { earlier } = configuration;
  addResource(router, "/site/configuration/earlier", guard, { get: json(() => earlier.list()) });
  const propose = (request: Request) => earlier.propose(String(request.params["name"]));
  addResource(router, "/site/configuration/earlier/:name", guard, { get: json(propose) });
  const returnTo = (request: Request) => {
    const { name, hash } = requestObject(request);
    if (typeof name !== "string") throw new AppError("invalid", 'send {"name", "hash", "confirmation"}');
    return earlier.returnTo(name, textOf(hash, "hash"), requestActor(request));
  };
  addResource(router, "/site/configuration/return", guard, {
    post: [readBody, allowed(configuration), confirmed(configuration), slowJson(returnTo)],
  });
}

/** The dispatch centre of a site that has none; needs what a change of the zones needs. */
function enrolmentRoutes(
  router: Router,
  guard: AuthGuards["administrator"],
  configuration: ConfigurationParts,
): void {
  const { enrolment } = configuration;
  const enrol = (request: Request) => enrolment.enrol(enrolmentRequestOf(request), requestActor(request));
  addResource(router, "/site/enrolment", guard, {
    get: json(() => enrolment.view()),
    post: [readBody, confirmed(configuration), slowJson(enrol)],
  });
}

/** Rejects a change of the zones or of the site where only the file may be changed. */
function allowed({ editor }: ConfigurationParts): RequestHandler {
  return (_request, _response, next) => {
    editor.assertAllowed();
    next();
  };
}

/** Rejects a request without the password, except over the control socket. */
function confirmed({ confirmations }: ConfigurationParts): RequestHandler {
  return (request, _response, next) => {
    const { confirmation } = requestObject(request);
    if (!isLocal(request)) confirmations.assert(principalOf(request), confirmation);
    next();
  };
}

/** Of the body; a code as it is typed, with or without its dashes. */
function enrolmentRequestOf(request: Request): EnrolmentRequest {
  const { centre, code, ca } = requestObject(request);
  if (typeof centre !== "string" || typeof code !== "string" || centre === "" || code === "")
    throw new AppError("invalid", 'send {"centre", "code"}');
  if (ca !== undefined && typeof ca !== "string") throw new AppError("invalid", "ca must be a PEM text");
  return { centre: centre.trim(), code: code.trim(), ca };
}

function textOf(value: unknown, name: string): string {
  if (typeof value === "string" && value !== "") return value;
  throw new AppError("invalid", `${name} must be a text, from GET /site/configuration/zones`);
}
