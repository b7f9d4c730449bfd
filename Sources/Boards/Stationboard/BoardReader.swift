public import TolerantDecoding

/// Reads boards and searches of any server of the contract, with an issue for everything that is lost.
///
/// A departure or an alert that cannot be used costs itself, not the board. With
/// ``TolerantDecoding/TolerantDecoder/countsUnread`` the members that no model is made of are named as well.
///
///     let decoded = try BoardReader().board(bytes)
///     show(decoded.model)
///     for issue in decoded.issues where issue.severity == .loss { log(issue.description) }
public struct BoardReader: Sendable {
  /// What reads the JSON.
  public var decoder: TolerantDecoder

  /// Creates a reader.
  ///
  /// - Parameter decoder: What reads the JSON.
  public init(decoder: TolerantDecoder = TolerantDecoder()) { self.decoder = decoder }

  /// Reads the answer of `GET /api/stationboard`.
  ///
  /// - Parameter bytes: The JSON.
  /// - Returns: The board and the issues. A board without `meta` has empty strings there.
  /// - Throws: `DecodeFailure` if the bytes are not JSON, or an object without a list `departures`.
  public func board(_ bytes: [UInt8]) throws(DecodeFailure) -> Decoded<Board> {
    let decoded = try decoder.decode(bytes) { root -> Board? in
      guard root.isObject(), root["departures"].isList else {
        root["departures"].missing(())
        root["departures"].report(.wrongKind, .loss, "a board has a list of departures")
        return nil
      }
      return Board(
        station: Self.station(root["station"]),
        departures: Self.departures(root["departures"]),
        banners: Self.alerts(root["banners"]),
        onDemand: Self.onDemand(root["onDemand"]),
        noService: Self.noService(root["noService"]),
        meta: Self.meta(root)
      )
    }
    guard let board = decoded.model else { throw DecodeFailure(decoded.issues) }
    return decoded.with(board)
  }

  /// Reads the answer of `GET /api/stops/search` or `GET /api/stops/nearby`.
  ///
  /// - Parameter bytes: The JSON.
  /// - Returns: The stops and the issues. A stop without an id is left out.
  /// - Throws: `DecodeFailure` if the bytes are not JSON, or an object without a list `stops`.
  public func stops(_ bytes: [UInt8]) throws(DecodeFailure) -> Decoded<StopMatches> {
    let decoded = try decoder.decode(bytes) { root -> StopMatches? in
      guard root.isObject(), root["stops"].isList else {
        root["stops"].report(.wrongKind, .loss, "a search has a list of stops")
        return nil
      }
      return StopMatches(stops: root["stops"].list { Self.stop($0) }?.elements ?? [])
    }
    guard let stops = decoded.model else { throw DecodeFailure(decoded.issues) }
    return decoded.with(stops)
  }

  // MARK: Parts

  private static func station(_ field: DecodeField) -> Board.Station? {
    guard field.isObject(), let id = field["id"].string() else { return nil }
    return Board.Station(
      id: id,
      name: field["name"].string() ?? id,
      timezone: field["timezone"].string()
    )
  }

  /// The departures of a list that can be used.
  package static func departures(_ field: DecodeField) -> [Departure] {
    field.list { departure($0) }?.elements ?? []
  }

