import type { CatalogueOf } from "./catalogue.ts";
import type { EN_LINK } from "./en-link.ts";

/** The link to the dispatch centre and what is sent over it, in Romanian. */
export const RO_LINK: CatalogueOf<typeof EN_LINK> = {
  "phase.new": "de transmis",
  "phase.posting": "se transmite",
  "phase.unsure": "trimisă, fără răspuns",
  "phase.linked": "modificare de transmis",
  "phase.writing": "modificarea se transmite",
  "phase.blocked": "obiectiv lipsă la dispecerat",
  "phase.rejected": "respinsă de dispecerat",
  "phase.gone": "ștearsă de dispecerat",
  "phase.out-of-scope": "inaccesibilă contului locației",
  "phase.doubtful": "lipsește din lista dispeceratului; se verifică din nou",
  "phase.closed": "închisă",
  "link.none": "fără dispecerat",
  "link.unknown": "încă nefolosită",
  "link.up": "activă",
  "link.down": "ÎNTRERUPTĂ",
  "link.nextAttempt": "următoarea încercare la {time}",
  "link.lastResponse": "ultimul răspuns la {time}",
  "compared.same": "fără diferențe ({here})",
  "compared.differs": "{here} local, {there} la dispecerat",
  "compared.none": "încă nicio comparație",

  "link.cause.name": "Numele dispeceratului nu poate fi rezolvat (DNS).",
  "link.remedy.name":
    "Verificați conexiunea la internet și serverul DNS ale dispozitivului, precum și numele din upstream.baseUrl.",
  "link.cause.refused": "Serverul dispeceratului respinge conexiunea.",
  "link.remedy.refused":
    "Serviciul de acolo este oprit sau portul este greșit: verificați portul din upstream.baseUrl, apoi sunați la dispecerat.",
  "link.cause.timeout": "Dispeceratul nu răspunde la timp.",
  "link.remedy.timeout":
    "Verificați routerul, firewallul și semnalul modemului GSM, apoi sunați la dispecerat.",
  "link.cause.network": "Nu există rută spre dispecerat.",
  "link.remedy.network": "Verificați cablul, routerul și modemul locației.",
  "link.cause.certificate": "Certificatul dispeceratului nu este de încredere.",
  "link.remedy.certificate":
    "Cereți dispeceratului certificatul autorității sale de certificare și setați upstream.caFile. Este posibil ca alt echipament să intercepteze conexiunea.",
  "link.cause.certificate-name": "Certificatul dispeceratului este emis pentru alt nume.",
  "link.remedy.certificate-name":
    "Setați upstream.baseUrl la numele din certificat. Este posibil ca alt echipament să intercepteze conexiunea.",
  "link.cause.certificate-time": "Certificatul dispeceratului a expirat sau nu este încă valabil.",
  "link.remedy.certificate-time":
    "Verificați data și ora dispozitivului. Dacă sunt corecte, dispeceratul trebuie să își reînnoiască certificatul.",
  "link.cause.tls": "Nu se poate stabili o conexiune criptată (TLS) cu dispeceratul.",
  "link.remedy.tls": "Verificați dacă upstream.baseUrl are portul criptat al dispeceratului, de obicei 443.",
  "link.cause.broken": "Conexiunea cu dispeceratul se întrerupe înainte de răspuns.",
  "link.remedy.broken":
    "Verificați routerul, firewallul și semnalul modemului GSM. Dacă problema persistă, sunați la dispecerat.",
  "link.cause.busy": "Dispeceratul nu acceptă cereri în acest moment.",
  "link.remedy.busy":
    "Nu trebuie modificat nimic aici: transmiterea continuă automat. Dacă problema persistă, sunați la dispecerat.",
  "link.cause.sign-in": "Dispeceratul respinge contul acestei locații.",
  "link.remedy.sign-in":
    "Verificați upstream.email și fișierul parolei; după corectare, rulați santinela reload. Dacă sunt corecte, întrebați dispeceratul dacă acest cont mai există.",
  "link.cause.forbidden": "Contul acestei locații nu are acces la dispecerat.",
  "link.remedy.forbidden": "Cereți dispeceratului să permită acestui cont crearea de intervenții.",
  "link.cause.other-service": "La adresa dispeceratului răspunde alt serviciu.",
  "link.remedy.other-service":
    "Verificați upstream.baseUrl. O rețea publică poate cere și autentificare în browser.",
  "link.cause.other": "Răspunsul dispeceratului nu poate fi folosit.",
  "link.remedy.other": "Comunicați dispeceratului textul din paranteză.",
};
