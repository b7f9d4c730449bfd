extension NetworkPlan {
  /// The names of a place that has several.
  private struct Names {
    let number: Int
    let local: String
    let translations: [(language: Language, name: String)]
    /// Whether the row names the station rather than the text it translates.
    let isByRecord: Bool

    init(
      _ number: Int,
      _ local: String,
      _ translations: [(language: Language, name: String)],
      byRecord isByRecord: Bool = false
    ) {
      self.number = number
      self.local = local
      self.translations = translations
      self.isByRecord = isByRecord
    }

    static let all: [Names] = [
      Names(
        8_501_008,
        "Genève",
        [(.german, "Genf"), (.italian, "Ginevra"), (.english, "Geneva")],
        byRecord: true
      ),
      Names(
        8_501_026,
        "Genève-Aéroport",
        [
          (.german, "Genf Flughafen"), (.italian, "Ginevra Aeroporto"),
          (.english, "Geneva Airport"),
        ]
      ),
      Names(
        8_507_000,
        "Bern",
        [(.french, "Berne"), (.italian, "Berna"), (.english, "Bern")],
        byRecord: true
      ),
      Names(
        8_503_000,
        "Zürich HB",
        [(.french, "Zurich HB"), (.italian, "Zurigo HB"), (.english, "Zurich HB")],
        byRecord: true
      ),
      Names(
        8_503_016,
        "Zürich Flughafen",
        [
          (.french, "Zurich Aéroport"), (.italian, "Zurigo Aeroporto"),
          (.english, "Zurich Airport"),
        ]
      ),
      Names(8_501_120, "Lausanne", [(.italian, "Losanna")], byRecord: true),
      Names(
        8_504_300,
        "Biel/Bienne",
        [(.french, "Bienne"), (.german, "Biel"), (.italian, "Bienna")]
      ),
      Names(
        8_500_010,
        "Basel SBB",
        [(.french, "Bâle CFF"), (.italian, "Basilea FFS"), (.english, "Basel SBB")]
      ),
      Names(
        8_505_000,
        "Luzern",
        [(.french, "Lucerne"), (.italian, "Lucerna"), (.english, "Lucerne")]
      ),
      Names(8_506_302, "St. Gallen", [(.french, "Saint-Gall"), (.italian, "San Gallo")]),
      Names(8_504_100, "Fribourg/Freiburg", [(.french, "Fribourg"), (.german, "Freiburg")]),
      Names(8_504_221, "Neuchâtel", [(.german, "Neuenburg")]),
      Names(8_501_506, "Sion", [(.german, "Sitten")], byRecord: true),
      Names(8_501_609, "Brig", [(.french, "Brigue"), (.italian, "Briga")]),
      Names(8_509_000, "Chur", [(.french, "Coire"), (.italian, "Coira")]),
      Names(8_507_100, "Thun", [(.french, "Thoune")]),
      Names(8_506_000, "Winterthur", [(.french, "Winterthour")]),
      Names(8_502_204, "Zug", [(.french, "Zoug"), (.italian, "Zugo")]),
    ]
  }

  /// Writes the names of the main stations in other languages, as stops and as headsigns.
  func writeTranslations(to directory: String) throws(SampleError) -> SampleSummary.File {
    var file = try FeedFile(
      named: "translations.txt",
      in: directory,
      header: "table_name,field_name,language,translation,record_id,record_sub_id,field_value"
    )
    for names in Names.all {
      guard let index = self.landscape.known[names.number] else { continue }
      let identifier = self.landscape.stops[index].identifier
      for (language, name) in names.translations {
        try file.append(row: [
          "stops", "stop_name", language.rawValue, name, names.isByRecord ? identifier : "", "",
          names.isByRecord ? "" : names.local,
        ])
        try file.append(row: [
          "trips", "trip_headsign", language.rawValue, name, "", "", names.local,
        ])
      }
    }
    return try file.finish()
  }
}
