import Freshness
import StationboardClient
import TerminalText

/// The messages of a board in four languages (R26, R28; mesdeparts.md 3.10).
struct BoardMessages {
  /// `fr`, `de`, `it` or `en`.
  let language: String

  init(_ language: String?) { self.language = language ?? "en" }

  private func choose(_ en: String, _ fr: String, _ de: String, _ it: String) -> String {
    switch language {
    case "fr": fr
    case "de": de
    case "it": it
    default: en
    }
  }

  var line: String { choose("line", "ligne", "Linie", "linea") }
  var destination: String { choose("destination", "destination", "Ziel", "destinazione") }
  var time: String { choose("time", "heure", "Zeit", "ora") }
  var platform: String { choose("plat.", "voie", "Gleis", "bin.") }
  var minutes: String { choose("in", "dans", "in", "tra") }
  var cancelled: String { choose("cancelled", "supprimé", "fällt aus", "soppresso") }
  var skipped: String { choose("no stop", "sans arrêt", "kein Halt", "non ferma") }
  var early: String { choose("early", "en avance", "zu früh", "in anticipo") }
  var extra: String { choose("extra", "suppl.", "Zusatz", "suppl.") }
  var detour: String { choose("detour", "déviation", "Umleitung", "deviazione") }
  /// Another vehicle runs instead, in full and short.
  var replacement: (long: String, short: String) {
    (
      choose("replacement", "remplacement", "Ersatz", "sostitutivo"),
      choose("repl.", "rempl.", "Ersatz", "sost.")
    )
  }
  /// Stops at its end are skipped, in full and short.
  var endsEarly: (long: String, short: String) {
    (
      choose("ends early", "parcours lim.", "endet vorz.", "limitato"),
      choose("ends", "lim.", "kurz", "lim.")
    )
  }
  /// The vehicle is at the stop, in full and short.
  var atStop: (long: String, short: String) {
    (
      choose("at the stop", "à l'arrêt", "am Halt", "in fermata"),
      choose("here", "ici", "da", "qui")
    )
  }
  /// The vehicle is about to arrive, in full and short.
  var incoming: (long: String, short: String) {
    (
      choose("arriving", "arrive", "kommt an", "in arrivo"),
      choose("arriving", "arrive", "kommt", "arriva")
    )
  }
  /// Standing room only, in full and short.
  var crowded: (long: String, short: String) {
    (
      choose("crowded", "bondé", "stark bes.", "affollato"),
      choose("crowd", "bondé", "bes.", "affol.")
    )
  }
  /// The vehicle has no room, in full and short.
  var full: (long: String, short: String) {
    (choose("full", "complet", "voll", "pieno"), choose("full", "complet", "voll", "pieno"))
  }
  /// Returns how boarding is arranged, in full and short.
  func boarding(_ word: String) -> (long: String, short: String) {
    word == "phone_agency"
      ? (
        choose("phone first", "sur appel", "Anruf nötig", "su chiamata"),
        choose("phone", "appel", "Anruf", "chiam.")
      )
      : (
        choose("on request", "sur demande", "auf Verl.", "a richiesta"),
        choose("request", "demande", "Verl.", "rich.")
      )
  }
  /// Returns until when a call to the agency is of use, in full and short.
  func phone(before time: String) -> (long: String, short: String) {
    (
      choose("☎ by \(time)", "☎ avant \(time)", "☎ bis \(time)", "☎ entro \(time)"),
      boarding("phone_agency").short
    )
  }
  /// It is too late to book, in full and short.
  var bookingClosed: (long: String, short: String) {
    (
      choose("booking ended", "rés. close", "Frist vorbei", "pren. chiusa"),
      choose("closed", "close", "vorbei", "chiusa")
    )
  }
  /// What runs for those who book it.
  var onDemand: String { choose("On demand:", "À la demande :", "Auf Bestellung:", "A chiamata:") }
  /// Returns until when something is booked.
  func bookBy(_ time: String) -> String {
    choose(
      "book by \(time)",
      "réserver avant \(time)",
      "bestellen bis \(time)",
      "prenotare entro \(time)"
    )
  }
  /// Returns how long before something is booked.
  func bookAhead(_ minutes: Int) -> String {
    choose(
      "book \(minutes) min ahead",
      "réserver \(minutes) min avant",
      "\(minutes) min vorher bestellen",
      "prenotare \(minutes) min prima"
    )
  }
  /// Returns how often vehicles run.
  func every(_ minutes: Int) -> String {
    choose("every \(minutes)'", "ttes \(minutes)'", "alle \(minutes)'", "ogni \(minutes)'")
  }
  /// Returns the line that the vehicle runs next, in full and short.
  func continues(as line: String) -> (long: String, short: String) {
    (
      choose(
        "goes on as \(line)",
        "continue en \(line)",
        "weiter als \(line)",
        "prosegue come \(line)"
      ),
      choose("then \(line)", "puis \(line)", "dann \(line)", "poi \(line)")
    )
  }
  /// Returns the number of a train.
  func number(_ number: String) -> String {
    choose("no. \(number)", "n° \(number)", "Nr. \(number)", "n. \(number)")
  }
  /// Returns where the trip ends instead of its last stop, in full and short.
  func ends(at stop: String) -> (long: String, short: String) {
    (
      choose("to \(stop) only", "jusqu'à \(stop)", "nur bis \(stop)", "solo fino a \(stop)"),
      endsEarly.short
    )
  }
  /// Returns the later stops that the trip skips, in full and short.
  func doesNotStop(at stop: String, and others: Int) -> (long: String, short: String) {
    let more = others > 0 ? " +\(others)" : ""
    return (
      choose("not \(stop)", "sans \(stop)", "ohne \(stop)", "salta \(stop)") + more,
      choose("skips", "sauf", "ohne", "salta") + " \(others + 1)"
    )
  }
  /// Returns the source of a board (``RealtimeLabel``).
  func realtime(_ label: RealtimeLabel) -> String {
    switch label {
    case .live: live
    case .liveFor(let live, let departures):
      choose(
        "live for \(live) of \(departures)",
        "temps réel pour \(live) sur \(departures)",
        "Echtzeit für \(live) von \(departures)",
        "tempo reale per \(live) su \(departures)"
      )
    case .notYet:
      choose(
        "no realtime yet",
        "pas encore de temps réel",
        "noch keine Echtzeit",
        "ancora senza tempo reale"
      )
    case .missing:
      choose(
        "timetable, no realtime here",
        "horaire, sans temps réel ici",
        "Fahrplan, hier keine Echtzeit",
        "orario, qui senza tempo reale"
      )
    case .noMatch:
      choose(
        "timetable, realtime does not match it",
        "horaire, temps réel d'un autre",
        "Fahrplan, Echtzeit passt nicht",
        "orario, tempo reale di un altro"
      )
    case .old: reason(.status(.staleCache))
    case .oldInError:
      choose(
        "realtime is old, source in error",
        "temps réel ancien, source en erreur",
        "alte Echtzeit, Quelle gestört",
        "tempo reale vecchio, fonte in errore"
      )
    }
  }
  var live: String { choose("live", "temps réel", "Echtzeit", "tempo reale") }
  var stream: String { choose("stream", "flux", "Stream", "flusso") }
  var requesting: String { choose("requesting …", "demande …", "fragt …", "chiede …") }
  var noCopy: String {
    choose("no board yet", "pas encore de tableau", "noch keine Tafel", "ancora nessun tabellone")
  }
  var filterPrompt: String {
    choose("lines or platforms", "lignes ou voies", "Linien oder Gleise", "linee o binari")
  }
  var searchPrompt: String { choose("stop", "arrêt", "Haltestelle", "fermata") }
  var nothingFits: String {
    choose(
      "No departure fits the filter.",
      "Aucun départ ne correspond au filtre.",
      "Keine Abfahrt passt zum Filter.",
      "Nessuna partenza corrisponde al filtro."
    )
  }
  var noAlerts: String {
    choose("No disruptions.", "Aucune perturbation.", "Keine Störungen.", "Nessuna perturbazione.")
  }
  var noDepartures: String {
    choose(
      "No departures in the next hours.",
      "Aucun départ ces prochaines heures.",
      "Keine Abfahrten in den nächsten Stunden.",
      "Nessuna partenza nelle prossime ore."
    )
  }
  var noService: String {
    choose(
      "No service stops here in this timetable.",
      "Aucune course ne s'arrête ici dans cet horaire.",
      "In diesem Fahrplan hält hier nichts.",
      "In questo orario nessuna corsa ferma qui."
    )
  }
  var notCovered: String {
    choose(
      "The timetable does not cover this day",
      "L'horaire ne couvre pas ce jour",
      "Der Fahrplan gilt nicht für diesen Tag",
      "L'orario non copre questo giorno"
    )
  }
  var next: String { choose("Next", "Prochain", "Nächste", "Prossima") }
  private var help: String { choose("help", "aide", "Hilfe", "aiuto") }
  private var quit: String { choose("quit", "quitter", "Ende", "esci") }
  private var back: String { choose("back", "retour", "zurück", "indietro") }
  private var alerts: String { choose("alerts", "perturbations", "Störungen", "perturbazioni") }
  private var refresh: String { choose("refresh", "actualiser", "neu laden", "aggiorna") }
  private var filter: String { choose("filter", "filtre", "Filter", "filtro") }

