/// Every rule and scenario that the vectors must cover.
///
/// What the vectors do not cover is in the table at the end of
/// Documentation/conformance-vectors.md.
enum Scenarios {
  /// The rules of the engine.
  static let rules = (1...40).map { "R\($0)" }

  /// The rows of the mapping table of seed 000.
  static let seedRows = (1...11).map { "seed 000 row \($0)" }

  /// The rows of the table in catnip.md 5.4 that concern a client.
  static let catnip = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 14, 20, 22].map { "catnip 5.4.\($0)" }

  /// The items of mesdeparts.md 5.12 that concern the refresh machine.
  static let mesdeparts = [1, 3, 4, 5, 12, 13].map { "mesdeparts 5.12.\($0)" }

  /// The scenarios of peers-client.md 3.3.
  static let peers =
    ((1...11).map { "P\($0)" } + (1...7).map { "R\($0)" } + (1...9).map { "E\($0)" }
    + (1...7).map { "V\($0)" } + (1...5).map { "H\($0)" } + (1...5).map { "L\($0)" }
    + [2, 3, 4, 5, 6, 8, 9, 10].map { "W\($0)" } + ["Z1", "Z2"]).map { "peers-client \($0)" }

  /// All of them.
  static let all = rules + seedRows + catnip + mesdeparts + peers
}
