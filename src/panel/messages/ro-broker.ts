/** What clients of the built-in broker did that reached one of its limits, in Romanian; see ro-daemon.ts. */
export const RO_BROKER: readonly (readonly [english: string, romanian: string])[] = [
  // Memory
  [
    "{client} was disconnected and its session dropped: the built-in broker {problem}",
    "{client} a fost deconectat, iar sesiunea lui a fost eliminată: brokerul inclus {problem}",
  ],
  ["held {n} MiB for it, {share}: mostly {use}", "a reținut pentru el {n} MiB, {share}: mai ales {use}"],
  ["held {what} for it", "a reținut pentru el {what}"],
  ["more than the limit per client", "peste limita unui client"],
  ["the largest share of the total limit", "cea mai mare parte din limita totală"],
  ["connections", "conexiuni"],
  ["subscriptions", "abonări"],
  ["QoS 2 messages that it does not release", "mesaje QoS 2 pe care nu le eliberează"],
  ["messages that it does not collect or acknowledge", "mesaje pe care nu le preia sau nu le confirmă"],
  ["messages that it does not read", "mesaje pe care nu le citește"],
  ["a packet that it does not finish", "un pachet pe care nu îl încheie"],
  ["a last will", "un mesaj „last will”"],
  ["{n} messages that it has not acknowledged", "{n} de mesaje pe care nu le-a confirmat"],
  ["{n} QoS 2 messages that it has not released", "{n} de mesaje QoS 2 pe care nu le-a eliberat"],
  [
    "Correct or stop that program, or run a separate broker (mqtt.url)",
    "Corectați sau opriți acel program sau folosiți un broker separat (mqtt.url)",
  ],
  ["Zones are not affected", "Zonele nu sunt afectate"],

  // Retained messages
  [
    "the built-in broker stores at most {n} topics or {mebibytes} MiB of retained messages",
    "brokerul inclus păstrează cel mult {n} de topicuri sau {mebibytes} MiB de mesaje reținute (retained)",
  ],
  ["One account may use at most {share} % of that", "Un cont poate folosi cel mult {share} % din acestea"],
  [
    "The message of {topic} from {client} was forwarded but not stored",
    "Mesajul {topic} de la {client} a fost transmis mai departe, dar nu a fost păstrat",
  ],

  // Sign-ins
  [
    "{address} tries wrong passwords at the built-in broker as {client}, and must wait up to 15 minutes between attempts",
    "de la adresa {address} se încearcă parole greșite la brokerul inclus, ca {client}; între încercări trebuie să treacă până la 15 minute",
  ],
  [
    "Correct the password of that sensor, or find the program that guesses",
    "Corectați parola acelui senzor sau căutați programul care încearcă parole",
  ],

  // Rejected clients
  [
    "a client at {address} was rejected because {problem}",
    "un client de la adresa {address} a fost respins: {problem}",
  ],
  ["it speaks MQTT 5", "folosește MQTT 5"],
  [
    "Set it to MQTT 3.1.1, or run a separate broker (mqtt.url)",
    "Setați-l pe MQTT 3.1.1 sau folosiți un broker separat (mqtt.url)",
  ],
  [
    "its client id has more than {n} bytes: it begins with {id}",
    "client id-ul lui are peste {n} de octeți și începe cu {id}",
  ],
  [
    "Give that sensor or program a shorter client id",
    "Setați pentru acel senzor sau program un client id mai scurt",
  ],
  ["it has no client id for its persistent session", "nu are client id pentru sesiunea lui persistentă"],
  [
    "Give that sensor or program a client id, or let it begin a clean session",
    "Setați pentru acel senzor sau program un client id sau o sesiune nouă la fiecare conectare (clean session)",
  ],
  ["its last will has QoS 3", "mesajul lui „last will” are QoS 3"],
  ["its last will has no topic", "mesajul lui „last will” nu are topic"],
  ["the topic of its last will has a wildcard", "topicul mesajului „last will” conține un wildcard"],
  [
    "the topic of its last will has more than {n} levels",
    "topicul mesajului „last will” are peste {n} de niveluri",
  ],
  [
    "Correct the last will of that sensor or program",
    "Corectați mesajul „last will” al acelui senzor sau program",
  ],

  // Connections and packets
  [
    "{network} has {n} connections to the built-in broker, which is the limit per address",
    "{network} are {n} de conexiuni la brokerul inclus, adică limita pentru o adresă",
  ],
  ["Check what that machine does", "Verificați ce face acel echipament"],
  [
    "a site with more sensors behind one address needs a separate broker (mqtt.url)",
    "pentru mai mulți senzori la aceeași adresă este necesar un broker separat (mqtt.url)",
  ],
  [
    "all {n} connections of the built-in broker are in use",
    "toate cele {n} de conexiuni ale brokerului inclus sunt ocupate",
  ],
  [
    "connections without a sign-in are dropped, such as one from {address}",
    "se închid conexiuni fără autentificare, de exemplu una de la {address}",
  ],
  [
    "further sensors are rejected, such as one at {address}",
    "alți senzori sunt respinși, de exemplu unul de la {address}",
  ],
  [
    "Find the program that opens so many, or run a separate broker (mqtt.url)",
    "Căutați programul care deschide atât de multe sau folosiți un broker separat (mqtt.url)",
  ],
  [
    "a client at {address} announced an MQTT packet of more than {packet} KiB, or a message of more than {message} KiB, and was disconnected",
    "un client de la adresa {address} a anunțat un pachet MQTT de peste {packet} KiB sau un mesaj de peste {message} KiB și a fost deconectat",
  ],
  [
    "Use a separate broker for such messages (mqtt.url)",
    "Folosiți un broker separat pentru astfel de mesaje (mqtt.url)",
  ],

  // Clients
  ["Also at this limit: {clients}", "La aceeași limită: {clients}"],
  ["and others", "și alții"],
  ["the client {quotedId} at {address}", "clientul {quotedId} de la adresa {address}"],
  ["the client {quotedId}", "clientul {quotedId}"],
  ["a client at {address}", "un client de la adresa {address}"],
];
