/** What the daemon says of values that the schema of the configuration rejects, and the same in Romanian, as in `ro-daemon.ts`. */
export const RO_SCHEMA: readonly (readonly [english: string, romanian: string])[] = [
  ["must not be empty", "valoare obligatorie"],
  ["Use {option}", "Folosiți {option}"],
  ["needs at least {n} characters ({value})", "sunt necesare cel puțin {n} caractere ({value})"],
  ["needs at least {n} entries ({value})", "sunt necesare cel puțin {n} elemente ({value})"],
  [
    "has {length} characters; at most {n} are allowed",
    "număr de caractere: {length}; se acceptă cel mult {n}",
  ],
  ["has {length} entries; at most {n} are allowed", "număr de elemente: {length}; se acceptă cel mult {n}"],
  ["{field} may have at most {n} entries", "{field}: număr maxim de elemente: {n}"],
  ["has the same entry twice", "același element apare de două ori"],
  [
    "{value} is out of range; allowed: {minimum} or more",
    "{value} este în afara limitelor; se acceptă cel puțin {minimum}",
  ],
  [
    "{value} is out of range; allowed: {maximum} or less",
    "{value} este în afara limitelor; se acceptă cel mult {maximum}",
  ],
  [
    "{value} is out of range; allowed: {minimum} to {maximum}",
    "{value} este în afara limitelor; se acceptă valori de la {minimum} la {maximum}",
  ],
  ["must be more than {n}, not {value}", "se acceptă valori mai mari decât {n}, nu {value}"],
  [
    "{value} has too many levels; at most 8 are allowed",
    "{value} are prea multe niveluri; se acceptă cel mult 8",
  ],
  [
    "{value} does not match the expected format. Begin it with /: {path}",
    "{value} nu are forma cerută; începeți cu /: {path}",
  ],
  ["{value} does not match the expected format. {description}", "{value} nu are forma cerută. {description}"],
  ["{value} does not match the expected format", "{value} nu are forma cerută"],
  ["does not match the expected format. {description}", "valoarea nu are forma cerută. {description}"],
  ["must be one of {values}, not {value}", "se acceptă numai {values}, nu {value}"],
  ["must be only {wanted}, not {value}", "se acceptă numai {wanted}, nu {value}"],
  ["must be {problem}, not {value}", "se așteaptă {problem}, nu {value}"],
  ["a list", "o listă"],
  ["a section", "o secțiune"],
  ["text", "un text"],
  ["text or {problem}", "un text sau {problem}"],
  ["a number or {problem}", "un număr sau {problem}"],
  ["Set a value, or remove the option", "Dați o valoare sau ștergeți opțiunea"],
  [
    "Set a value, [] for none, or remove the option",
    "Dați o valoare ([] pentru niciuna) sau ștergeți opțiunea",
  ],
  ["Write it in brackets: {value}", "Scrieți între paranteze: {value}"],
  ['Write each entry on its own line after "- "', "Scrieți fiecare element pe rândul lui, după „- ”"],
  [
    "Write it in quotes, with all its leading zeros",
    "Scrieți între ghilimele, cu toate zerourile de la început",
  ],
  ["Write it in quotes: {value}", "Scrieți între ghilimele: {value}"],
  [
    "Write a space after - to begin an entry of a list",
    "scrieți un spațiu după -, la începutul unui element de listă",
  ],
  ["matches none of the allowed forms", "nu are niciuna dintre formele permise"],
  [
    "an input needs exactly one of gpio: <BCM number>, mqtt: <topic>, dc09: <account>, adc: <converter>, supply: raspberry-pi or simulated: true",
    "o intrare are exact una dintre opțiunile gpio: <număr BCM>, mqtt: <topic>, dc09: <cont>, adc: <convertor>, supply: raspberry-pi sau simulated: true",
  ],
  [
    'a gate is always, { schedule: "sun-fri 18:00-07:00, sat-sun" }, { mqtt: <topic>, open: [armed], normal: [disarmed] } or { gpio: <line> }',
    'o condiție de armare este always, { schedule: "sun-fri 18:00-07:00, sat-sun" }, { mqtt: <topic>, open: [armed], normal: [disarmed] } sau { gpio: <linie> }',
  ],
  [
    "must be false, or { maxTrips: 1 to 6, resetAfterQuietS: 3600 or more }",
    "se acceptă false sau { maxTrips: de la 1 la 6, resetAfterQuietS: cel puțin 3600 }",
  ],
  [
    "must be own, off or { certFile: <file>, keyFile: <file> }",
    "se acceptă own, off sau { certFile: <fișier>, keyFile: <fișier> }",
  ],
  [
    "must be off or a section such as { url: mqtt://127.0.0.1:1883 }",
    "se acceptă off sau o secțiune, de exemplu { url: mqtt://127.0.0.1:1883 }",
  ],
];

/** The descriptions of the schema that explain a value of the wrong form in a form of the panel, and the same in Romanian. */
export const RO_DESCRIPTIONS: readonly (readonly [english: string, romanian: string])[] = [
  [
    "Id of the zone, used in commands and logs: a–z, 0–9, - and _, beginning with a letter or digit",
    "Se acceptă litere mici, cifre, - și _, începând cu o literă sau o cifră",
  ],
  [
    "Name of the zone in texts. Tabs and line ends become spaces. Must not be blank or contain other control characters",
    "Numele nu poate fi gol și nu poate conține caractere de control",
  ],
  [
    "Name of the site, used in texts. Tabs and line ends become spaces. Must not be blank or contain other control characters",
    "Numele nu poate fi gol și nu poate conține caractere de control",
  ],
  [
    "Short reference of the site, unique among the sites of one dispatch centre; part of the marker in `notes`: A–Z, a–z, 0–9, -, _ and ., beginning with a letter or digit",
    "Se acceptă A–Z, a–z, 0–9, -, _ și ., începând cu o literă sau o cifră",
  ],
];
