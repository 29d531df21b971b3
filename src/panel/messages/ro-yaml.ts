/** What the daemon says of the YAML of a configuration file in English, and the same in Romanian, as in `ro-daemon.ts`. */
export const RO_YAML: readonly (readonly [english: string, romanian: string])[] = [
  ["invalid YAML: {reason}", "YAML invalid: {reason}"],
  [
    "the text that begins here with {quote} does not end. Close it with {quote}",
    "textul care începe aici cu {quote} nu se termină; închideți-l cu {quote}",
  ],
  [
    "the list or section that begins here with {open} does not end. Close it with {close}",
    "lista sau secțiunea care începe aici cu {open} nu se termină; închideți-o cu {close}",
  ],
  [
    "id is set twice, first in line {n}. Keep one of them, or begin a new entry with - before id",
    "id apare de două ori, prima dată la linia {n}; păstrați unul singur sau începeți un element nou cu - înainte de id",
  ],
  [
    "{option} is set twice, first in line {n}. Keep one of them",
    "{option} apare de două ori, prima dată la linia {n}; păstrați una singură",
  ],
  [
    "this line begins in another column than its section. Begin all options of a section in one column",
    "linia nu este aliniată cu secțiunea ei; aliniați toate opțiunile unei secțiuni",
  ],
  [
    "the next line is indented, but this option has its value already. Indent both equally",
    "linia următoare este indentată, dar opțiunea de aici are deja o valoare; aliniați-le",
  ],
  [
    "the value has a colon and a space in it. Put it in quotes",
    "valoarea conține două puncte urmate de spațiu; puneți-o între ghilimele",
  ],
  [
    "the options in a pair of brackets are separated by commas. Put a comma after this one",
    "opțiunile dintre acolade se despart prin virgule; puneți o virgulă după aceasta",
  ],
  [
    "an option needs a colon and a space before its value. Write it as option: value",
    "între opțiune și valoare trebuie două puncte și un spațiu; scrieți opțiune: valoare",
  ],
  ["this {bracket} closes nothing. Remove it", "paranteza {bracket} nu închide nimic; ștergeți-o"],
  [
    "the value before this has ended. Put a comma between two values, or the whole text in quotes",
    "valoarea de dinainte s-a terminat; puneți o virgulă între valori sau tot textul între ghilimele",
  ],
  [
    "a tab cannot indent a line. Replace all tabs at the beginning of lines by spaces",
    "o linie nu se indentează cu tab; înlocuiți taburile de la începutul liniilor cu spații",
  ],
  [
    "a text cannot begin with {character}. Put it in quotes",
    "un text nu poate începe cu {character}; puneți-l între ghilimele",
  ],
  [
    "nested deeper than {n} levels; no option needs that",
    "sunt peste {n} de niveluri imbricate; nicio opțiune nu are nevoie de atâtea",
  ],
  [
    "alias *{alias} has no anchor &{anchor} before it; write the value out",
    "aliasul *{alias} nu are înaintea lui ancora &{anchor}; scrieți valoarea întreagă",
  ],
  [
    "alias *{alias} is inside its own anchor; write the value out",
    "aliasul *{alias} este în interiorul propriei ancore; scrieți valoarea întreagă",
  ],
  [
    "with alias *{alias} the aliases add more than {n} values; write the values out",
    "cu aliasul *{alias}, aliasurile adaugă peste {n} de valori; scrieți valorile întregi",
  ],
  [
    "duplicate zone {id}. Give each zone its own id",
    "zona {id} există deja; dați fiecărei zone propriul nume scurt",
  ],
  ["id is missing. Add id: {id}", "id lipsește; adăugați id: {id}"],
  [
    "{mark} is part of this value: the quotation marks of YAML are \" and '. Write one of these, or put the whole value in them if {mark} belongs to it",
    "{mark} face parte din această valoare: ghilimelele YAML sunt \" și '; folosiți-le pe acestea sau, dacă {mark} aparține valorii, puneți toată valoarea între ele",
  ],
  ["objective is missing. Write it as {form}", "objective lipsește; scrieți-l astfel: {form}"],
  ["duplicate zone {id}", "zona {id} există deja"],
  [
    "{value} without quotes is the text {text}, not true or false. Write true or false if the device sends that, otherwise {quoted}",
    "{value} fără ghilimele este textul {text}, nu true sau false; scrieți true sau false dacă echipamentul transmite aceste valori, altfel {quoted}",
  ],
];
