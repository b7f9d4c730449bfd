extension Timetable {
  /// Headsigns longer than this are notices, not destinations; in Unicode scalars.
  package static let longestHeadsign = 80

  /// Where a departure goes, as a board says it.
  ///
  /// The headsign of the stop time or of the trip. If that is missing or a whole sentence, the
  /// trip's last station. If it names the station of the board (a loop line), the route's
  /// long name, then the last station.
  ///
  /// - Parameters:
  ///   - trip: The trip.
  ///   - position: The place of the departure in the trip.
  ///   - end: The place in the trip where it ends instead of at its last stop, if it does.
  ///   - language: See ``language(_:)``.
  /// - Returns: The text; empty if neither feed nor rule gives one.
  package func destination(
    of trip: Trip,
    at position: Int,
    endingAt end: Int? = nil,
    language: UInt32?
  ) -> UnsafeRawBufferPointer {
    let record = image.trips[Int(trip)]
    let pattern = image.patterns[Int(record.pattern)]
    let stop = image.patternStops[Int(pattern.first) + position]
    let own = image.patternHeadsigns[Int(pattern.first) + position]
    let field: TranslatedField = own != 0 ? .stopHeadsign : .tripHeadsign
    let headsign = own != 0 ? own : record.headsign
    func headsignText() -> UnsafeRawBufferPointer {
      let translated =
        translation(field, text: headsign, language)
        ?? translation(.stopName, text: headsign, language)
      return image.text(translated ?? headsign)
    }
    let isUsable = headsign != 0 && !isNotice(headsign)
    if isUsable, !isPlace(headsign, of: stop) { return headsignText() }

    let lastPlace = end ?? Int(pattern.count) - 1
    let last = image.stops[Int(image.patternStops[Int(pattern.first) + lastPlace])].root
    let lastName = image.stops[Int(last)].name
    let route = image.routes[Int(record.route)]
    let isElsewhere = !isPlace(lastName, of: stop)
    if isUsable {
      if route.longName != 0 { return longName(record.route, route, language) }
      return isElsewhere ? name(of: last, language: language) : headsignText()
    }
    if isElsewhere || route.longName == 0 { return name(of: last, language: language) }
    return longName(record.route, route, language)
  }

  private func longName(
    _ number: UInt32,
    _ route: RouteRecord,
    _ language: UInt32?
  ) -> UnsafeRawBufferPointer {
    let text = route.longName
    return image.text(
      translation(.routeLongName, record: number, text: text, language) ?? text
    )
  }

  private func isNotice(_ text: UInt32) -> Bool {
    let bytes = image.text(text)
    guard bytes.count > Self.longestHeadsign else { return false }
    return String(decoding: bytes, as: UTF8.self).unicodeScalars.count > Self.longestHeadsign
  }

  /// Whether a text names a stop or its station.
  private func isPlace(_ text: UInt32, of stop: Stop) -> Bool {
    let record = image.stops[Int(stop)]
    let place = image.textPlaces[Int(text)]
    return place == image.textPlaces[Int(record.name)]
      || place == image.textPlaces[Int(image.stops[Int(record.root)].name)]
  }
}