  /// The keys of the board, the most important first.
  var keys: [KeyHints.Hint] {
    [
      ("?", help), ("q", quit), ("/", searchPrompt), ("f", filter), ("a", alerts), ("r", refresh),
    ]
  }
  /// The keys for the text of disruptions and for the help.
  var readingKeys: [KeyHints.Hint] {
    [("esc", back), ("q", quit), ("↑ ↓", choose("scroll", "défiler", "blättern", "scorri"))]
  }
  /// The keys of the search.
  var searchKeys: [KeyHints.Hint] {
    [
      ("enter", choose("open", "ouvrir", "öffnen", "apri")), ("esc", back),
      ("↑ ↓", choose("choose", "choisir", "wählen", "scegli")),
    ]
  }
  /// The keys of the filter.
  var filterKeys: [KeyHints.Hint] {
    [("enter", choose("filter", "filtrer", "filtern", "filtra")), ("esc", back)]
  }

  /// The heading of the keys.
  var keysTitle: String { choose("Keys", "Touches", "Tasten", "Tasti") }

  /// Every key and its function.
  var allKeys: [KeyHints.Hint] {
    [
      ("/", choose("another stop", "un autre arrêt", "andere Haltestelle", "un’altra fermata")),
      ("f", "\(filter): \(filterPrompt)"), ("r", refresh), ("a", alerts),
      (
        "enter",
        choose(
          "open the stop, use the filter",
          "ouvrir l’arrêt, appliquer le filtre",
          "Haltestelle öffnen, Filter anwenden",
          "apri la fermata, applica il filtro"
        )
      ),
      (
        "↑ ↓",
        choose("choose, scroll", "choisir, défiler", "wählen, blättern", "scegli, scorri")
      ),
      (
        "esc",
        choose(
          "back; the filter away",
          "retour ; sans filtre",
          "zurück; ohne Filter",
          "indietro; senza filtro"
        )
      ), ("?", help), ("q", quit),
    ]
  }

