/** Why messages of alarm panels and replies of monitoring receivers are rejected, in Romanian; see ro-daemon.ts. */
export const RO_ALARM_PANELS: readonly (readonly [english: string, romanian: string])[] = [
  [
    "the checksum of messages is wrong. Check the line, and that the sender speaks SIA DC-09",
    "suma de control a mesajelor este greșită. Verificați conexiunea și dacă echipamentul transmite SIA DC-09",
  ],
  [
    "the length field of messages is wrong. Check that the sender speaks SIA DC-09",
    "câmpul de lungime al mesajelor este greșit. Verificați dacă echipamentul transmite SIA DC-09",
  ],
  [
    "messages are longer than 4,095 bytes. Check that the sender speaks SIA DC-09",
    "mesajele au peste 4.095 de octeți. Verificați dacă echipamentul transmite SIA DC-09",
  ],
  [
    "datagrams come from port 0, to which no reply can be sent. Set the alarm panel to TCP, or find the sender",
    "datagramele vin de pe portul 0, pe care nu se poate trimite răspunsul. Setați centrala să transmită prin TCP sau căutați echipamentul care le transmite",
  ],
  [
    "messages cannot be read. Set the alarm panel to the format ADM-CID (Contact ID) or SIA-DCS",
    "mesajele nu pot fi citite. Setați centrala pe formatul ADM-CID (Contact ID) sau SIA-DCS",
  ],
  [
    "messages have an unknown format. Set the alarm panel to ADM-CID (Contact ID) or SIA-DCS",
    "mesajele au un format necunoscut. Setați centrala pe ADM-CID (Contact ID) sau SIA-DCS",
  ],
  [
    "the account is not in dc09.accounts. Add it, or correct it at the alarm panel",
    "contul nu este în dc09.accounts. Adăugați-l sau corectați-l la centrala de alarmă",
  ],
  [
    "messages come from an address that is not in the account's from. Add it, or find the sender",
    "mesajele vin de la o adresă care nu este în lista from a contului. Adăugați-o sau căutați echipamentul care le transmite",
  ],
  [
    "messages are not encrypted. Set the key at the alarm panel, or plain: true and from for the account",
    "mesajele nu sunt criptate. Setați cheia la centrala de alarmă sau, pentru cont, plain: true și from",
  ],
  [
    "messages cannot be decrypted. Use the same key at the alarm panel and in keyFile, and send the time",
    "mesajele nu pot fi decriptate. Folosiți aceeași cheie la centrala de alarmă și în keyFile; centrala trebuie să transmită și ora",
  ],
  [
    "the alarm panel's time is wrong. The receiver has sent the right time; set its clock to UTC, or timestamps: ignored",
    "ora centralei de alarmă este greșită. Receptorul a transmis ora corectă; setați ceasul centralei pe UTC sau, în configurație, timestamps: ignored",
  ],
  [
    "messages are older than one that was accepted, or are replies of this receiver: they were recorded and sent again, or the alarm panel's clock was set back. They disarm nothing and end no silence. Find the sender, and set the clock of this machine",
    "mesajele sunt mai vechi decât unul acceptat sau sunt răspunsuri ale acestui receptor: au fost înregistrate și retransmise sau ceasul centralei a fost dat înapoi. Ele nu dezarmează nimic și nu dovedesc că centrala transmite. Căutați echipamentul care le transmite și potriviți ceasul acestui dispozitiv",
  ],
  [
    "the alarm panel sends more than ten messages a second. The others get no reply, and it sends them again",
    "centrala de alarmă transmite peste zece mesaje pe secundă. Cele peste această limită nu primesc răspuns, iar centrala le retransmite",
  ],
  [
    "an alarm came from a zone that is not configured. Add the zone, or set zones: auto",
    "o alarmă a venit de la o zonă care nu este configurată. Adăugați zona sau setați zones: auto",
  ],
  [
    "messages could not be stored and were not acknowledged. Free disk space or replace the disk",
    "mesajele nu au putut fi salvate și nu au fost confirmate. Eliberați spațiu pe disc sau înlocuiți discul",
  ],
  [
    "all connections are in use, and idle ones were closed. Find the sender of many connections",
    "toate conexiunile sunt ocupate, iar cele inactive au fost închise. Căutați echipamentul care deschide multe conexiuni",
  ],
  [
    "alarm panel {account} has reported more than {max} faults and bypassed zones that it has not ended. Further ones are in the event log only (alarm-panel-reported). Look at the alarm panel, and end there or with santinela dc09 send what no longer applies",
    "centrala de alarmă {account} a raportat peste {max} deranjamente și zone în bypass pe care nu le-a încheiat. Celelalte apar numai în jurnalul de evenimente (alarm-panel-reported). Verificați centrala și încheiați, la centrală sau cu santinela dc09 send, ce nu mai este valabil",
  ],
  [
    "alarm panels have sent more than {max} codes that are not in the standard. Further ones are in the event log only (alarm-panel-reported)",
    "centralele de alarmă au transmis peste {max} coduri care nu există în standard. Celelalte apar numai în jurnalul de evenimente (alarm-panel-reported)",
  ],
  // Replies of a monitoring receiver.
  ["the time of its acknowledgement is not the expected one", "ora confirmării nu este cea așteptată"],
  [
    "its acknowledgement of an encrypted message is not encrypted",
    "confirmarea unui mesaj criptat nu este criptată",
  ],
  [
    "its acknowledgement is a message of this site that was sent back",
    "confirmarea este un mesaj al acestei locații, trimis înapoi",
  ],
  ["its acknowledgement is encrypted with another key", "confirmarea este criptată cu altă cheie"],
  ["alarm panel {account} at {address}: {problem}", "centrala de alarmă {account} ({address}): {problem}"],
  ["from {address}: {problem}", "de la {address}: {problem}"],
];
