import type { Clock } from "../domain/clock.ts";
import { AppError } from "../domain/errors.ts";
import { SignInThrottle, type SignInAttempt } from "../domain/sign-in-throttle.ts";
import type { EnrolledSite, EnrolmentClaim } from "../generated/types.ts";
import { usable, type EnrolmentCodes, type Enrolments } from "./enrolments.ts";
import type { EventNotes } from "./event-notes.ts";

/**
 * Limits wrong one-time codes by network address; no token is needed to send them. The code is read first, and one that can be
 * used is never delayed: sites share addresses, and 100 random bits cannot be guessed. The counts are separate from those of
 * sign-ins, and in memory, so that a wrong code costs the database one read.
 */
export function limitedEnrolments(
  enrolments: Pick<Enrolments, keyof Enrolments>,
  options: { readonly codes: EnrolmentCodes; readonly events: EventNotes; readonly clock: Clock },
): Enrolments {
  const { codes, events, clock } = options;
  const throttle = new SignInThrottle(clock);

  /** Checks and counts in one step: requests in parallel must not pass together. @throws AppError `too-many-requests` */
  const count = (attempt: SignInAttempt): number => {
    throttle.assertOpen(attempt);
    return throttle.failed(attempt);
  };
  const note = (site: string | undefined, from: string, blockedForS: number): void => {
    const named = site === undefined ? "unknown site" : `site ${site}`;
    const by = { who: named, from, subject: named };
    events.wrongCode({ ...by, event: "sign-in-failed", detail: { enrolment: true } });
    if (blockedForS > 0) events.wrongCode({ ...by, event: "sign-in-blocked", detail: { blockedForS } });
  };

  const claim = async (claimed: EnrolmentClaim, from: string): Promise<EnrolledSite> => {
    const { enrolment, nowMs } = await codes.find(claimed.code);
    const site = claimed.site ?? enrolment?.site;
    let id: number;
    try {
      ({ id } = usable(enrolment, claimed, nowMs));
    } catch (error) {
      note(site, from, count(wrongCode(from)));
      throw error;
    }
    // A used code is compared with the password of its site, which must not be guessed with it.
    const attempt = useOf(id, from);
    const blockedForS = count(attempt);
    try {
      const enrolled = await enrolments.claim(claimed, from);
      throttle.succeeded(attempt);
      return enrolled;
    } catch (error) {
      if (error instanceof AppError && error.code === "forbidden") note(site, from, blockedForS);
      else throttle.succeeded(attempt);
      throw error;
    }
  };
  return {
    claim,
    invite: (invitation, by) => enrolments.invite(invitation, by),
    page: (slice) => enrolments.page(slice),
    revoke: (site, by) => enrolments.revoke(site, by),
  };
}

/** Only the address counts: which site a stranger names must not matter. */
function wrongCode(from: string): SignInAttempt {
  return { email: "", address: from, isKnownAddress: false, isRandomPassword: true };
}

/** The code counts at its address only, so that a thief of the code elsewhere does not delay its site. */
function useOf(id: number, from: string): SignInAttempt {
  return { email: `enrolment ${id}`, address: from, isKnownAddress: true, isRandomPassword: false };
}
