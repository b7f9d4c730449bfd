import Hashing

/// The services of a network: some for the whole country, the others once for each region.
///
/// A region has its own holidays and breaks, so its working days are not those of its neighbors.
/// All services are valid from 60 days before the day asked for to 300 days after it; the
/// timetables that come or go on the way share that time between them.
struct ServiceCalendar: Sendable {
  private(set) var services: [Service] = []
  let regions: Int
  let validity: ClosedRange<Int>

  init(day: SampleDay, regions: Int, seed: UInt64) {
    let today = day.ordinal
    self.regions = regions
    self.validity = today - 60...today + 300
    self.append(weekdays: 0b111_1111)
    self.append(weekdays: 0b011_0000)
    for region in 0..<regions {
      var random = SplitMix64(seed: seed, purpose: 1000 + UInt64(region))
      let holidays = Holidays(years: day.year - 1...day.year + 1, random: &random)
      self.append(holidays, today: today, random: &random)
    }
  }

  /// The place of a service in the list.
  func index(_ kind: Service.Kind, region: Int) -> Int {
    switch kind {
    case .daily: 0
    case .nights: 1
    case .weekday, .saturday, .sunday, .school, .firstPart, .secondPart, .dates:
      2 + region % self.regions * 7 + kind.rawValue - Service.Kind.weekday.rawValue
    }
  }

  private mutating func append(weekdays: UInt8, validity: ClosedRange<Int>? = nil) {
    self.services.append(
      Service(
        number: self.services.count,
        weekdays: weekdays,
        validity: validity ?? self.validity
      )
    )
  }

  /// Adds the seven services of a region, in the order of their kinds.
  private mutating func append(_ holidays: Holidays, today: Int, random: inout SplitMix64) {
    let change = today + random.within(20...160)
    let first = self.services.count
    let workingDays: UInt8 = 0b001_1111
    self.append(weekdays: workingDays)
    self.append(weekdays: 0b010_0000)
    self.append(weekdays: 0b100_0000)
    self.append(weekdays: workingDays)
    self.append(weekdays: workingDays, validity: self.validity.lowerBound...change - 1)
    self.append(weekdays: workingDays, validity: change...self.validity.upperBound)
    self.append(weekdays: 0)
    for day in holidays.rest where self.validity.contains(day) {
      for index in first..<first + 6 where index != first + 2 { self.services[index].remove(day) }
      self.services[first + 2].add(day)
    }
    for day in holidays.closed where self.validity.contains(day) {
      self.services[first + 3].remove(day)
    }
    for _ in 0..<random.within(1...3) {
      self.runAsSaturday(random.within(self.validity), at: first)
    }
    let step = random.within(1...9)
    let start = today - random.below(8) * step
    for count in 0..<random.within(10...24) {
      let day = start + count * step
      if self.validity.contains(day) { self.services[first + 6].add(day) }
    }
  }

  /// Makes a working day without exceptions run as a Saturday, as between holidays.
  private mutating func runAsSaturday(_ day: Int, at first: Int) {
    guard self.services[first].hasInWeek(day), !self.services[first].removed.contains(day) else {
      return
    }
    for index in [first, first + 3, first + 4, first + 5] { self.services[index].remove(day) }
    self.services[first + 1].add(day)
  }
}
