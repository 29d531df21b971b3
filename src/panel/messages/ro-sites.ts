import type { CatalogueOf } from "./catalogue.ts";
import type { EN_SITES } from "./en-sites.ts";

/** The sites of a dispatch centre, in Romanian. */
export const RO_SITES: CatalogueOf<typeof EN_SITES> = {
  "sites.level": "Stare",
  "sites.none":
    "Nicio locație nu a raportat încă. O locație raportează la dispeceratul căruia îi trimite intervențiile.",
  "sites.noneFound": "Nicio locație nu corespunde.",
  "sites.reported": "Ultimul raport",
  "sites.why": "Motiv",
  "sites.ref": "Referință",
  "sites.version": "Versiune",
  "sites.silentSince": "nu raportează din {time}",
  "sites.backlog": "{n} înregistrări în așteptare de {time}",
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
  "sites.event.restarted": "Repornit",
  "sites.event.version": "Versiunea {detail}",
  "sites.event.level": "Stare: {detail}",
  "sites.event.silent": "Nu mai raportează",
};
