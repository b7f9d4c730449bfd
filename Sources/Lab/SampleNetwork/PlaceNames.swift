/// Invented names of places within a town, as in "Town, Place".
enum PlaceNames {
  /// The name of the stop at the station.
  static func station(in language: Language) -> String {
    switch language {
    case .french, .english: "gare"
    case .german: "Bahnhof"
    case .italian: "stazione"
    }
  }

  /// The name of the stop in the middle of a town without a station.
  static func centre(in language: Language) -> String {
    switch language {
    case .french, .english: "village"
    case .german: "Dorf"
    case .italian: "paese"
    }
  }

  /// All other names of a language, each once.
  static func all(in language: Language) -> [String] {
    switch language {
    case .french, .english: self.french
    case .german: self.german
    case .italian: self.italian
    }
  }

  private static let french = names(
    whole: [
      "poste", "église", "école", "collège", "cimetière", "piscine", "laiterie", "scierie",
      "temple",
      "hôpital", "stade", "château", "zone industrielle", "maison de commune", "bif.", "Croisée",
      "Croix-Blanche", "Cheval-Blanc", "Vieux-Moulin", "Grand-Pré", "La Gottaz", "Les Tilleuls",
    ],
    first: [
      "Bois", "Champ", "Chemin", "Clos", "Crêt", "Fontaine", "Grange", "Moulin", "Pont", "Prés",
      "Route", "Verger", "Vigne",
    ],
    second: [
      "-du-Lac", "-Neuf", "-Rond", "-d'Or", "-Derrière", "-du-Haut", "-du-Milieu", "-Carré",
      "-Perdu", "-des-Dames", "-aux-Moines", "-l'Evêque",
    ]
  )

  private static let german = names(
    whole: [
      "Post", "Kirche", "Schulhaus", "Friedhof", "Hallenbad", "Gemeindehaus", "Spital", "Werkhof",
      "Industrie", "Rössli", "Krone", "Adler", "Sternen", "Oberdorf", "Unterdorf", "Abzw.",
      "Altersheim", "Sportplatz",
    ],
    first: [
      "Birken", "Brunnen", "Buchen", "Eichen", "Garten", "Hasel", "Kapell", "Kloster", "Linden",
      "Mühle", "Reben", "Rosen", "Schlössli", "Sonnen", "Tannen", "Weiher",
    ],
    second: ["strasse", "weg", "platz", "hof", "rain", "matt", "halde", "acker", "bühl", "wiese"]
  )

  private static let italian = names(
    whole: [
      "posta", "chiesa", "scuole", "cimitero", "municipio", "ospedale", "stadio", "bivio",
      "osteria",
      "asilo", "campo sportivo", "grotto", "ponte", "piazza",
    ],
    first: ["Via", "Piazza", "Ponte", "Cappella", "Riale", "Ronco", "Selva", "Prati"],
    second: [
      " San Rocco", " dei Fiori", " del Sole", " di Mezzo", " Grande", " Nuovo", " al Forno",
      " dei Pini", " alla Torre", " del Lago", " Santa Lucia",
    ]
  )

  private static func names(whole: [String], first: [String], second: [String]) -> [String] {
    whole + first.flatMap { one in second.map { one + $0 } }
  }
}
