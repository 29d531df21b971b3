/** Why a trip was not dispatched, in English and Romanian; see `RO_DAEMON`. */
export const RO_DISPOSITIONS: readonly (readonly [english: string, romanian: string])[] = [
  ["the journal still cannot be written", "încă nu se poate scrie în jurnalul declanșărilor"],
  ["control socket", "socketul de control"],
  ["walk test by {who}", "test de mers (walk test), {who}"],
  ["walk test", "test de mers (walk test)"],
  ["disarmed ({by})", "zonă dezarmată ({by})"],
  ["exit delay ({by})", "temporizare la ieșire ({by})"],
  ["schedule", "program orar"],
  ["swinger shutdown after repeated trips", "blocare automată (swinger) după declanșări repetate"],
  [
    "swinger shutdown after {trips} trips in {n} incidents",
    "blocare automată (swinger); declanșări: {trips}, incidente: {n}",
  ],
  [
    "swinger shutdown after {trips} trips in {n} incident",
    "blocare automată (swinger) într-un incident; declanșări: {trips}",
  ],
  ["swinger shutdown after {trips} trip in 1 incident", "blocare automată (swinger) după o declanșare"],
  [
    "swinger shutdown after {trips} trip in {n} incidents",
    "blocare automată (swinger); declanșări: {trips}, incidente: {n}",
  ],
  ["the zone is no longer in the configuration", "zona nu mai este în configurație"],
  ["its fault has no intervention", "deranjamentul nu are intervenție"],
];
