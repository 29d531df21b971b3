import type { CatalogueOf } from "./catalogue.ts";
import type { EN_SITES } from "./en-sites.ts";

/** The sites of a dispatch centre, in Romanian. */
export const RO_SITES: CatalogueOf<typeof EN_SITES> = {
  "reason.site-fault": {
    one: "{n} locație cu deranjament",
    few: "{n} locații cu deranjament",
    other: "{n} de locații cu deranjament",
  },
  "reason.sites-unreported": {
    one: "{n} locație înrolată fără niciun raport",
    few: "{n} locații înrolate fără niciun raport",
    other: "{n} de locații înrolate fără niciun raport",
  },
  "sites.level": "Stare",
  "sites.none":
    "Nicio locație nu a transmis încă un raport. O locație transmite rapoarte dispeceratului căruia îi transmite intervențiile.",
  "sites.unreportedRemedy":
    "O locație transmite primul raport în cel mult un minut de la înrolare. Verificați alimentarea și conexiunea; revocați accesul unei locații care nu mai există.",
  "sites.noneFound": "Nicio locație găsită.",
  "sites.reported": "Ultimul raport",
  "sites.why": "Motive",
  "sites.ref": "Referință",
  "sites.silentAfter": "Interval maxim fără raport",
  "sites.version": "Versiune",
  "sites.silentSince": "nu comunică de la {time}",
  "sites.backlog": {
    one: "{n} înregistrare în așteptare de {time}",
    few: "{n} înregistrări în așteptare, cea mai veche de {time}",
    other: "{n} de înregistrări în așteptare, cea mai veche de {time}",
  },
  "sites.backlogUnknown": "înregistrări în așteptare: ?",
  "sites.count.all": "Toate {n}",
  "sites.count.alarm": "{n} în alarmă",
  "sites.count.fault": "{n} cu deranjament",
  "sites.count.attention": {
    one: "{n} necesită atenție",
    few: "{n} necesită atenție",
    other: "{n} necesită atenție",
  },
  "sites.count.well": "{n} în regulă",
  "sites.count.silent": "{n} nu comunică",
  "sites.unfinished": "Intervenții nefinalizate: {objective}",
  "sites.moreFaults": {
    one: "încă {n} deranjament",
    few: "încă {n} deranjamente",
    other: "încă {n} de deranjamente",
  },
  "sites.interventionsOf": "Intervențiile locației {name}",
  "sites.repair": "Intervenția #{id}",
  "sites.uptime": "Funcționează de",
  "sites.clock": "Decalajul ceasului față de dispecerat",
  "sites.disk": "Spațiu liber pe disc",
  "sites.wear": "Uzura cardului",
  "sites.at": "Ora",
  "sites.change": "Eveniment",
  "sites.history": "Istoric",
  "sites.event.first-report": "Primul raport: {detail}",
  "sites.event.reporting": "Comunică din nou",
  "sites.event.restarted": "Repornire",
  "sites.event.version": "Versiunea {detail}",
  "sites.event.level": "Stare: {detail}",
  "sites.event.silent": "Nu mai comunică",
  "sites.remove": "Eliminare din listă",
  "sites.removeTitle": "Eliminați din listă locația {name}?",
  "sites.removeText":
    "Starea și istoricul ei se elimină de aici. Intervențiile și contul ei rămân: dacă comunică din nou, locația reapare în listă. Pentru a împiedica acest lucru, revocați-i accesul.",
  "sites.removeRepair": "Intervenția #{id} pentru lipsa comunicației rămâne nefinalizată.",
  "sites.removeDo": "Eliminare",
  "sites.removed": "Locația {name} a fost eliminată din listă.",
  "access.title": "Accesul locațiilor",
  "access.text":
    "Fiecare locație are un cont propriu, limitat la intervențiile și obiectivele ei. Contul se obține cu un cod de unică folosință.",
  "access.state": "Acces",
  "access.state.invited": "Cod nefolosit",
  "access.state.enrolled": "Locație înrolată",
  "access.state.revoked": "Revocat",
  "access.codeUntil": "Cod valabil până la",
  "access.invite": "Creare cod de unică folosință",
  "access.inviteText":
    "Alegeți locația și obiectivele pe care le monitorizează. Un cod nou îl înlocuiește pe cel anterior al locației.",
  "access.refHint":
    "De exemplu hala-nord. O locație nouă preia referința din cod; pentru una existentă, introduceți valoarea site.ref a acesteia",
  "access.addObjective": "Adăugare obiectiv",
  "access.remove": "Eliminare",
  "access.inviteDo": "Creare cod",
  "access.transferTitle": "Creați alt cod pentru {site}?",
  "access.transferText":
    "Locația este înrolată. Dispozitivul care folosește codul nou îi preia contul, iar cel actual nu se mai poate autentifica. Altă locație are nevoie de un cod cu altă referință.",
  "access.issued": "Codul de unică folosință pentru {site}, valabil până la {time}. Se afișează numai acum.",
  "access.inPanel": "În panoul web al locației, la Setări, Dispecerat, introduceți:",
  "access.atSite": "Sau pe dispozitivul locației:",
  "access.revoke": "Revocare",
  "access.revokeTitle": "Revocați accesul locației {site}?",
  "access.revokeText":
    "Locația nu se mai poate autentifica, iar tokenurile ei expiră imediat. Intervențiile rămân. Cu un cod nou, contul trece la dispozitivul care îl înlocuiește pe cel actual.",
  "access.revoked": "{site} nu se mai poate autentifica.",
};