  private static func departure(_ field: DecodeField) -> Departure? {
    guard field.isObject() else { return nil }
    let realtime = field["realtimeDeparture"].string()
    guard
      let scheduled = field["scheduledDeparture"].string()
        ?? realtime ?? field["scheduledDeparture"].missing(nil)
    else { return nil }
    let status = field["status"].string()
    // One that does not say whether it runs may say so in another way.
    let isCancelled =
      field["cancelled"].bool()
      ?? field["cancelled"].missing(status == "CANCELLED" || status == "SKIPPED_STOP")
    var departure = Departure(scheduledDeparture: scheduled, cancelled: isCancelled)
    departure.key = field["key"].string()
    departure.tripId = field[["trip_id", "tripId"]].string()
    departure.routeId = field[["route_id", "routeId"]].string()
    departure.stopId = field[["stop_id", "stopId"]].string()
    departure.stopSequence = field[["stop_sequence", "stopSequence"]].int()
    departure.line = field["line"].string()
    departure.category = field["category"].string()
    departure.number = field["number"].string()
    departure.destination = field["destination"].string()
    departure.operator = field["operator"].string()
    departure.realtimeDeparture = realtime
    departure.certainty = field["certainty"].string()
    departure.uncertaintySec = field["uncertaintySec"].int()
    departure.boarding = field["boarding"].string()
    departure.booking = field["booking"].isObject() ? booking(field["booking"]) : nil
    departure.tripShortName = field["tripShortName"].string()
    departure.headwaySec = field["headwaySec"].int()
    departure.skippedStops = strings(field["skippedStops"])
    departure.endsAt = field["endsAt"].string()
    departure.continuesAs = field["continuesAs"].list { continuation($0) }?.elements
    departure.delayMin = field["delayMin"].int()
    departure.platform = field["platform"].string()
    departure.platformChanged = field["platformChanged"].bool()
    departure.previousPlatform = field["previousPlatform"].string()
    departure.status = status
    departure.realtimeAt = field["realtimeAt"].string()
    departure.realtimeFreshness = field["realtimeFreshness"].string()
    departure.predictionUncertaintySec = field["predictionUncertaintySec"].int()
    departure.occupancy = field["occupancy"].string()
    departure.alerts = alerts(field["alerts"])
    departure.flags = strings(field["flags"])
    departure.vehicle = vehicle(field["vehicle"])
    departure.serviceDate = field["serviceDate"].string()
    departure.startTime = field["startTime"].string()
    departure.routeType = field["routeType"].int()
    departure.routeColor = field["routeColor"].string()
    departure.routeTextColor = field["routeTextColor"].string()
    return departure
  }

  private static func continuation(_ field: DecodeField) -> Departure.Continuation? {
    guard field.isObject(), let id = field["trip_id"].string() ?? field["trip_id"].missing(nil)
    else { return nil }
    var continuation = Departure.Continuation(tripId: id)
    continuation.serviceDate = field["serviceDate"].string()
    continuation.line = field["line"].string()
    continuation.destination = field["destination"].string()
    continuation.scheduledDeparture = field["scheduledDeparture"].string()
    return continuation
  }

  /// The services on demand of a list.
  package static func onDemand(_ field: DecodeField) -> [Board.OnDemandService]? {
    field.list { field -> Board.OnDemandService? in
      guard field.isObject() else { return nil }
      var service = Board.OnDemandService()
      service.line = field["line"].string()
      service.operator = field["operator"].string()
      service.opensAt = field["opensAt"].string()
      service.closesAt = field["closesAt"].string()
      service.booking = booking(field)
      return service
    }?
    .elements
  }

  private static func booking(_ field: DecodeField) -> Board.Booking {
    var booking = Board.Booking()
    booking.bookBy = field["bookBy"].string()
    booking.noticeMinutes = field["noticeMinutes"].int()
    booking.phone = field["phone"].string()
    booking.message = field["message"].string()
    booking.infoUrl = field["infoUrl"].string()
    booking.bookingUrl = field["bookingUrl"].string()
    return booking
  }

  private static func vehicle(_ field: DecodeField) -> Departure.Vehicle? {
    guard field.isObject() else { return nil }
    var vehicle = Departure.Vehicle()
    vehicle.status = field["status"].string()
    vehicle.stopName = field["stopName"].string()
    vehicle.stopsAway = field["stopsAway"].int()
    vehicle.occupancy = field["occupancy"].string()
    vehicle.occupancyPercent = field["occupancyPercent"].int()
    vehicle.wheelchair = field["wheelchair"].bool()
    vehicle.seenAt = field["seenAt"].string()
    return vehicle
  }

  private static func strings(_ field: DecodeField) -> [String]? {
    field.list { $0.string() }?.elements
  }

  /// The alerts of a list that can be used.
  package static func alerts(_ field: DecodeField) -> [ServiceAlert]? {
    field.list { alert($0) }?.elements
  }

