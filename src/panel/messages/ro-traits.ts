import type { TraitCode } from "../../domain/centre-trait.ts";

/** Results of the dispatch centre test in Romanian; the daemon sends the English ones. */
export const RO_TRAITS: Readonly<Record<TraitCode, string>> = {
  "writes-allowed": "Dispeceratul permite acestui cont să creeze, să modifice și să șteargă înregistrări.",
  "create-refused":
    "Dispeceratul respinge o înregistrare de test: {answer}. Alarmele ar rămâne în coadă. Verificați rolul contului la dispecerat și obiectivele zonelor.",
  "change-refused":
    "Dispeceratul nu permite contului să modifice o înregistrare: {answer}. Modificările făcute local ar rămâne în coadă. Cereți dispeceratului rolul de operator pentru cont.",
  "delete-refused":
    "Dispeceratul nu permite contului să șteargă o înregistrare: {answer}. Înregistrările șterse local ar rămâne la dispecerat. Cereți dispeceratului rolul de operator pentru cont.",
  "keys-honoured":
    "Dispeceratul recunoaște o cheie Idempotency-Key repetată: o înregistrare fără răspuns se retransmite imediat.",
  "keys-unsaid":
    "Dispeceratul recunoaște o cheie Idempotency-Key repetată, dar nu o confirmă în răspuns: pentru fiecare înregistrare nouă se verifică dacă există duplicate.",
  "keys-ignored":
    "Dispeceratul creează o a doua înregistrare la o cheie Idempotency-Key repetată: o înregistrare fără răspuns se caută înainte de retransmitere, iar pentru fiecare înregistrare nouă se verifică dacă există duplicate.",
  "keys-refused":
    "Dispeceratul respinge o cheie Idempotency-Key repetată ({answer}): o înregistrare fără răspuns se caută înainte de retransmitere.",
  "ids-new": "Dispeceratul alocă fiecărei înregistrări un număr nou.",
  "ids-given-again":
    "Dispeceratul refolosește numărul unei înregistrări șterse: înregistrările se identifică după referință, nu după număr.",
  "ids-not-numbers":
    "Dispeceratul transmite înregistrări fără id numeric: acestea nu pot fi regăsite, iar orice alarmă fără răspuns rămâne neconfirmată. Cereți dispeceratului să corecteze problema și ștergeți acolo „{name}”.",
  "text-kept": "Dispeceratul nu modifică notele; referința se păstrează (caractere: {sent}).",
  "text-trimmed": "Dispeceratul elimină spațiile de la sfârșitul notelor; nu se consideră modificare.",
  "text-cut":
    "Dispeceratul scurtează notele și pierde referința (caractere păstrate: {kept} din {sent}): referința se trece în descriere.",
  "text-rewritten": "Dispeceratul rescrie notele și elimină referința: referința se trece în descriere.",
  "reference-lost":
    "Dispeceratul nu păstrează referința nici în note, nici în descriere: o înregistrare se identifică doar după obiectiv, nume și început. Cereți dispeceratului câmpuri mai lungi.",
  "dates-kept": "Dispeceratul păstrează data și ora așa cum au fost transmise.",
  "dates-rewritten": "Dispeceratul scrie data și ora în alt format ({shown}); momentul rămâne același.",
  "dates-changed":
    "Dispeceratul transformă {sent} în {shown}, adică alt moment. Cereți dispeceratului să corecteze fusul orar, altfel dispecerii văd ore greșite.",
  "list-kept": "Dispeceratul transmite lista pe pagini, începând cu cel mai mare număr.",
  "order-ignored":
    "Dispeceratul nu sortează lista după număr: la fiecare căutare lista se citește în întregime.",
  "pages-ignored":
    "Dispeceratul transmite aceeași pagină la orice cerere: lista se citește după stare, prioritate și tip; cazurile rămase neclare așteaptă decizia unui operator.",
  "list-unread":
    "Dispeceratul nu transmite lista de înregistrări ({answer}): căutarea la dispecerat nu este posibilă.",
  "reads-current": "Dispeceratul afișează imediat o înregistrare nouă.",
  "reads-late":
    "Dispeceratul afișează o înregistrare nouă după {seconds} s: o înregistrare este considerată ștearsă la dispecerat numai după două citiri.",
  "reads-too-late":
    "Dispeceratul nu afișează o înregistrare nouă în {seconds} s: căutările pot omite înregistrări existente. Cereți dispeceratului să verifice.",
  removed: "Înregistrările de test au fost șterse.",
  "old-removed": "Înregistrările rămase de la un test anterior au fost șterse ({ids}).",
  "left-behind":
    "La dispecerat au rămas înregistrări de test ({ids}): {answer}. Se șterg la testul următor sau la comparația orară; pot fi șterse și la dispecerat.",
  "not-found-out": "Testul a fost întrerupt: {answer}. Reîncercați când există conexiune.",
};
