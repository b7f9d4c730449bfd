/// An invented public transport network on real Swiss stations, written as a GTFS feed.
///
/// The feed suits any day: its services are valid from 60 days before the day asked for to 300 days
/// after it. The same options give the same bytes, on every platform.
///
///     let day = SampleDay(year: 2026, month: 11, day: 24)
///     let network = try SampleNetwork(options: .init(day: day))
///     let summary = try network.write(to: "/tmp/sample") { file, rows in print(file, rows) }
public struct SampleNetwork: Sendable {
  /// The options of a sample network.
  public struct Options: Hashable, Sendable {
    /// The stations and plain stops, from 2 to 100,000, not counting platforms.
    ///
    /// The real stops are always written, so a smaller number results in those.
    public var stops: Int
    /// The rows in `stop_times.txt`, from 1 to 100,000,000, or `nil` for a natural number.
    ///
    /// The actual number is close to it, but every line between real stops keeps at least one trip
    /// in each direction.
    public var stopTimes: Int?
    /// The day in the middle of the service.
    public var day: SampleDay
    /// The seed; another seed gives another network.
    public var seed: UInt64
    /// Whether lines run at night as they do by day, so that a board has departures at any hour.
    ///
    /// Timetables of most places have none between 1 and 5 o'clock, which is the evening elsewhere.
    public var isAroundTheClock: Bool

    /// Creates options.
    public init(
      stops: Int = 200,
      stopTimes: Int? = nil,
      day: SampleDay,
      seed: UInt64 = 1,
      isAroundTheClock: Bool = false
    ) {
      self.stops = stops
      self.stopTimes = stopTimes
      self.day = day
      self.seed = seed
      self.isAroundTheClock = isAroundTheClock
    }
  }

  /// The options of the network.
  public let options: Options

  /// Creates a network that can be written.
  ///
  /// - Throws: An error if a number is outside the limits of the options.
  public init(options: Options) throws(SampleError) {
    guard (2...100_000).contains(options.stops) else {
      throw SampleError(
        code: .stopsOutOfRange,
        message: "stops must be from 2 to 100000, not \(options.stops)"
      )
    }
    if let stopTimes = options.stopTimes, !(1...100_000_000).contains(stopTimes) {
      throw SampleError(
        code: .stopTimesOutOfRange,
        message: "stop times must be from 1 to 100000000, not \(stopTimes)"
      )
    }
    self.options = options
  }

  /// Writes the files of the feed into a folder, replacing files with the same names.
  ///
  /// The folder is created if it is missing. Memory grows with the stops, not with the stop times.
  ///
  /// - Parameters:
  ///   - directory: The path of the folder.
  ///   - progress: Called from time to time with the file being written and its rows so far, and
  ///     once
  ///     for each finished file.
  /// - Returns: The rows and bytes of each file.
  /// - Throws: An error if a file cannot be written. Files written before it stay.
  public func write(
    to directory: String,
    progress: (String, Int) -> Void
  ) throws(SampleError) -> SampleSummary {
    let directory = directory.isEmpty ? "." : directory
    let plan = NetworkPlan(options: self.options)
    var summary = SampleSummary()
    summary.stops = plan.landscape.stops.count
    summary.remarks = plan.remarks
    try FeedFile.createDirectory(directory)
    var files = try plan.writeStatic(to: directory)
    for file in files { progress(file.name, file.rows) }
    var used = Array(repeating: false, count: plan.calendar.services.count)
    let timetable = try plan.writeTimetable(to: directory, used: &used, progress: progress)
    let calendar = try plan.writeCalendar(to: directory, used: used)
    for file in timetable + calendar { progress(file.name, file.rows) }
    files += timetable + calendar
    summary.files = files
    return summary
  }
}
