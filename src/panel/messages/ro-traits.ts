import type { TraitCode } from "../../domain/centre-trait.ts";

/** Constatările testului cu dispeceratul în limba română; cele englezești vin formulate de serviciu. */
export const RO_TRAITS: Readonly<Record<TraitCode, string>> = {
  "writes-allowed": "Primește, modifică și șterge înregistrări ale acestui cont.",
  "create-refused":
    "Nu primește o înregistrare de test: {answer}. Alarmele ar rămâne în coadă. Verificați rolul contului la dispecerat și obiectivele zonelor.",
  "change-refused":
    "Contul nu poate modifica o înregistrare: {answer}. Modificările făcute aici ar rămâne în coadă. Cereți pentru cont rolul de operator.",
  "delete-refused":
    "Contul nu poate șterge o înregistrare: {answer}. Ce se șterge aici ar rămâne acolo. Cereți pentru cont rolul de operator.",
  "keys-honoured":
    "Recunoaște o cheie Idempotency-Key repetată: o înregistrare fără răspuns se retransmite imediat.",
  "keys-unsaid":
    "Recunoaște o cheie Idempotency-Key repetată, dar nu o confirmă în răspuns: fiecare înregistrare nouă se verifică totuși pentru dubluri.",
  "keys-ignored":
    "Creează a doua înregistrare la o cheie Idempotency-Key repetată: o înregistrare fără răspuns se caută înainte de retransmitere, iar fiecare înregistrare nouă se verifică pentru dubluri.",
  "keys-refused":
    "Respinge o cheie Idempotency-Key repetată ({answer}): o înregistrare fără răspuns se caută înainte de retransmitere.",
  "ids-new": "Dă fiecărei înregistrări un număr nou.",
  "ids-given-again":
    "Dă din nou numărul unei înregistrări șterse: înregistrările se recunosc după referință, nu după număr.",
  "text-kept": "Păstrează {sent} de caractere din note fără modificări, inclusiv referința.",
  "text-trimmed": "Elimină spațiile de la sfârșitul notelor: aici nu contează ca modificare.",
  "text-cut":
    "Păstrează {kept} din {sent} de caractere din note, fără referință: referința se trece în descriere.",
  "text-rewritten": "Rescrie notele și elimină referința: referința se trece în descriere.",
  "reference-lost":
    "Nu păstrează referința nici în note, nici în descriere: o înregistrare se recunoaște doar după obiectiv, nume și început. Cereți dispeceratului texte mai lungi.",
  "dates-kept": "Păstrează datele așa cum sunt transmise.",
  "dates-rewritten": "Scrie datele în forma sa ({shown}); momentul este același.",
  "dates-changed":
    "Transformă {sent} în {shown}, alt moment: cereți corectarea fusului orar la dispecerat, altfel dispecerii văd ore greșite.",
  "list-kept": "Dă lista pe pagini, începând cu cel mai mare număr.",
  "order-ignored": "Nu sortează lista după număr: la fiecare căutare lista se citește până la capăt.",
  "pages-ignored":
    "Dă aceeași pagină la orice cerere: lista se citește după stare, prioritate și tip, iar ce nu este sigur nici așa așteaptă confirmarea unui operator.",
  "list-unread": "Nu dă lista de înregistrări ({answer}): acolo nu se poate căuta nimic.",
  "reads-current": "Arată imediat o înregistrare nouă.",
  "reads-late":
    "Arată o înregistrare nouă după {seconds} s: o înregistrare este considerată ștearsă acolo numai după două citiri.",
  "reads-too-late":
    "Nu arată o înregistrare nouă în {seconds} s: căutările pot omite ce există. Cereți verificarea la dispecerat.",
  removed: "Înregistrările de test au fost șterse.",
  "old-removed": "Înregistrările rămase de la un test anterior au fost șterse ({ids}).",
  "left-behind":
    "La dispecerat au rămas înregistrări de test ({ids}): {answer}. Testul următor și comparația orară le șterg; se pot șterge și acolo.",
  "not-found-out": "Testul s-a încheiat înainte de vreme: {answer}. Reîncercați când există conexiune.",
};