  private static func alert(_ field: DecodeField) -> ServiceAlert? {
    guard field.isObject() else { return nil }
    let header = field[["header", "headerText"]].string()
    let description = field[["description", "descriptionText"]].string()
    // Without an id the text names it, as the schema allows; without both there is nothing to show.
    guard let id = field["id"].string() ?? header ?? description else {
      return field["id"].missing(nil)
    }
    var alert = ServiceAlert(
      id: id,
      severity: field["severity"].string(),
      effect: field["effect"].string(),
      cause: field["cause"].string(),
      header: header,
      description: description,
      url: field["url"].string()
    )
    alert.causeDetail = field["causeDetail"].string()
    alert.effectDetail = field["effectDetail"].string()
    if let address = field["image"]["url"].string() {
      alert.image = .init(
        url: address,
        alternativeText: field["image"]["alternativeText"].string()
      )
    }
    return alert
  }

  /// Why a board is empty.
  package static func noService(_ field: DecodeField) -> Board.NoService? {
    guard field.isObject(), let reason = field["reason"].string() else { return nil }
    return Board.NoService(reason: reason, nextDeparture: field["nextDeparture"].string())
  }

  /// The metadata of a response; from servers without `meta`, that of `rt`.
  package static func meta(_ root: DecodeField) -> Board.Meta {
    let field = root["meta"]
    let rt = root["rt"]
    if !field.isObject() { field.missing(()) }
    var meta = Board.Meta(
      serverTime: field["serverTime"].string() ?? "",
      responseMode: field["responseMode"].string() ?? "",
      rtStatus: field["rtStatus"].string() ?? status(rt)
    )
    meta.rtFetchedAt = field["rtFetchedAt"].string() ?? rt["fetchedAt"].string()
    meta.rtCacheAgeMs = field["rtCacheAgeMs"].double() ?? rt["cacheAgeMs"].double()
    meta.rtAppliedCount = field["rtAppliedCount"].int()
    meta.rtCoverage = coverage(field["rtCoverage"])
    meta.nextExpectedAt = field["nextExpectedAt"].string()
    meta.nextExpectedQuantile = field["nextExpectedQuantile"].double()
    meta.nextExpectedSpreadMs = field["nextExpectedSpreadMs"].double()
    meta.requestId = field["requestId"].string()
    meta.timetable = timetable(field["timetable"])
    return meta
  }

  /// The value of `meta.rtStatus` for what `rt` says.
  private static func status(_ rt: DecodeField) -> String {
    if rt["applied"].bool() == true { return "applied" }
    switch rt["reason"].string() {
    case "stale": return "stale_cache"
    case "missing": return "missing_cache"
    case "guarded": return "guarded_error"
    case let word?: return word
    case nil: return ""
    }
  }

  private static func coverage(_ field: DecodeField) -> Board.Coverage? {
    guard field.isObject() else { return nil }
    return Board.Coverage(
      departures: field["departures"].int() ?? 0,
      live: field["live"].int() ?? 0,
      old: field["old"].int() ?? 0,
      tripUpdates: field["tripUpdates"].int(),
      matched: field["matched"].int()
    )
  }

  private static func timetable(_ field: DecodeField) -> Board.Timetable? {
    guard field.isObject() else { return nil }
    return Board.Timetable(
      version: field["version"].string(),
      publisher: field["publisher"].string(),
      importedAt: field["importedAt"].string(),
      validFrom: field["validFrom"].string(),
      validUntil: field["validUntil"].string()
    )
  }

  private static func stop(_ field: DecodeField) -> StopMatch? {
    let ids: MemberName = ["id", "stop_id", "stationId", "group_id", "raw_stop_id"]
    guard field.isObject(), let id = field[ids].string() ?? field["id"].missing(nil) else {
      return nil
    }
    return StopMatch(
      id: id,
      name: field[["name", "stop_name", "stationName"]].string() ?? id,
      feedName: field["stop_name"].string(),
      aliases: strings(field["aliasesMatched"]),
      departures: field["nb_stop_times"].int(),
      distance: field["distance_m"].int()
    )
  }
}

extension Decoded {
  /// The same issues with another model.
  fileprivate func with<Other>(_ other: Other) -> Decoded<Other> {
    Decoded<Other>(
      model: other,
      raw: raw,
      issues: issues,
      issueCount: issueCount,
      unread: unread,
      unreadCount: unreadCount
    )
  }
}