  /// The signs of the board and their meaning.
  var signs: [KeyHints.Hint] {
    [
      ("!", choose("disruption", "perturbation", "Störung", "perturbazione")),
      ("◀", choose("leaves now", "départ immédiat", "fährt jetzt", "parte ora")),
      ("5→7", choose("other platform", "autre voie", "anderes Gleis", "altro binario")),
      ("●", live),
      (
        "◐",
        choose(
          "realtime is old or limited",
          "temps réel ancien ou limité",
          "Echtzeit alt oder begrenzt",
          "tempo reale vecchio o limitato"
        )
      ), ("○", choose("timetable only", "horaire seul", "nur Fahrplan", "solo orario")),
      (
        "▲",
        choose(
          "the server cannot be asked",
          "serveur inaccessible",
          "Server nicht erreichbar",
          "server non raggiungibile"
        )
      ),
    ]
  }

  /// Returns the age of the data (R28).
  func updated(_ wording: Age.Wording) -> String {
    let span = Self.span(wording)
    return choose(
      "updated \(span) ago",
      "mis à jour il y a \(span)",
      "vor \(span) aktualisiert",
      "aggiornato \(span) fa"
    )
  }

  /// Returns the source and age of a copy that the server did not send (R38).
  func provenance(_ provenance: Provenance, _ wording: Age.Wording) -> String {
    let span = Self.span(wording)
    return switch provenance {
    case .server: updated(wording)
    case .local:
      choose(
        "yours, unconfirmed",
        "de vous, non confirmé",
        "von Ihnen, unbestätigt",
        "da te, non confermato"
      )
    case .disk:
      choose(
        "from disk, \(span)",
        "copie locale, \(span)",
        "vom Gerät, \(span)",
        "copia locale, \(span)"
      )
    }
  }

  private static func span(_ wording: Age.Wording) -> String {
    switch wording {
    case .seconds(let count): "\(count) s"
    case .minutes(let count): "\(count) min"
    case .hours(let count): "\(count) h"
    }
  }

  /// Returns when the next request is sent.
  func next(in seconds: Int64) -> String {
    choose(
      "next in \(seconds) s",
      "prochaine demande dans \(seconds) s",
      "nächste Abfrage in \(seconds) s",
      "prossima richiesta tra \(seconds) s"
    )
  }

  /// Returns why the marker is reduced (R26, seed 001).
  func reason(_ reason: FreshnessLabel.Reason) -> String {
    switch reason {
    case .status(.disabled):
      choose("timetable only", "horaire seul", "nur Fahrplan", "solo orario")
    case .status(.missingCache):
      choose(
        "realtime unavailable",
        "temps réel indisponible",
        "keine Echtzeit",
        "tempo reale assente"
      )
    case .status(.staleCache), .mode(.staleCacheFallback):
      choose("realtime is old", "temps réel ancien", "alte Echtzeit", "tempo reale vecchio")
    case .status(.guardedError):
      choose(
        "realtime disturbed",
        "temps réel perturbé",
        "Echtzeit gestört",
        "tempo reale disturbato"
      )
    // The server sends this word where no departure of the board carries realtime.
    case .status(.partial): realtime(.missing)
    case .status(.skippedBudget):
      choose(
        "realtime left out, no time",
        "temps réel omis, faute de temps",
        "Echtzeit ausgelassen, Zeit knapp",
        "tempo reale omesso, poco tempo"
      )
    case .mode(.staticTimeoutFallback):
      choose(
        "timetable, in a hurry",
        "horaire, faute de temps",
        "Fahrplan, Zeit knapp",
        "orario, poco tempo"
      )
    default:
      choose("realtime limited", "temps réel limité", "Echtzeit begrenzt", "tempo reale limitato")
    }
  }
}
