/// All decisions made before the first byte is written.
struct NetworkPlan: Sendable {
  let options: SampleNetwork.Options
  let landscape: Landscape
  let lines: [Line]
  let calendar: ServiceCalendar
  let patterns: [Pattern]
  let budget: TripBudget

  init(options: SampleNetwork.Options) {
    self.options = options
    self.landscape = Landscape(stops: options.stops, seed: options.seed)
    self.lines = LinePlan(landscape: self.landscape, day: options.day, seed: options.seed).lines
    self.calendar = ServiceCalendar(
      day: options.day,
      regions: min(max(options.stops / 250, 4), 60),
      seed: options.seed
    )
    self.patterns = self.lines.enumerated().flatMap { Pattern.all(of: $1, at: $0) }
    self.budget = TripBudget(patterns: self.patterns, target: options.stopTimes)
  }

  /// The differences between the network and the options.
  var remarks: [String] {
    var remarks: [String] = []
    if self.options.stops < Stop.known.count {
      remarks.append(
        "The \(Stop.known.count) real stops are always written; \(self.options.stops) were wanted."
      )
    }
    if let wanted = self.options.stopTimes, abs(self.budget.stopTimes - wanted) * 10 > wanted {
      remarks.append(
        "Every line between real stops keeps a trip in each direction, so there are "
          + "\(self.budget.stopTimes) stop times; \(wanted) were wanted."
      )
    }
    return remarks
  }

  /// Writes the trips with their stop times and marks the services they run on.
  func writeTimetable(
    to directory: String,
    used: inout [Bool],
    progress: (String, Int) -> Void
  ) throws(SampleError) -> [SampleSummary.File] {
    var files = try TimetableFiles(in: directory)
    for (pattern, trips) in zip(self.patterns, self.budget.trips) where trips > 0 {
      let line = self.lines[pattern.line]
      let template = TripTemplate(pattern: pattern, line: line, stops: self.landscape.stops)
      for part in pattern.mix.divide(trips: trips) where part.trips > 0 {
        let index = self.calendar.index(part.share.kind, region: line.region)
        used[index] = true
        let service = self.calendar.services[index]
        let isFrequency = pattern.fixed != nil
        let departures =
          isFrequency
          ? [300 * 60]
          : self.departures(part.share, part.trips, pattern, template)
        let block = TimetableFiles.Block(
          line: line,
          pattern: pattern,
          template: template,
          service: service,
          departures: departures
        )
        if isFrequency {
          try files.write(block, frequencies: self.intervals(part.share.kind), progress: progress)
        } else {
          try files.write(block, progress: progress)
        }
      }
    }
    return try files.finish()
  }

  func departures(
    _ share: ServiceMix.Share,
    _ trips: Int,
    _ pattern: Pattern,
    _ template: TripTemplate
  ) -> [Int] {
    // Trips end at night as well as begin: those of long lines begin earlier.
    let minutes = (template.duration + 59) / 60
    let isNight = share.window.lowerBound >= 1400
    let last = share.window.upperBound - (isNight ? minutes : minutes / 2)
    let window =
      self.runsAllNight(share)
      ? 0...1439 : share.window.lowerBound...max(share.window.lowerBound, last)
    let phase = pattern.line * 7 + pattern.direction * 13 + pattern.number * 3
    return Departures.times(count: trips, window: window, phase: phase)
  }

  /// Whether trips of a part begin in every hour, which the options ask for and night lines do not.
  private func runsAllNight(_ share: ServiceMix.Share) -> Bool {
    guard self.options.isAroundTheClock, share.window.lowerBound < 1400 else { return false }
    switch share.kind {
    case .daily, .weekday, .saturday, .sunday, .firstPart, .secondPart: return true
    case .school, .nights, .dates: return false
    }
  }

  /// The intervals of lines without a trip for every run.
  private func intervals(_ kind: Service.Kind) -> [(from: Int, to: Int, seconds: Int)] {
    func hours(_ from: Int, _ to: Int, _ seconds: Int) -> (from: Int, to: Int, seconds: Int) {
      (from * 3600, to * 3600, seconds)
    }
    switch kind {
    case .weekday:
      return [
        hours(5, 6, 480), hours(6, 9, 180), hours(9, 16, 300), hours(16, 19, 180),
        hours(19, 25, 450),
      ]
    case .saturday: return [hours(5, 8, 600), hours(8, 20, 300), hours(20, 26, 480)]
    default: return [hours(5, 9, 720), hours(9, 20, 360), hours(20, 25, 600)]
    }
  }
}
