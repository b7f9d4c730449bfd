extension Stop {
  /// The real stops every sample network has, in the order they are written.
  static let known: [Stop] = stations + piers + lausanne + geneva + others

  private static let stations: [Stop] = [
    .station(8_501_120, "Lausanne", 46_517, 6_629, 1...9),
    .station(8_501_008, "Genève", 46_210, 6_142, 1...8),
    .station(8_501_026, "Genève-Aéroport", 46_232, 6_112, 1...4),
    .station(8_503_000, "Zürich HB", 47_378, 8_540, 3...18, .german),
    .station(8_507_000, "Bern", 46_949, 7_439, 1...10, .german),
    .station(8_500_010, "Basel SBB", 47_547, 7_590, 1...12, .german),
    .station(8_506_302, "St. Gallen", 47_423, 9_370, 1...6, .german),
    .station(8_501_000, "Zimeysa", 46_221, 6_066, 1...2),
    .station(8_504_300, "Biel/Bienne", 47_133, 7_243, 1...8, .german),
    .station(8_505_000, "Luzern", 47_050, 8_310, 3...11, .german),
    .station(8_505_300, "Lugano", 46_006, 8_947, 1...4, .italian),
    .station(8_505_213, "Bellinzona", 46_195, 9_030, 1...4, .italian),
    .station(8_509_000, "Chur", 46_853, 9_529, 4...10, .german),
    .station(8_501_300, "Montreux", 46_436, 6_910, 1...5),
    .station(8_501_200, "Vevey", 46_463, 6_843, 1...5),
    .station(8_501_118, "Renens VD", 46_537, 6_579, 1...4),
    .station(8_504_200, "Yverdon-les-Bains", 46_782, 6_641, 1...4),
    .station(8_504_221, "Neuchâtel", 46_997, 6_936, 1...7),
    .station(8_504_100, "Fribourg/Freiburg", 46_803, 7_151, 1...4),
    .station(8_501_506, "Sion", 46_228, 7_359, 1...4),
    .station(8_501_609, "Brig", 46_319, 7_988, 1...8, .german),
    .station(8_507_492, "Interlaken Ost", 46_691, 7_869, 1...8, .german),
    .station(8_507_100, "Thun", 46_755, 7_630, 1...6, .german),
    .station(8_500_218, "Olten", 47_352, 7_908, 1...12, .german),
    .station(8_506_000, "Winterthur", 47_500, 8_724, 1...9, .german),
    .station(8_502_204, "Zug", 47_174, 8_515, 1...7, .german),
    .station(8_503_016, "Zürich Flughafen", 47_450, 8_562, 1...4, .german),
    .station(8_501_036, "St-Prex", 46_482, 6_456, 1...2),
    .station(8_501_170, "Bel-Air LEB", 46_579, 6_606, 1...2),
  ]

  private static let piers: [Stop] = [
    .pier(8_501_073, "Lausanne-Ouchy (lac)", 46_506, 6_627),
    .pier(8_501_091, "Evian-les-Bains (lac)", 46_402, 6_595),
    .pier(8_501_076, "Vevey-Marché (lac)", 46_459, 6_841),
    .pier(8_501_080, "Montreux (lac)", 46_433, 6_909),
  ]

  private static let lausanne: [Stop] = [
    .local(8_592_050, "Lausanne, gare", 46_518, 6_630, "ABCD"),
    .local(8_592_082, "Lausanne, Motte", 46_533, 6_633),
    .local(8_591_988, "Lausanne, Bel-Air", 46_522, 6_629, "ABCDEF"),
    .local(8_590_442, "Lausanne, Riponne-M. Béjart", 46_523, 6_633, "ABCD"),
    .local(8_592_010, "Lausanne, Chauderon", 46_524, 6_625, "ABCDEF"),
    .local(8_579_254, "Lausanne, St-François", 46_519, 6_633, "ABCDEF"),
    .local(8_592_051, "Lausanne, Georgette", 46_518, 6_638, "ABCD"),
    .local(8_591_818, "Lausanne, Flon", 46_520, 6_630, "ABCD"),
    .local(8_579_238, "Lausanne, Sallaz", 46_533, 6_646, "ABCD"),
    .local(8_579_237, "Lausanne, Ours", 46_521, 6_641, "ABCD"),
    .local(8_504_176, "Lausanne, Tunnel", 46_525, 6_634, "ABCD"),
    .local(8_592_120, "Lausanne, St-Roch", 46_526, 6_626),
    .local(8_592_017, "Lausanne, CHUV", 46_526, 6_641),
    .local(8_592_055, "Lausanne, Grande-Borde", 46_532, 6_637),
    .local(8_592_040, "Lausanne, Foret", 46_541, 6_640),
    .local(8_591_999, "Lausanne, Ouchy", 46_507, 6_626, "ABCD"),
  ]

  private static let geneva: [Stop] = [
    .local(8_587_387, "Genève, Bel-Air", 46_205, 6_143, "ABCDEF"),
    .local(8_587_057, "Genève, Cornavin", 46_210, 6_144, "ABCD"),
    .local(8_587_907, "Genève, gare Cornavin", 46_210, 6_142, "ABCDEFGH"),
    .local(8_587_061, "Genève, Rive", 46_202, 6_153, "ABCDEF"),
    .local(8_592_906, "Genève, Stand", 46_204, 6_140, "ABCD"),
    .local(8_592_850, "Genève, Lyon", 46_209, 6_139),
    .local(8_592_780, "Genève, Augustins", 46_192, 6_144),
    .local(8_588_196, "Genève, Appia", 46_227, 6_137),
    .local(8_592_789, "Genève, Blanche", 46_189, 6_143),
    .local(8_592_874, "Genève, Poterie", 46_215, 6_131),
    .local(8_587_392, "Genève, Plainpalais", 46_198, 6_143, "ABCDEF"),
    .local(8_592_711, "Chêne-Bourg, Petit-Bel-Air", 46_204, 6_203),
  ]

  private static let others: [Stop] = [
    .local(8_571_396, "Bern, Bahnhof", 46_949, 7_440, "ABCDEFGH", .german),
    .local(8_571_395, "Bern, Bundesplatz", 46_947, 7_444, "ABCD", .german),
    .local(8_574_095, "St. Gallen, Bahnhof", 47_422, 9_370, "ABCDEF", .german),
    .local(8_576_391, "Biel/Bienne, Bahnhof/Gare", 47_133, 7_243, "ABCDEF", .german),
    .plain(1_400_079, "Annecy Bel Air", 45_899, 6_118),
    .local(8_579_294, "Yverdon-les-Bains, Bel-Air", 46_781, 6_637),
    .local(8_593_952, "La Tour-de-Peilz, Bel-Air", 46_454, 6_863),
    .local(8_593_679, "La Chaux-de-Fonds, Bel-Air", 47_110, 6_829),
    .local(8_587_349, "Zürich, Bahnhofplatz/HB", 47_377, 8_540, "ABCDEFGH", .german),
    .local(8_591_095, "Zürich, Central", 47_377, 8_544, "ABCD", .german),
    .local(8_591_299, "Zürich, Paradeplatz", 47_370, 8_539, "ABCD", .german),
    .local(8_577_829, "St-Aubin FR", 46_887, 6_982),
    .local(1_401_572, "Saint-Genis-Pouilly", 46_244, 6_024),
    .plain(8_740_952, "Sainte-Florine, Place François", 45_405, 3_318),
    .plain(1_401_514, "St-Louis Gare", 47_591, 7_556),
  ]

  private static func station(
    _ number: Int,
    _ name: String,
    _ latitude: Int,
    _ longitude: Int,
    _ platforms: ClosedRange<Int>,
    _ language: Language = .french
  ) -> Stop {
    let platforms = platforms.map { String($0) }
    return stop(number, name, latitude, longitude, .station(platforms), language)
  }

  private static func pier(_ number: Int, _ name: String, _ latitude: Int, _ longitude: Int) -> Stop
  {
    stop(number, name, latitude, longitude, .station([]))
  }

  private static func local(
    _ number: Int,
    _ name: String,
    _ latitude: Int,
    _ longitude: Int,
    _ platforms: String = "AB",
    _ language: Language = .french
  ) -> Stop {
    let platforms = platforms.map { String($0) }
    return stop(number, name, latitude, longitude, .local(platforms), language)
  }

  private static func plain(
    _ number: Int,
    _ name: String,
    _ latitude: Int,
    _ longitude: Int
  ) -> Stop {
    stop(number, name, latitude, longitude, .plain)
  }

  /// Latitudes and longitudes are in thousandths of a degree in the lists above.
  private static func stop(
    _ number: Int,
    _ name: String,
    _ latitude: Int,
    _ longitude: Int,
    _ shape: Shape,
    _ language: Language = .french
  ) -> Stop {
    Stop(
      number: number,
      name: name,
      latitude: latitude * 1000,
      longitude: longitude * 1000,
      shape: shape,
      language: language
    )
  }
}
