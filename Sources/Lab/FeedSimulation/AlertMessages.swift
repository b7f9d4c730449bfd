import GTFSRealtime

/// Text in the four languages of alerts.
struct AlertMessages: Hashable, Sendable {
  var de: String
  var fr: String
  var it: String
  var en: String

  init(_ de: String, _ fr: String, _ it: String, _ en: String) {
    self.de = de
    self.fr = fr
    self.it = it
    self.en = en
  }

  /// Joins two texts language by language.
  static func + (left: AlertMessages, right: AlertMessages) -> AlertMessages {
    AlertMessages(left.de + right.de, left.fr + right.fr, left.it + right.it, left.en + right.en)
  }

  /// A text that is the same in every language, such as a name.
  static func name(_ name: String) -> AlertMessages { AlertMessages(name, name, name, name) }

  /// Returns the text in all languages, or in some: producers do not always translate.
  func translated(_ random: RandomSource) -> TranslatedText {
    let all = [
      TranslatedText.Translation(text: de, language: "de"),
      TranslatedText.Translation(text: fr, language: "fr"),
      TranslatedText.Translation(text: it, language: "it"),
      TranslatedText.Translation(text: en, language: "en"),
    ]
    switch random.within(0...19, .language) {
    case 0: return TranslatedText([all[0]])
    case 1: return TranslatedText([all[1]])
    case 2: return TranslatedText([all[0], all[1]])
    case 3: return TranslatedText([.init(text: de)])
    default: return TranslatedText(all)
    }
  }
}

extension AlertMessages {
  static func line(_ name: String) -> AlertMessages {
    AlertMessages("Linie \(name)", "Ligne \(name)", "Linea \(name)", "Line \(name)")
  }

  static let colon = AlertMessages(": ", " : ", ": ", ": ")
  static let stop = AlertMessages(". ", ". ", ". ", ". ")

  static let delays = AlertMessages(
    "Verspätungen",
    "retards",
    "ritardi",
    "delays"
  )
  static let reduced = AlertMessages(
    "eingeschränkter Betrieb",
    "trafic réduit",
    "servizio ridotto",
    "reduced service"
  )
  static let detour = AlertMessages("Umleitung", "déviation", "deviazione", "diversion")
  static let cancelled = AlertMessages(
    "fällt aus",
    "est supprimé",
    "è soppresso",
    "is cancelled"
  )
  static let doesNotStop = AlertMessages(
    "hält nicht in ",
    "ne s'arrête pas à ",
    "non ferma a ",
    "does not stop at "
  )
  static let lift = AlertMessages(
    "Lift ausser Betrieb",
    "ascenseur hors service",
    "ascensore fuori servizio",
    "lift out of service"
  )
  static let works = AlertMessages(
    "nächtliche Bauarbeiten",
    "travaux de nuit",
    "lavori notturni",
    "night-time works"
  )
  static let moved = AlertMessages(
    "Haltestelle verschoben",
    "arrêt déplacé",
    "fermata spostata",
    "stop moved"
  )
  static let strike = AlertMessages(
    "Streik: Ausfälle möglich",
    "grève : suppressions possibles",
    "sciopero: possibili soppressioni",
    "strike: cancellations possible"
  )
  static let event = AlertMessages(
    "Zusatzverkehr wegen einer Grossveranstaltung",
    "courses supplémentaires en raison d'une manifestation",
    "corse supplementari per una manifestazione",
    "extra services for a large event"
  )
  static let weather = AlertMessages(
    "Unwetter: rechnen Sie mit Verspätungen",
    "intempéries : prévoyez des retards",
    "maltempo: prevedete ritardi",
    "severe weather: expect delays"
  )
  static let moreTime = AlertMessages(
    "Bitte planen Sie mehr Zeit ein.",
    "Veuillez prévoir plus de temps.",
    "Vi preghiamo di prevedere più tempo.",
    "Please allow more time."
  )
  static let nextOne = AlertMessages(
    "Bitte benützen Sie den nächsten Kurs.",
    "Veuillez emprunter la course suivante.",
    "Vi preghiamo di prendere la corsa successiva.",
    "Please take the next service."
  )
  static let apology = AlertMessages(
    "Wir bitten um Entschuldigung.",
    "Nous vous prions de nous excuser.",
    "Ci scusiamo per il disagio.",
    "We apologise."
  )
}
