import type { Request, Response, Router } from "express";
import { isoTime } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import { PICTURE_BYTES_MAX, pictureTypeOf, PINS_MAX, PLAN_NAME_MAX, type Pin } from "../domain/plan.ts";
import type { Remote } from "../domain/remote.ts";
import { plainLine } from "../domain/single-line.ts";
import { requestActor, type AuthGuards } from "../http/auth-guards.ts";
import { readBody, readBytes } from "../http/body.ts";
import { parametersOf } from "../http/lists.ts";
import { addResource, idFromPath, json } from "../http/resource.ts";
import { planTag, type PlanService } from "../service/plans.ts";
import type { PlanStore, StoredPicture } from "../store/plans.ts";
import type { PlanView } from "./plan-view.ts";
import { requestObject } from "./request-parameters.ts";

const readPicture = readBytes(PICTURE_BYTES_MAX);

export interface SitePlansParts {
  /** On a read-only connection. */
  readonly stored: PlanStore;
  readonly plans: Remote<PlanService>;
}

/**
 * /site/plans: all users may read the floor plans, administrators may change them. Every change responds with the plans after it.
 */
export function planRoutes(
  router: Router,
  { signedIn, administrator }: AuthGuards,
  { stored, plans }: SitePlansParts,
): void {
  const list = (): PlanView[] =>
    stored.all().map((plan) => ({
      id: plan.id,
      name: plan.name,
      type: plan.type,
      pins: plan.pins,
      pictureAt: isoTime(plan.pictureAtMs),
      etag: planTag(plan),
    }));
  const add = async (request: Request): Promise<PlanView[]> => {
    const name = nameOf(parametersOf(request.originalUrl).get("name"));
    await plans.add(name, pictureOf(request), requestActor(request));
    return list();
  };
  addResource(router, "/site/plans", signedIn, {
    get: json(list),
    post: [...administrator, readPicture, json(add, 201)],
  });
  const change = async (request: Request): Promise<PlanView[]> => {
    const { name, pins } = requestObject(request);
    const changes = {
      name: name === undefined ? undefined : nameOf(name),
      pins: pins === undefined ? undefined : pinsOf(pins),
    };
    await plans.change(idFromPath(request, "floor plan"), changes, requestActor(request), ifMatchOf(request));
    return list();
  };
  const remove = async (request: Request): Promise<PlanView[]> => {
    await plans.remove(idFromPath(request, "floor plan"), requestActor(request), ifMatchOf(request));
    return list();
  };
  addResource(router, "/site/plans/:id", administrator, {
    put: [readBody, json(change)],
    delete: json(remove),
  });
  const setPicture = async (request: Request): Promise<PlanView[]> => {
    await plans.setPicture(
      idFromPath(request, "floor plan"),
      pictureOf(request),
      requestActor(request),
      ifMatchOf(request),
    );
    return list();
  };
  addResource(router, "/site/plans/:id/picture", signedIn, {
    get: (request, response) => sendPicture(response, stored.picture(idFromPath(request, "floor plan"))),
    put: [...administrator, readPicture, json(setPicture)],
  });
}

function ifMatchOf(request: Request): string | undefined {
  return request.get("If-Match");
}

/** Sends a picture as nothing but a picture, also if it is opened as a page. */
function sendPicture(response: Response, picture: StoredPicture | undefined): void {
  if (!picture) throw new AppError("not-found", "this floor plan does not exist");
  response.set({
    "Content-Type": picture.type,
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
  });
  response.send(Buffer.from(picture.base64, "base64"));
}

/** @throws AppError `unsupported-media-type` for anything but PNG and JPEG */
function pictureOf(request: Request): StoredPicture {
  const body: unknown = request.body;
  const type = Buffer.isBuffer(body) ? pictureTypeOf(body) : undefined;
  if (!Buffer.isBuffer(body) || type === undefined)
    throw new AppError(
      "unsupported-media-type",
      "send a PNG or JPEG picture as bytes, with Content-Type: application/octet-stream",
    );
  return { type, base64: body.toString("base64") };
}

/** @throws AppError `invalid` */
function nameOf(value: unknown): string {
  const name = typeof value === "string" ? value.trim() : "";
  if (name === "" || name.length > PLAN_NAME_MAX || plainLine(name) !== name)
    throw new AppError("invalid", `name must be one line of 1 to ${PLAN_NAME_MAX} characters`);
  return name;
}

/** @throws AppError `invalid` */
function pinsOf(value: unknown): Pin[] {
  if (!Array.isArray(value) || value.length > PINS_MAX)
    throw new AppError("invalid", `pins must be a list of at most ${PINS_MAX} entries`);
  const pins = value.map(pinOf);
  if (new Set(pins.map(({ zone }) => zone)).size < pins.length)
    throw new AppError("invalid", "a zone has at most one pin on a plan");
  return pins;
}

/** @throws AppError `invalid` */
function pinOf(value: unknown): Pin {
  const { zone, x, y } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof zone !== "string" || zone === "" || zone.length > ZONE_ID_MAX || !isShare(x) || !isShare(y))
    throw new AppError("invalid", 'send each pin as {"zone": "<id>", "x": 0 to 100, "y": 0 to 100}');
  return { zone, x, y };
}

/** No zone has a longer id. */
const ZONE_ID_MAX = 64;

function isShare(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && value <= 100;
}
