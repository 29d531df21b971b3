import { AppError } from "../domain/errors.ts";
import type { EnrolledSite, EnrolmentClaim } from "../generated/types.ts";
import type { Enrolments } from "./enrolments.ts";
import type { EventNotes } from "./event-notes.ts";
import type { Throttle } from "./sign-ins.ts";

/** Limits wrong one-time codes of each network address as wrong passwords; no token is needed to send them. */
export function limitedEnrolments(
  enrolments: Pick<Enrolments, keyof Enrolments>,
  { throttle, events }: { readonly throttle: Throttle; readonly events: EventNotes },
): Enrolments {
  const claim = async (claimed: EnrolmentClaim, from: string): Promise<EnrolledSite> => {
    // A code has too many random bits to be guessed, so only the address counts: a site elsewhere is never blocked.
    const attempt = { email: "", address: from, isKnownAddress: false, isRandomPassword: true };
    await throttle.assertOpen(attempt);
    try {
      return await enrolments.claim(claimed, from);
    } catch (error) {
      if (!(error instanceof AppError) || error.code !== "forbidden") throw error;
      const blockedForS = await throttle.failed(attempt);
      const by = { who: `site ${claimed.site}`, from, subject: `site ${claimed.site}` };
      events.note({ ...by, event: "sign-in-failed", detail: { enrolment: true } });
      if (blockedForS > 0) events.note({ ...by, event: "sign-in-blocked", detail: { blockedForS } });
      throw error;
    }
  };
  return {
    claim,
    invite: (invitation, by) => enrolments.invite(invitation, by),
    list: () => enrolments.list(),
    revoke: (site, by) => enrolments.revoke(site, by),
  };
}
