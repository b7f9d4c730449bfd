import Freshness

/// What a board says in one of four languages (R26, R28; mesdeparts.md 3.10).
struct BoardWords {
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
  var live: String { choose("live", "temps réel", "Echtzeit", "tempo reale") }
  var stream: String { choose("stream", "flux", "Stream", "flusso") }
  var asking: String { choose("asking …", "demande …", "fragt …", "chiede …") }
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
    choose("No disruptions.", "Aucune perturbation.", "Keine Störungen.", "Nessun disturbo.")
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
  var keys: String {
    choose(
      "/ stop   f filter   r refresh   a alerts   ? help   q quit",
      "/ arrêt   f filtre   r actualiser   a perturbations   ? aide   q quitter",
      "/ Haltestelle   f Filter   r neu laden   a Störungen   ? Hilfe   q Ende",
      "/ fermata   f filtro   r aggiorna   a disturbi   ? aiuto   q esci"
    )
  }

  /// The age of what is shown (R28).
  func updated(_ wording: Age.Wording) -> String {
    let span =
      switch wording {
      case .seconds(let count): "\(count) s"
      case .minutes(let count): "\(count) min"
      case .hours(let count): "\(count) h"
      }
    return choose(
      "updated \(span) ago",
      "mis à jour il y a \(span)",
      "vor \(span) aktualisiert",
      "aggiornato \(span) fa"
    )
  }

  /// When the engine asks again.
  func next(in seconds: Int64) -> String {
    choose(
      "next in \(seconds) s",
      "suite dans \(seconds) s",
      "weiter in \(seconds) s",
      "tra \(seconds) s"
    )
  }

  /// Why the marker is reduced (R26, seed 001).
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
