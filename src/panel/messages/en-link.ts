/** The link to the dispatch centre and what is sent over it, in English; the keys of the causes as in src/domain/link-status.ts. */
export const EN_LINK = {
  "phase.new": "to be sent",
  "phase.posting": "being sent",
  "phase.unsure": "sent, no response",
  "phase.linked": "change to be sent",
  "phase.writing": "change being sent",
  "phase.blocked": "objective missing at the dispatch centre",
  "phase.rejected": "rejected by the dispatch centre",
  "phase.gone": "deleted by the dispatch centre",
  "phase.out-of-scope": "not accessible to this site",
  "phase.doubtful": "not listed by the dispatch centre; checking again",
  "phase.closed": "closed",
  "link.none": "standalone",
  "link.unknown": "not used yet",
  "link.up": "up",
  "link.down": "DOWN",
  "link.nextAttempt": "next attempt at {time}",
  "link.lastResponse": "last response at {time}",
  "compared.same": "no differences ({here})",
  "compared.differs": "{here} local, {there} at the dispatch centre",
  "compared.none": "not yet compared",

  "link.cause.name": "The name of the dispatch centre cannot be resolved (DNS).",
  "link.remedy.name":
    "Check the Internet connection and the DNS server of this device, and the name in upstream.baseUrl.",
  "link.cause.refused": "The server of the dispatch centre refuses the connection.",
  "link.remedy.refused":
    "Its service is stopped or the port is wrong: check the port in upstream.baseUrl, then call the dispatch centre.",
  "link.cause.timeout": "The dispatch centre does not respond in time.",
  "link.remedy.timeout":
    "Check the router, the firewall and the signal of the mobile modem, then call the dispatch centre.",
  "link.cause.network": "There is no route to the dispatch centre.",
  "link.remedy.network": "Check the cable, the router and the modem of this site.",
  "link.cause.certificate": "The certificate of the dispatch centre is not trusted.",
  "link.remedy.certificate":
    "Ask the dispatch centre for its certificate authority and set upstream.caFile. Another device may be intercepting the connection.",
  "link.cause.certificate-name": "The certificate of the dispatch centre is for another name.",
  "link.remedy.certificate-name":
    "Set upstream.baseUrl to the name in the certificate. Another device may be intercepting the connection.",
  "link.cause.certificate-time": "The certificate of the dispatch centre has expired or is not valid yet.",
  "link.remedy.certificate-time":
    "Check the date and time of this device. If they are correct, the dispatch centre has to renew its certificate.",
  "link.cause.tls": "No encrypted connection (TLS) to the dispatch centre is possible.",
  "link.remedy.tls":
    "Check that upstream.baseUrl has the encrypted port of the dispatch centre, usually 443.",
  "link.cause.broken": "The connection to the dispatch centre ends before its response.",
  "link.remedy.broken":
    "Check the router, the firewall and the signal of the mobile modem. If the problem persists, call the dispatch centre.",
  "link.cause.busy": "The dispatch centre accepts no requests at the moment.",
  "link.remedy.busy":
    "There is nothing to change here: sending continues automatically. If the problem persists, call the dispatch centre.",
  "link.cause.sign-in": "The dispatch centre rejects the account of this site.",
  "link.remedy.sign-in":
    "Check upstream.email and the password file; after a correction, run santinela reload. If they are correct, ask the dispatch centre whether the account still exists.",
  "link.cause.forbidden": "The account of this site has no access at the dispatch centre.",
  "link.remedy.forbidden": "Ask the dispatch centre to allow this account to create interventions.",
  "link.cause.other-service": "Another service responds at the address of the dispatch centre.",
  "link.remedy.other-service":
    "Check upstream.baseUrl. A public network may also require a sign-in in the browser.",
  "link.cause.other": "The response of the dispatch centre cannot be used.",
  "link.remedy.other": "Report the text in brackets to the dispatch centre.",
} as const;
