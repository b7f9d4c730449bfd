import GTFS

/// Trip modifications and the stops that they may refer to.
extension TripUpdateReader {
  /// Reads a `TripModifications`; its entity gives it its id.
  ///
  /// - Returns: `nil` if a date or a time is not valid: the affected trips are then unknown.
  func readModifications(_ content: WireCursor) throws(WireFault) -> TripModifications? {
    var result = TripModifications()
    var isValid = true
    try content.readFields(of: .tripModifications) { (tag, cursor) throws(WireFault) in
      switch tag {
      case 10: try readSelectedTrips(try cursor.message(), into: &result)
      case 18:
        let place = cursor.position
        switch TimeOfDay.read(try cursor.message().rest) {
        case .seconds(let time): result.startTimes.append(time)
        case .blank: break
        case .malformed: isValid = false
        }
        try limit(result.startTimes.count, limits.modificationElements, "start times", at: place)
      case 26:
        let place = cursor.position
        if let date = ServiceDate(try cursor.message().rest) {
          result.serviceDates.append(date)
        } else {
          isValid = false
        }
        try limit(
          result.serviceDates.count,
          limits.modificationElements,
          "service dates",
          at: place
        )
      case 34:
        let place = cursor.position
        result.modifications.append(try readModification(try cursor.message()))
        try limit(
          result.modifications.count,
          limits.modificationsPerEntity,
          "modifications",
          at: place
        )
      default: try cursor.skip(tag, known: 4)
      }
    }
    return isValid ? result : nil
  }

  private func readSelectedTrips(
    _ content: WireCursor,
    into result: inout TripModifications
  ) throws(WireFault) {
    let first = result.tripIDs.count
    var shape: String?
    try content.readFields(of: .selectedTrips) { (tag, cursor) throws(WireFault) in
      switch tag {
      case 10:
        let place = cursor.position
        if let id = try string(try cursor.message()) { result.tripIDs.append(id) }
        try limit(result.tripIDs.count, limits.modificationElements, "trips", at: place)
      case 18: shape = try string(try cursor.message())
      default: try cursor.skip(tag, known: 2)
      }
    }
    guard let shape else { return }
    // As of its modifications, the first one of a trip counts.
    for id in result.tripIDs[first...] where result.tripShapes[id] == nil {
      result.tripShapes[id] = shape
    }
  }

  private func readModification(
    _ content: WireCursor
  ) throws(WireFault) -> TripModifications.Modification {
    var result = TripModifications.Modification()
    try content.readFields(of: .modification) { (tag, cursor) throws(WireFault) in
      switch tag {
      case 10: result.start = try readSelector(try cursor.message())
      case 18: result.end = try readSelector(try cursor.message())
      case 24: result.propagatedDelay = Int32(truncatingIfNeeded: try cursor.varint())
      case 34:
        let place = cursor.position
        result.replacements.append(try readReplacement(try cursor.message()))
        try limit(
          result.replacements.count,
          limits.replacementStops,
          "replacement stops",
          at: place
        )
      default: try cursor.skip(tag, known: 4)
      }
    }
    return result
  }

  private func readSelector(
    _ content: WireCursor
  ) throws(WireFault) -> TripModifications.StopSelector {
    var result = TripModifications.StopSelector()
    try content.readFields(of: .stopSelector) { (tag, cursor) throws(WireFault) in
      switch tag {
      case 8: result.sequence = UInt32(truncatingIfNeeded: try cursor.varint())
      case 18: result.stopID = try string(try cursor.message())
      default: try cursor.skip(tag, known: 2)
      }
    }
    return result
  }

  private func readReplacement(
    _ content: WireCursor
  ) throws(WireFault) -> TripModifications.ReplacementStop {
    var result = TripModifications.ReplacementStop()
    try content.readFields(of: .replacementStop) { (tag, cursor) throws(WireFault) in
      switch tag {
      case 8: result.travelTime = Int32(truncatingIfNeeded: try cursor.varint())
      case 18: result.stopID = try string(try cursor.message())
      default: try cursor.skip(tag, known: 2)
      }
    }
    return result
  }

  /// Reads a `Stop`.
  func readStop(_ content: WireCursor) throws(WireFault) -> RealtimeStop {
    var result = RealtimeStop()
    try content.readFields(of: .stop) { (tag, cursor) throws(WireFault) in
      switch tag {
      case 10: result.id = try string(try cursor.message()) ?? ""
      case 26: result.name = try translation(try cursor.message())
      case 90: result.parent = try string(try cursor.message())
      case 122: result.platform = try translation(try cursor.message())
      default: try cursor.skip(tag)
      }
    }
    return result
  }

  /// Reads a `Shape`.
  func readShape(_ content: WireCursor) throws(WireFault) -> RealtimeShape {
    var result = RealtimeShape()
    try content.readFields(of: .shape) { (tag, cursor) throws(WireFault) in
      switch tag {
      case 10: result.id = try string(try cursor.message()) ?? ""
      case 18:
        result.polyline = try string(try cursor.message(), most: limits.polylineBytes) ?? ""
      default: try cursor.skip(tag, known: 2)
      }
    }
    return result
  }

  /// Reads the first translation of a `TranslatedString`.
  private func translation(_ content: WireCursor) throws(WireFault) -> String? {
    var cursor = content
    var result: String?
    while !cursor.isAtEnd {
      let tag = try cursor.tag()
      guard tag == 10 else {
        try cursor.skip(tag)
        continue
      }
      var inner = try cursor.message()
      while !inner.isAtEnd {
        let tag = try inner.tag()
        guard tag == 10 else {
          try inner.skip(tag)
          continue
        }
        let text = try string(try inner.message())
        if result == nil { result = text }
      }
    }
    return result
  }

  // MARK: Values

  /// A text; `nil` if it is empty.
  private func string(_ content: WireCursor, most: Int? = nil) throws(WireFault) -> String? {
    let bytes = content.rest
    let most = most ?? limits.textBytes
    guard bytes.count <= most else {
      throw .textTooLong(bytes.count, most, at: content.position)
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw .notUTF8(at: content.position)
    }
    return text.isEmpty ? nil : text
  }

  private func limit(
    _ count: Int,
    _ most: Int,
    _ what: String,
    at offset: Int
  ) throws(WireFault) {
    guard count > most else { return }
    throw WireFault(.limitExceeded, "more than \(most) \(what)", at: offset)
  }
}
