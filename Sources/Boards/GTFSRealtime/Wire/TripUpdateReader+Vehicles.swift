extension TripUpdateReader {
  /// A vehicle position while its entity is read: the trip of it, and what it says.
  struct VehicleDraft {
    var trip = TripDraft()
    var hasVehicle = false
    var position = VehiclePosition()
    var latitude: Float?
    var longitude: Float?
  }

  /// Reads the vehicle positions of a feed.
  static func readPositions(
    _ bytes: UnsafeRawBufferPointer,
    limits: RealtimeLimits
  ) throws(RealtimeError) -> VehiclePositionFeed {
    var envelope = try EnvelopeReader(bytes, limits: limits)
    var reader = TripUpdateReader(limits: limits, feedBytes: 0)
    var positions: [VehiclePosition] = []
    while let entity = try envelope.next() {
      if let position = reader.takePosition(entity, index: envelope.entities - 1) {
        positions.append(position)
      }
    }
    return VehiclePositionFeed(
      carriers: reader.feed(try envelope.header()),
      positions: positions
    )
  }

  /// Reads an entity and appends its trip; `nil` if it has no position of a trip.
  private mutating func takePosition(_ entity: WireCursor, index: Int) -> VehiclePosition? {
    let updateCount = updates.count
    do throws(WireFault) {
      var draft = try readVehicleEntity(entity)
      if draft.trip.isDeleted {
        noteDeleted(draft.trip.entityID)
      } else if draft.hasVehicle, draft.trip.hasTrip, ![3, 7].contains(draft.trip.relationship) {
        // What a position says holds for a trip that runs, in whatever way it came to run; on one that is cancelled (3)
        // or deleted (7) a vehicle takes no passengers.
        if draft.trip.relationship == 5 { draft.trip.relationship = 0 }
        var update = StopTimeUpdate()
        if let sequence = draft.position.stopSequence {
          update.sequence = sequence
          update.flags.insert(.sequence)
        }
        if let stop = draft.position.stopID { update.stop = stop.number }
        if update.stopID != nil || update.stopSequence != nil { updates.append(update) }
        note(
          try trip(
            draft.trip,
            index: index,
            first: updateCount,
            at: entity.position,
            within: "vehicle"
          )
        )
        if let latitude = draft.latitude, let longitude = draft.longitude,
          (-90...90).contains(latitude), (-180...180).contains(longitude)
        {
          draft.position.coordinate = .init(latitude: latitude, longitude: longitude)
        }
        draft.position.carriages.sort { $0.sequence < $1.sequence }
        return draft.position
      } else {
        counters.other += 1
      }
    } catch {
      reject(error, index: index)
      updates.removeLast(updates.count - updateCount)
    }
    return nil
  }

  private mutating func readVehicleEntity(_ content: WireCursor) throws(WireFault) -> VehicleDraft {
    var cursor = content
    var draft = VehicleDraft()
    var field: UInt32 = 0
    do throws(WireFault) {
      while !cursor.isAtEnd {
        field = 0
        let tag = try cursor.tag()
        field = tag >> 3
        switch tag {
        case 10: draft.trip.entity = try text(try cursor.message())
        case 16: draft.trip.isDeleted = try cursor.varint() != 0
        case 34:
          draft.hasVehicle = true
          try readVehicle(try cursor.message(), into: &draft)
        default: try cursor.skip(tag, known: 4, except: 3)
        }
      }
      field = 0
      guard draft.trip.entity != TextID.none else {
        field = 1
        throw WireFault(.missingField, "a required field is missing", at: content.position)
      }
    } catch {
      throw error.inside(.entity, field)
    }
    return draft
  }

  private mutating func readVehicle(
    _ content: WireCursor,
    into draft: inout VehicleDraft
  ) throws(WireFault) {
    var cursor = content
    var field: UInt32 = 0
    do throws(WireFault) {
      while !cursor.isAtEnd {
        field = 0
        let tag = try cursor.tag()
        field = tag >> 3
        switch tag {
        case 10:
          draft.trip.hasTrip = true
          try readTrip(try cursor.message(), into: &draft.trip)
        case 18: try readPosition(try cursor.message(), into: &draft)
        case 24:
          draft.position.stopSequence = UInt32(truncatingIfNeeded: try cursor.varint())
        case 32:
          let number = Int32(truncatingIfNeeded: try cursor.varint())
          draft.position.status = .init(number: number)
        case 40: draft.trip.timestamp = try cursor.varint()
        case 58:
          let stop = try cursor.message()
          draft.position.stopID = stop.isAtEnd ? nil : TextID(number: try text(stop))
        case 66: try readDescriptor(try cursor.message(), into: &draft.position)
        case 72:
          let number = Int32(truncatingIfNeeded: try cursor.varint())
          draft.position.occupancy = .init(number: number)
        case 80:
          draft.position.occupancyPercent = Self.percent(try cursor.varint())
        case 90:
          guard draft.position.carriages.count < limits.carriagesPerVehicle else {
            throw WireFault(
              .limitExceeded,
              "more than \(limits.carriagesPerVehicle) carriages",
              at: cursor.position
            )
          }
          draft.position.carriages.append(try readCarriage(try cursor.message()))
        default: try cursor.skip(tag, known: 11, except: 6)
        }
      }
    } catch {
      throw error.inside(.vehicle, field)
    }
  }

  private func readPosition(
    _ content: WireCursor,
    into draft: inout VehicleDraft
  ) throws(WireFault) {
    var cursor = content
    var field: UInt32 = 0
    do throws(WireFault) {
      while !cursor.isAtEnd {
        field = 0
        let tag = try cursor.tag()
        field = tag >> 3
        switch tag {
        case 13: draft.latitude = Float(bitPattern: try cursor.fixed32())
        case 21: draft.longitude = Float(bitPattern: try cursor.fixed32())
        default: try cursor.skip(tag, known: 2)
        }
      }
    } catch {
      throw error.inside(.position, field)
    }
  }

  private mutating func readDescriptor(
    _ content: WireCursor,
    into position: inout VehiclePosition
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
          let label = try cursor.message()
          position.label = label.isAtEnd ? nil : TextID(number: try text(label))
        case 32:
          switch try cursor.varint() {
          case 2: position.isWheelchairAccessible = true
          case 3: position.isWheelchairAccessible = false
          default: position.isWheelchairAccessible = nil
          }
        case 10, 26: _ = try cursor.message()
        default: try cursor.skip(tag, known: 4)
        }
      }
    } catch {
      throw error.inside(.vehicleDescriptor, field)
    }
  }

  private mutating func readCarriage(
    _ content: WireCursor
  ) throws(WireFault) -> VehiclePosition.Carriage {
    var cursor = content
    var carriage = VehiclePosition.Carriage()
    var field: UInt32 = 0
    do throws(WireFault) {
      while !cursor.isAtEnd {
        field = 0
        let tag = try cursor.tag()
        field = tag >> 3
        switch tag {
        case 18:
          let label = try cursor.message()
          carriage.label = label.isAtEnd ? nil : TextID(number: try text(label))
        case 24:
          let number = Int32(truncatingIfNeeded: try cursor.varint())
          carriage.occupancy = .init(number: number)
        case 32: carriage.occupancyPercent = Self.percent(try cursor.varint())
        case 40: carriage.sequence = UInt32(truncatingIfNeeded: try cursor.varint())
        case 10: _ = try cursor.message()
        default: try cursor.skip(tag, known: 5)
        }
      }
    } catch {
      throw error.inside(.carriage, field)
    }
    return carriage
  }

  /// The most that a vehicle can be full in percent; above, a number is not one.
  private static let mostPercent: Int32 = 1_000

  /// A share in percent; `nil` for −1, which means no data, and for numbers that cannot be one.
  private static func percent(_ value: UInt64) -> Int32? {
    let number = Int32(truncatingIfNeeded: value)
    return (0...mostPercent).contains(number) ? number : nil
  }
}
