/** The accounts of the story, at the site and at the dispatch centre. */
export const PEOPLE = {
  ana: { email: "ana@example.ro", password: "correct horse battery" },
  paza: { email: "paza@example.ro", password: "staple of seven horses" },
  vizitator: { email: "vizitator@example.ro", password: "only looks at the doors" },
  plecat: { email: "plecat@example.ro", password: "left in the autumn of 25" },
  dispecer: { email: "dispecer@example.ro", password: "answers within a minute" },
  edge: { email: "hala-nord@example.ro", password: "hala nord sends its records" },
} as const;

/** Objectives of both; `bunuri 77` is not at the dispatch centre. */
const AT_BOTH = `
  obiective/cladiri:
    - { id: 1, name: Hala Nord, address: "Str. Fabricii 1", city: Cluj-Napoca }
    - { id: 2, name: Curte }
    - { id: 3, name: Depozit }
    - { id: 4, name: Birouri }
    - { id: 5, name: Atelier }
    - { id: 6, name: Casierie }
    - { id: 7, name: Seif }
    - { id: 8, name: Subsol }
  obiective/persoane:
    - { id: 9, name: Ion Paznicu }`;

/**
 * The dispatch centre of the story.
 * @param more further sections for `santinela centre`; without it the centre is a daemon without zones, as in 0.1.0
 */
export const centreYaml = (more?: string): string => `dataDir: ./centre
site: { name: Dispecerat, ref: centre, timezone: Europe/Bucharest, locale: ro }
http: { port: 0 }
${more ?? "mqtt: off\ngpio: { backend: simulated }\n"}objectives:${AT_BOTH}
`;

export interface SiteOptions {
  /** Port of the dispatch centre; none for a site that cannot reach it. */
  readonly centrePort: number;
  /** The section `mqtt`. */
  readonly mqtt: string;
  /** Further sections, and further zones. */
  readonly more?: string;
  readonly zones?: string;
}

/** The site of the story, with zones of each input and kind that 0.1.0 has. */
export const siteYaml = ({ centrePort, mqtt, more = "", zones = "" }: SiteOptions): string => `dataDir: ./site
site: { name: Hala Nord, ref: hala-nord, timezone: Europe/Bucharest, locale: ro, incidentWindowS: 60 }
http: { port: 0, deleteNeedsAdministrator: true }
mqtt: ${mqtt}
gpio: { backend: simulated }
upstream:
  baseUrl: http://127.0.0.1:${centrePort}
  email: ${PEOPLE.edge.email}
  passwordFile: ./upstream.password
  timeoutS: 120
objectives:${AT_BOTH}
  obiective/bunuri:
    - { id: 77, name: Tablou }
profiles:
  own: { priority: high, type: inspection, crews: 2, name: "Verificare {zone.name}", description: "La {objective.name}" }
${more}zones:
  - { id: front-door, name: Ușa principală, kind: intrusion, objective: { type: obiective/cladiri, id: 1 }, input: { gpio: 17, contact: nc } }
  - { id: hall-motion, name: Mișcare hală, kind: motion, objective: { type: obiective/cladiri, id: 1 }, input: { simulated: true } }
  - id: back-gate
    name: Poarta
    kind: perimeter
    objective: { type: obiective/cladiri, id: 2 }
    input: { mqtt: zigbee2mqtt/backgate, path: /contact, open: [false], normal: [true] }
    tamper: { path: /tamper, open: [true], normal: [false] }
    battery: { path: /battery_low, low: [true] }
    availability: { mqtt: zigbee2mqtt/backgate/availability }
    lostGraceS: 0
  - { id: smoke, name: Fum depozit, kind: fire, objective: { type: obiective/cladiri, id: 3 }, input: { gpio: 22, contact: no } }
  - { id: window, name: Geam birou, kind: glass, objective: { type: obiective/cladiri, id: 4 }, input: { simulated: true }, swinger: { maxTrips: 1 } }
  - { id: workshop, name: Atelier, kind: technical, profile: own, objective: { type: obiective/cladiri, id: 5 }, input: { simulated: true } }
  - { id: cash-desk, name: Buton casierie, kind: holdup, objective: { type: obiective/cladiri, id: 6 }, input: { simulated: true } }
  - { id: safe, name: Ușa seifului, kind: intrusion, objective: { type: obiective/cladiri, id: 7 }, input: { simulated: true } }
  - { id: cellar, name: Apă subsol, kind: flood, objective: { type: obiective/cladiri, id: 8 }, input: { simulated: true } }
  - { id: guard, name: Buton paznic, kind: panic, objective: { type: obiective/persoane, id: 9 }, input: { simulated: true } }
  - id: yard
    name: Senzor curte
    kind: motion
    objective: { type: obiective/cladiri, id: 2 }
    input: { mqtt: yard/motion, open: ["ON"] }
    gate: { mqtt: yard/armed, open: ["yes"], normal: ["no"] }
${zones}`;
