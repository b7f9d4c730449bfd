import Hashing

/// The public holidays and the school holidays of a region.
struct Holidays: Sendable {
  /// The public holidays, as days since 1 January 1970.
  private(set) var rest: Set<Int> = []
  /// The days without school, as days since 1 January 1970.
  private(set) var closed: Set<Int> = []

  /// Chooses the holidays of a region from those of the whole country and of the cantons.
  init(years: ClosedRange<Int>, random: inout SplitMix64) {
    var cantonal: [Bool] = []
    for _ in 0..<7 { cantonal.append(random.chance(percent: 40)) }
    let winterBreak = random.within(0...3) * 7
    let autumnBreak = random.within(0...3) * 7
    for year in years {
      let easter = Holidays.easter(year)
      self.rest.formUnion([easter - 2, easter + 1, easter + 39, easter + 50])
      for (month, day) in [(1, 1), (8, 1), (12, 25), (12, 26)] {
        self.rest.formUnion(Holidays.ordinals(year, month, day, length: 1))
      }
      let days = [(1, 2), (3, 19), (5, 1), (8, 15), (11, 1), (12, 8)]
      for (index, date) in days.enumerated() where cantonal[index] {
        self.rest.formUnion(Holidays.ordinals(year, date.0, date.1, length: 1))
      }
      if cantonal[6] { self.rest.insert(easter + 60) }
      self.closed.formUnion(easter - 2...easter + 12)
      self.closed.formUnion(Holidays.ordinals(year, 1, 1, length: 5))
      self.closed.formUnion(Holidays.ordinals(year, 12, 20, length: 12))
      self.closed.formUnion(Holidays.ordinals(year, 7, 4, length: 44))
      self.closed.formUnion(Holidays.ordinals(year, 2, 1, length: 9).map { $0 + winterBreak })
      self.closed.formUnion(Holidays.ordinals(year, 9, 26, length: 16).map { $0 + autumnBreak })
    }
  }

  private static func ordinals(_ year: Int, _ month: Int, _ day: Int, length: Int) -> [Int] {
    guard let first = SampleDay(year: year, month: month, day: day)?.ordinal else { return [] }
    return Array(first..<first + length)
  }

  /// Easter Sunday, by the anonymous Gregorian computus.
  private static func easter(_ year: Int) -> Int {
    let golden = year % 19
    let century = year / 100
    let rest = year % 100
    let epact =
      (19 * golden + century - century / 4 - (century - (century + 8) / 25 + 1) / 3 + 15) % 30
    let shift = (32 + 2 * (century % 4) + 2 * (rest / 4) - epact - rest % 4) % 7
    let correction = (golden + 11 * epact + 22 * shift) / 451
    let count = epact + shift - 7 * correction + 114
    return SampleDay(year: year, month: count / 31, day: count % 31 + 1)?.ordinal ?? 0
  }
}
