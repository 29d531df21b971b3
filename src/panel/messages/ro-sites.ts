import type { CatalogueOf } from "./catalogue.ts";
import type { EN_SITES } from "./en-sites.ts";

/** The sites of a dispatch centre, in Romanian. */
export const RO_SITES: CatalogueOf<typeof EN_SITES> = {
  "sites.level": "Stare",
  "sites.none":
    "Nicio locație nu a raportat încă. O locație raportează la dispeceratul căruia îi transmite intervențiile.",
  "sites.unreportedRemedy":
    "O locație raportează în cel mult un minut de la înrolare. Verificați alimentarea și conexiunea; revocați accesul unei locații care nu mai există.",
  "sites.noneFound": "Nicio locație nu corespunde.",
  "sites.reported": "Ultimul raport",
  "sites.why": "Motive",
  "sites.ref": "Referință",
  "sites.version": "Versiune",
  "sites.silentSince": "nu raportează de la {time}",
  "sites.backlog": {
    one: "{n} înregistrare în așteptare de {time}",
    few: "{n} înregistrări în așteptare, cea mai veche de {time}",
    other: "{n} de înregistrări în așteptare, cea mai veche de {time}",
  },
  "sites.moreFaults": {
    one: "încă {n} deranjament",
    few: "încă {n} deranjamente",
    other: "încă {n} de deranjamente",
  },
  "sites.repair": "Intervenția #{id}",
  "sites.uptime": "Funcționează de",
  "sites.clock": "Ceasul, față de dispecerat",
  "sites.disk": "Spațiu liber pe disc",
  "sites.wear": "Uzura cardului",
  "sites.at": "Ora",
  "sites.change": "Modificare",
  "sites.history": "Istoric",
  "sites.event.first-report": "Primul raport: {detail}",
  "sites.event.reporting": "Raportează din nou",
  "sites.event.restarted": "Repornire",
  "sites.event.version": "Versiunea {detail}",
  "sites.event.level": "Stare: {detail}",
  "sites.event.silent": "Nu mai raportează",
  "access.title": "Accesul locațiilor",
  "access.text":
    "Fiecare locație are un cont propriu, limitat la intervențiile și obiectivele ei. Contul se obține cu un cod de unică folosință.",
  "access.state": "Acces",
  "access.state.invited": "Cod nefolosit",
  "access.state.enrolled": "Înrolată",
  "access.state.revoked": "Revocat",
  "access.codeUntil": "Cod valabil până la",
  "access.invite": "Creare cod de unică folosință",
  "access.inviteText":
    "Alegeți locația și obiectivele pe care le protejează. Un cod nou îl înlocuiește pe cel vechi.",
  "access.refHint": "site.ref din configurația locației",
  "access.addObjective": "Adăugare obiectiv",
  "access.remove": "Eliminare",
  "access.inviteDo": "Creare cod",
  "access.issued": "Codul de unică folosință pentru {site}, valabil până la {time}. Se afișează numai acum.",
  "access.inPanel": "În panoul web al locației, la Setări, Dispecerat, introduceți:",
  "access.atSite": "Sau pe dispozitivul locației:",
  "access.revoke": "Revocare",
  "access.revokeTitle": "Revocați accesul locației {site}?",
  "access.revokeText":
    "Locația nu se mai poate autentifica, iar tokenurile ei expiră imediat. Intervențiile rămân. Un cod nou transferă contul dispozitivului care îl înlocuiește pe cel actual.",
  "access.revoked": "{site} nu se mai poate autentifica.",
};
