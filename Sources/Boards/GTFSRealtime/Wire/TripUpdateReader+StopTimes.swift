extension TripUpdateReader {
  /// Reads a `StopTimeUpdate` and appends it.
  mutating func readStopTimeUpdate(_ content: WireCursor) throws(WireFault) {
    var cursor = content
    var update = StopTimeUpdate()
    var rare: StopTimeDetails?
    var field: UInt32 = 0
    do throws(WireFault) {
      while !cursor.isAtEnd {
        field = 0
        let tag = try cursor.tag()
        field = tag >> 3
        switch tag {
        case 8:
          update.sequence = UInt32(truncatingIfNeeded: try cursor.varint())
          update.flags.insert(.sequence)
        case 18: try readArrival(try cursor.message(), into: &update, &rare)
        case 26: try readDeparture(try cursor.message(), into: &update, &rare)
        case 34:
          let stop = try cursor.message()
          update.stop = stop.isAtEnd ? TextID.none : try text(stop)
        case 40: update.relationshipNumber = Int32(truncatingIfNeeded: try cursor.varint())
        case 50: try readProperties(try cursor.message(), into: &update, &rare)
        case 56:
          var details = rare ?? StopTimeDetails()
          details.occupancy = Int32(truncatingIfNeeded: try cursor.varint())
          rare = details
        default: try cursor.skip(tag, known: 7)
        }
      }
    } catch {
      throw error.inside(.stopTimeUpdate, field)
    }
    if let rare {
      update.details = UInt32(details.count)
      details.append(rare)
    }
    updates.append(update)
  }

  private func readArrival(
    _ content: WireCursor,
    into update: inout StopTimeUpdate,
    _ rare: inout StopTimeDetails?
  ) throws(WireFault) {
    var cursor = content
    var field: UInt32 = 0
    update.flags.insert(.arrival)
    do throws(WireFault) {
      while !cursor.isAtEnd {
        field = 0
        let tag = try cursor.tag()
        field = tag >> 3
        switch tag {
        case 8:
          update.arrivalDelay = Int32(truncatingIfNeeded: try cursor.varint())
          update.flags.insert(.arrivalDelay)
        case 16:
          update.arrivalTime = Int64(bitPattern: try cursor.varint())
          update.flags.insert(.arrivalTime)
        case 24:
          update.arrivalUncertainty = Int32(truncatingIfNeeded: try cursor.varint())
          update.flags.insert(.arrivalUncertainty)
        case 32:
          var details = rare ?? StopTimeDetails()
          details.scheduledArrival = Int64(bitPattern: try cursor.varint())
          rare = details
        default: try cursor.skip(tag, known: 4)
        }
      }
    } catch {
      throw error.inside(.stopTimeEvent, field)
    }
  }

  private func readDeparture(
    _ content: WireCursor,
    into update: inout StopTimeUpdate,
    _ rare: inout StopTimeDetails?
  ) throws(WireFault) {
    var cursor = content
    var field: UInt32 = 0
    update.flags.insert(.departure)
    do throws(WireFault) {
      while !cursor.isAtEnd {
        field = 0
        let tag = try cursor.tag()
        field = tag >> 3
        switch tag {
        case 8:
          update.departureDelay = Int32(truncatingIfNeeded: try cursor.varint())
          update.flags.insert(.departureDelay)
        case 16:
          update.departureTime = Int64(bitPattern: try cursor.varint())
          update.flags.insert(.departureTime)
        case 24:
          update.departureUncertainty = Int32(truncatingIfNeeded: try cursor.varint())
          update.flags.insert(.departureUncertainty)
        case 32:
          var details = rare ?? StopTimeDetails()
          details.scheduledDeparture = Int64(bitPattern: try cursor.varint())
          rare = details
        default: try cursor.skip(tag, known: 4)
        }
      }
    } catch {
      throw error.inside(.stopTimeEvent, field)
    }
  }

  private mutating func readProperties(
    _ content: WireCursor,
    into update: inout StopTimeUpdate,
    _ rare: inout StopTimeDetails?
  ) throws(WireFault) {
    var cursor = content
    var details = rare ?? StopTimeDetails()
    var isRare = rare != nil
    var field: UInt32 = 0
    do throws(WireFault) {
      while !cursor.isAtEnd {
        field = 0
        let tag = try cursor.tag()
        field = tag >> 3
        switch tag {
        case 10:
          let stop = try cursor.message()
          update.assignedStop = stop.isAtEnd ? TextID.none : try text(stop)
        case 18:
          let headsign = try cursor.message()
          details.headsign = headsign.isAtEnd ? nil : TextID(number: try text(headsign))
          isRare = true
        case 24:
          details.pickup = .init(number: Int32(truncatingIfNeeded: try cursor.varint()))
          isRare = true
        case 32:
          details.dropOff = .init(number: Int32(truncatingIfNeeded: try cursor.varint()))
          isRare = true
        default: try cursor.skip(tag, known: 4)
        }
      }
    } catch {
      throw error.inside(.stopTimeProperties, field)
    }
    if isRare { rare = details }
  }
}
