/* Configurations that both acts use. */

/** The account of the site at the centre. */
export const EDGE_EMAIL = "edge@site.example";

/** The section of the objectives, the same at both sides. */
export const OBJECTIVES = `objectives:
  obiective/cladiri:
    - { id: 1, name: North Hall }
    - { id: 2, name: Yard }
    - { id: 3, name: Store }
    - { id: 4, name: Office }
`;

/** A site with simulated lines, one of them beside a sensor that uses its own broker. @param linkPort port of the centre */
export function siteYaml(name: string, linkPort: number): string {
  return `dataDir: ./${name}
site: { name: Demo site, ref: demo, locale: en }
http: { port: 0 }
mqtt: { listen: { port: 0 } }
gpio: { backend: simulated }
upstream:
  baseUrl: http://127.0.0.1:${linkPort}
  email: ${EDGE_EMAIL}
  passwordFile: ./upstream.password
${OBJECTIVES}zones:
  - { id: front-door, name: Front door, kind: intrusion, objective: { type: obiective/cladiri, id: 1 }, input: { gpio: 17, contact: nc } }
  - { id: back-gate, name: Back gate, kind: perimeter, objective: { type: obiective/cladiri, id: 2 }, input: { mqtt: zigbee2mqtt/backgate, path: /contact, open: [false], normal: [true] } }
  - { id: smoke, name: Smoke detector, kind: fire, objective: { type: obiective/cladiri, id: 3 }, input: { gpio: 22, contact: no } }
  - { id: window, name: Office window, kind: glass, objective: { type: obiective/cladiri, id: 4 }, input: { gpio: 27, contact: nc } }
`;
}
