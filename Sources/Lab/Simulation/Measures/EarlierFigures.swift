/// The figures of one world before R31 was an estimator, by an independent simulation of 8 to 12 hours
/// with the web preset:
/// mean and p95 of the added age, in tenths of a second.
struct EarlierFigures: Sendable {
  typealias Pair = (mean: Int64, p95: Int64)

  /// The name and period of the world, as in ``ProducerWorld``.
  var world: String
  var period: Int64
  var blind: Pair
  var learned: Pair
  var stated: Pair

  private init(_ world: String, _ period: Int64, _ blind: Pair, _ learned: Pair, _ stated: Pair) {
    (self.world, self.period) = (world, period)
    (self.blind, self.learned, self.stated) = (blind, learned, stated)
  }

  static let web = [
    EarlierFigures("clean", 15_000, (82, 143), (10, 13), (10, 13)),
    EarlierFigures("jitter 0.3 s", 15_000, (84, 145), (16, 22), (13, 19)),
    EarlierFigures("jitter 1.0 s", 15_000, (77, 143), (68, 161), (59, 169)),
    EarlierFigures("jitter 2.0 s", 15_000, (76, 144), (73, 153), (85, 190)),
    EarlierFigures("jitter 5.0 s", 15_000, (75, 144), (75, 141), (95, 198)),
    EarlierFigures("random", 15_000, (76, 144), (75, 142), (89, 196)),
    EarlierFigures("jitter 1.0 s", 30_000, (76, 141), (82, 288), (95, 289)),
    EarlierFigures("jitter 5.0 s", 30_000, (79, 144), (84, 167), (109, 256)),
    EarlierFigures("warm cache", 30_000, (102, 202), (199, 316), (201, 317)),
  ]
}
