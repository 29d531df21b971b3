/** Summaries of the operations of the contract and of a dispatch centre, in Romanian, as in `ro-api.ts`. */
export const RO_API_RECORDS: readonly (readonly [english: string, romanian: string])[] = [
  [
    "Interventions, their objectives, and access tokens.",
    "Intervenții, obiectivele lor și tokenuri de acces.",
  ],

  // The contract
  ["Obtain an access token", "Obținerea unui token de acces"],
  ["List objectives of type cladiri", "Lista obiectivelor de tip `cladiri`"],
  ["List objectives of type bunuri", "Lista obiectivelor de tip `bunuri`"],
  ["List objectives of type persoane", "Lista obiectivelor de tip `persoane`"],
  ["Read one objective of type cladiri", "Citirea unui obiectiv de tip `cladiri`"],
  ["Read one objective of type bunuri", "Citirea unui obiectiv de tip `bunuri`"],
  ["Read one objective of type persoane", "Citirea unui obiectiv de tip `persoane`"],
  ["List interventions", "Lista intervențiilor"],
  ["Create an intervention", "Crearea unei intervenții"],
  ["Read an intervention", "Citirea unei intervenții"],
  ["Change the fields of the body", "Modificarea câmpurilor din corpul cererii"],
  ["The same as PUT", "La fel ca PUT"],
  ["Delete an intervention permanently", "Ștergerea definitivă a unei intervenții"],

  // A dispatch centre
  ["Send the status report of a site", "Transmiterea raportului de stare al unei locații"],
  [
    "List the sites that have an account or a one-time code, by their reference",
    "Lista locațiilor care au un cont sau un cod de unică folosință, în ordinea referinței",
  ],
  ["Create a one-time code for a site", "Crearea unui cod de unică folosință pentru o locație"],
  [
    "Exchange a one-time code for the account of a site",
    "Înrolarea unei locații: în schimbul codului de unică folosință, locația primește un cont",
  ],
  ["Revoke the site with the reference claim", "Revocarea accesului locației cu referința `claim`"],
  [
    "Disable the account of a site and remove its one-time code",
    "Dezactivarea contului unei locații și eliminarea codului ei de unică folosință",
  ],
  [
    "List the sites that report here, the most serious first",
    "Lista locațiilor care transmit rapoarte aici, începând cu cele mai grave",
  ],
  ["Numbers of sites by level", "Numărul de locații pentru fiecare stare"],
  ["The sites that have created these interventions", "Locațiile care au creat aceste intervenții"],
  ["Read a site with its history", "Citirea unei locații, cu istoricul ei"],
  ["Remove a site that no longer exists", "Eliminarea unei locații care nu mai există"],
];
