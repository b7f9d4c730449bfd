extension TripUpdateReader {
  /// Reads a `FeedEntity`.
  mutating func readEntity(_ content: WireCursor) throws(WireFault) -> TripDraft {
    var cursor = content
    var draft = TripDraft()
    let firstUpdate = updates.count
    let firstModifications = modifications.count
    var field: UInt32 = 0
    do throws(WireFault) {
      while !cursor.isAtEnd {
        field = 0
        let tag = try cursor.tag()
        field = tag >> 3
        switch tag {
        case 10: draft.entity = try text(try cursor.message())
        case 16: draft.isDeleted = try cursor.varint() != 0
        case 26:
          draft.hasTripUpdate = true
          try readTripUpdate(try cursor.message(), into: &draft, first: firstUpdate)
        case 50:
          let shape = try readShape(try cursor.message())
          if !shape.id.isEmpty, shape.isUsable { shapes.append(shape) }
        case 58:
          let stop = try readStop(try cursor.message())
          if !stop.id.isEmpty { stops.append(stop) }
        case 66:
          if let changes = try readModifications(try cursor.message()) {
            modifications.append(changes)
          } else {
            invalidModifications += 1
          }
        default: try cursor.skip(tag, known: 3)
        }
      }
      field = 0
      guard draft.entity != TextID.none else {
        field = 1
        throw WireFault(.missingField, "a required field is missing", at: content.position)
      }
      guard !draft.hasTripUpdate || draft.hasTrip else {
        field = 3
        throw WireFault(.missingField, "a required field is missing", at: content.position)
          .inside(.tripUpdate, 1)
      }
    } catch {
      throw error.inside(.entity, field)
    }
    for place in modifications.indices.dropFirst(firstModifications) {
      modifications[place].entityID = interner.withBytes(draft.entity) {
        String(decoding: $0, as: UTF8.self)
      }
    }
    return draft
  }

  private mutating func readTripUpdate(
    _ content: WireCursor,
    into draft: inout TripDraft,
    first: Int
  ) throws(WireFault) {
    var cursor = content
    var field: UInt32 = 0
    do throws(WireFault) {
      while !cursor.isAtEnd {
        field = 0
        let tag = try cursor.tag()
        field = tag >> 3
        switch tag {
        case 18:
          guard updates.count - first < limits.stopTimeUpdatesPerTrip else {
            throw WireFault(
              .limitExceeded,
              "more than \(limits.stopTimeUpdatesPerTrip) stop time updates",
              at: cursor.position
            )
          }
          try readStopTimeUpdate(try cursor.message())
        case 10:
          draft.hasTrip = true
          try readTrip(try cursor.message(), into: &draft)
        case 32: draft.timestamp = try cursor.varint()
        case 40: draft.delay = Int32(truncatingIfNeeded: try cursor.varint())
        case 50:
          var properties = draft.properties ?? TripDraft.Properties()
          try readProperties(try cursor.message(), into: &properties)
          draft.properties = properties
        default: try cursor.skip(tag, known: 6, except: 3)
        }
      }
    } catch {
      throw error.inside(.tripUpdate, field, index: field == 2 ? updates.count - first : nil)
    }
  }

  mutating func readTrip(
    _ content: WireCursor,
    into draft: inout TripDraft
  ) throws(WireFault) {
    var cursor = content
    var field: UInt32 = 0
    do throws(WireFault) {
      while !cursor.isAtEnd {
        field = 0
        let tag = try cursor.tag()
        field = tag >> 3
        switch tag {
        case 10: draft.tripID = try text(try cursor.message())
        case 18: draft.start.time = try text(try cursor.message())
        case 26: draft.start.date = try text(try cursor.message())
        case 32: draft.relationship = Int32(truncatingIfNeeded: try cursor.varint())
        case 42: draft.routeID = try text(try cursor.message())
        case 48: draft.directionID = UInt32(truncatingIfNeeded: try cursor.varint())
        case 58:
          var modified = draft.modified ?? TripDraft.Modified()
          try readModified(try cursor.message(), into: &modified)
          draft.modified = modified
        case 66: draft.originalTripID = try text(try cursor.message())
        default: try cursor.skip(tag, known: 8)
        }
      }
    } catch {
      throw error.inside(.trip, field)
    }
  }

  private mutating func readModified(
    _ content: WireCursor,
    into modified: inout TripDraft.Modified
  ) throws(WireFault) {
    var cursor = content
    var field: UInt32 = 0
    do throws(WireFault) {
      while !cursor.isAtEnd {
        field = 0
        let tag = try cursor.tag()
        field = tag >> 3
        switch tag {
        case 10: modified.modificationsID = try text(try cursor.message())
        case 18: modified.affectedTripID = try text(try cursor.message())
        case 26: modified.start.time = try text(try cursor.message())
        case 34: modified.start.date = try text(try cursor.message())
        default: try cursor.skip(tag, known: 4)
        }
      }
    } catch {
      throw error.inside(.modifiedTrip, field)
    }
  }

  private mutating func readProperties(
    _ content: WireCursor,
    into properties: inout TripDraft.Properties
  ) throws(WireFault) {
    var cursor = content
    var field: UInt32 = 0
    do throws(WireFault) {
      while !cursor.isAtEnd {
        field = 0
        let tag = try cursor.tag()
        field = tag >> 3
        switch tag {
        case 10: properties.tripID = try text(try cursor.message())
        case 18: properties.start.date = try text(try cursor.message())
        case 26: properties.start.time = try text(try cursor.message())
        case 34: properties.shapeID = try text(try cursor.message())
        case 42: properties.headsign = try text(try cursor.message())
        case 50: properties.shortName = try text(try cursor.message())
        default: try cursor.skip(tag, known: 6)
        }
      }
    } catch {
      throw error.inside(.properties, field)
    }
  }
}
