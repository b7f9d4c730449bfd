extension Timetable {
  /// The Swiss station number (85…) of a stop id of any year's shape (``SwissStopId``); `nil` if the id
  /// has none.
  package static func swissNumber(_ id: String) -> UInt32? { SwissStopId.stationNumber(id) }

  /// The platform that a Swiss stop id names (`3` in `8501120:0:3`); `nil` if it names none.
  package static func swissPlatform(_ id: String) -> String? { SwissStopId.platform(id) }
}
