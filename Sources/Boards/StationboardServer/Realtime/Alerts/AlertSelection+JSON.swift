import Timetable

extension AlertSelection {
  /// Writes the contract's `banners`: `{id, severity, effect, cause, header, description, url, language,
  /// affected{…}}`.
  ///
  /// - Parameters:
  ///   - json: Where to.
  ///   - prefix: The prefix of every id (``Feed/idPrefix``).
  func writeBanners(_ json: inout JSONBytes, prefix: String) {
    json.raw("[")
    for (place, hit) in banners.enumerated() {
      if place > 0 { json.raw(",") }
      object(hit, &json, prefix)
      affected(hit, &json, prefix)
      json.raw("}")
    }
    json.raw("]")
  }

  /// Writes the contract's `departures[].alerts`: the same without `affected`.
  ///
  /// - Parameters:
  ///   - row: The place of the departure among the rows.
  ///   - json: Where to.
  ///   - prefix: The prefix of every id (``Feed/idPrefix``).
  func writeAlerts(ofRow row: Int, _ json: inout JSONBytes, prefix: String) {
    json.raw("[")
    let hits = rowAlerts(row)
    for hit in hits {
      if hit != hits.first { json.raw(",") }
      object(hit, &json, prefix)
      json.raw("}")
    }
    json.raw("]")
  }

  /// Writes the contract's `alerts.entities`: every alert of the board once, with `affected` and
  /// `activePeriods[]` `{start, end}` (`null` where it is open).
  ///
  /// - Parameters:
  ///   - json: Where to.
  ///   - prefix: The prefix of every id (``Feed/idPrefix``).
  func writeEntities(_ json: inout JSONBytes, prefix: String) {
    json.raw("[")
    for (place, hit) in entities.enumerated() {
      if place > 0 { json.raw(",") }
      object(hit, &json, prefix)
      affected(hit, &json, prefix)
      json.raw(",\"activePeriods\":[")
      let spans = index.alerts[Int(hit.alert)].periods.shown
      for (place, span) in spans.enumerated() {
        if place > 0 { json.raw(",") }
        json.raw("{\"start\":")
        Self.instant(span.start == 0 ? nil : span.start, &json)
        json.raw(",\"end\":")
        Self.instant(span.end, &json)
        json.raw("}")
      }
      json.raw("]}")
    }
    json.raw("]")
  }

  /// Writes an alert without its closing bracket.
  private func object(_ hit: Hit, _ json: inout JSONBytes, _ prefix: String) {
    let alert = index.alerts[Int(hit.alert)]
    json.raw("{\"id\":")
    var id = alert.id
    id.withUTF8 { json.string(UnsafeRawBufferPointer($0), prefix: prefix) }
    json.raw(alert.members(language))
  }

  /// Writes what the alert is about, as far as it concerns the board.
  private func affected(_ hit: Hit, _ json: inout JSONBytes, _ prefix: String) {
    let selector = index.selectors[Int(hit.selector)]
    let timetable = index.timetable
    var isFirst = true
    func name(_ name: StaticString, _ json: inout JSONBytes) {
      if !isFirst { json.raw(",") }
      isFirst = false
      json.raw(name)
    }
    json.raw(",\"affected\":{")
    if selector.stop != ResolvedSelector.none {
      name("\"stop_id\":", &json)
      json.string(timetable.id(of: selector.stop), prefix: prefix)
    }
    if selector.route != ResolvedSelector.none {
      name("\"route_id\":", &json)
      json.string(timetable.routeId(Int(selector.route)), prefix: prefix)
    }
    if selector.firstTrip != ResolvedSelector.none {
      name("\"trip_id\":", &json)
      json.string(timetable.tripId(of: selector.firstTrip), prefix: prefix)
    }
    if selector.direction != 255 {
      name("\"direction_id\":", &json)
      json.integer(Int(selector.direction))
    }
    if selector.scope != ResolvedSelector.none {
      let scope = index.scopes[Int(selector.scope)]
      if let agency = scope.agency {
        name("\"agency_id\":", &json)
        json.string(prefix + agency)
      }
      if let type = scope.type {
        name("\"route_type\":", &json)
        json.integer(type)
      }
    }
    json.raw("}")
  }

  private static func instant(_ instant: UInt64?, _ json: inout JSONBytes) {
    // The year 9999 is the last that RFC 3339 can write; feeds use such numbers for "open".
    guard let instant, instant < 253_402_300_800 else { return json.raw("null") }
    json.raw("\"")
    json.instant(Int64(instant))
    json.raw("\"")
  }
}

extension AlertPeriods {
  /// The spans that an answer lists (``AlertLimits/shownPeriods``).
  var shown: ArraySlice<Span> { spans.prefix(AlertLimits.shownPeriods) }
}
