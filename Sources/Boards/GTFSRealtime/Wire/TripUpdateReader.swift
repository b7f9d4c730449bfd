import GTFS

/// Reads the trip updates of a feed straight from its bytes, in one pass.
///
/// A large feed is read in parts at the same time, each by a reader of its own, and put together in their
/// order: the result is the same, whatever the number of parts.
///
/// Invariants
/// 1. Only the fields of ``WireSchema`` are read; every other field is skipped by its length.
/// 2. Messages merge as protobuf says: the last scalar wins, repeated fields add up, a message that
///    occurs twice is one.
/// 3. A broken entity leaves nothing behind but its count (and unreferenced texts): `undo` restores the arrays.
/// 4. Trip modifications and stops are read wherever an entity has them; it counts by its trip update alone.
/// 5. A field that is read and has a wrong wire type rejects its entity. Other decoders would take it for
///    an unknown field and lose a delay in silence.
struct TripUpdateReader {
  let limits: RealtimeLimits
  var interner: TextInterner
  var counters = EntityCounters()
  private var trips: [TripUpdate] = []
  var updates: [StopTimeUpdate] = []
  var details: [StopTimeDetails] = []
  private var deleted: [TextID] = []
  var modifications: [TripModifications] = []
  var stops: [RealtimeStop] = []
  var shapes: [RealtimeShape] = []
  var invalidModifications = 0

  init(limits: RealtimeLimits, feedBytes: Int) {
    self.limits = limits
    interner = TextInterner(feedBytes: feedBytes)
    updates.reserveCapacity(min(feedBytes / 40, 1 << 20))
  }

  /// The bytes from which a feed is read in two parts: below, dividing it takes longer than it saves.
  private static let divisibleBytes = 1 << 20

  /// Reads a feed.
  ///
  /// - Parameters:
  ///   - bytes: The feed.
  ///   - limits: The limits of the content.
  ///   - parts: The number of parts; `nil` to choose by size.
  /// - Returns: The feed.
  /// - Throws: If the outer structure is broken or a limit of the whole feed is exceeded.
  static func read(
    _ bytes: UnsafeRawBufferPointer,
    limits: RealtimeLimits,
    parts: Int? = nil
  ) throws(RealtimeError) -> TripUpdateFeed {
    var envelope = try EnvelopeReader(bytes, limits: limits)
    var entities: [WireCursor] = []
    while let entity = try envelope.next() { entities.append(entity) }
    let header = try envelope.header()
    let parts = parts ?? (bytes.count < divisibleBytes ? 1 : 2)
    let reader = read(entities, bytes.count, limits, parts)
    return reader.feed(header)
  }

  /// The feed that was read.
  func feed(_ header: FeedHeader) -> TripUpdateFeed {
    TripUpdateFeed(
      header: header,
      trips: trips,
      stopTimeUpdates: updates,
      stopTimeDetails: details,
      texts: interner.table(),
      deletedEntities: deleted,
      modifications: modifications,
      stops: stops,
      shapes: Dictionary(shapes.map { ($0.id, $0.polyline) }) { first, _ in first },
      invalidModifications: invalidModifications,
      counters: counters
    )
  }

  /// Reads entities in parts of about as many bytes each, and puts the parts together.
  private static func read(
    _ entities: [WireCursor],
    _ byteCount: Int,
    _ limits: RealtimeLimits,
    _ parts: Int
  ) -> TripUpdateReader {
    let starts = (0...parts).map { part in
      part == parts
        ? entities.count
        : entities.firstIndex { $0.position >= byteCount / parts * part } ?? entities.count
    }
    var readers = BackgroundExecutor.results(parts) { part in
      // The first one has room for all: the others are appended to it.
      let bytes = part == 0 ? byteCount : byteCount / parts
      var reader = TripUpdateReader(limits: limits, feedBytes: bytes)
      for index in starts[part]..<starts[part + 1] { reader.handle(entities[index], index: index) }
      return reader
    }
    // Removed rather than copied: a reader with a second reference would be copied when it grows.
    var whole = readers.removeFirst()
    for part in readers { whole.append(part) }
    return whole
  }

  /// Appends what was read of the next part of the feed.
  private mutating func append(_ part: TripUpdateReader) {
    let table = part.interner.table()
    // Every text of a part is valid: it was taken once.
    let numbers = table.ids.map { id in
      table.withBytes(of: id) { interner.number(of: $0) } ?? TextID.none
    }
    let firstUpdate = updates.count
    let firstDetails = UInt32(details.count)
    updates.reserveCapacity(updates.count + part.updates.count)
    for var update in part.updates {
      if update.stop != TextID.none { update.stop = numbers[Int(update.stop)] }
      if update.assignedStop != TextID.none {
        update.assignedStop = numbers[Int(update.assignedStop)]
      }
      if update.details != .max { update.details += firstDetails }
      updates.append(update)
    }
    for var rare in part.details {
      rare.headsign = rare.headsign.map { TextID(number: numbers[$0.index]) }
      details.append(rare)
    }
    trips.reserveCapacity(trips.count + part.trips.count)
    for var trip in part.trips {
      trip.renumber { TextID(number: numbers[$0.index]) }
      let range = trip.stopTimeUpdates
      trip.stopTimeUpdates =
        (range.lowerBound + firstUpdate)..<(range.upperBound + firstUpdate)
      trips.append(trip)
    }
    modifications += part.modifications
    stops += part.stops
    shapes += part.shapes
    invalidModifications += part.invalidModifications
    deleted += part.deleted.map { TextID(number: numbers[$0.index]) }
    counters.append(part.counters, keeping: limits.keptRejections)
  }

  private mutating func handle(_ entity: WireCursor, index: Int) {
    let updateCount = updates.count
    let detailCount = details.count
    let (modificationCount, stopCount) = (modifications.count, stops.count)
    let shapeCount = shapes.count
    do throws(WireFault) {
      let draft = try readEntity(entity)
      if draft.isDeleted {
        noteDeleted(draft.entityID)
      } else if draft.hasTripUpdate {
        note(try trip(draft, index: index, first: updateCount, at: entity.position))
        return
      } else {
        counters.other += 1
        return
      }
    } catch {
      reject(error, index: index)
    }
    modifications.removeLast(modifications.count - modificationCount)
    stops.removeLast(stops.count - stopCount)
    shapes.removeLast(shapes.count - shapeCount)
    updates.removeLast(updates.count - updateCount)
    details.removeLast(details.count - detailCount)
  }

  /// Appends a trip that was read.
  mutating func note(_ trip: TripUpdate) {
    trips.append(trip)
    counters.used += 1
  }

  /// Notes an entity with `is_deleted`.
  mutating func noteDeleted(_ entity: TextID) {
    deleted.append(entity)
    counters.deleted += 1
  }

  /// Counts an entity that cannot be read.
  mutating func reject(_ error: WireFault, index: Int) {
    let fault = error.inside(.feed, 2, index: index)
    counters.reject(
      RejectedEntity(
        cause: fault.cause,
        reason: fault.reason,
        index: index,
        offset: fault.offset,
        path: fault.path
      ),
      keeping: limits.keptRejections
    )
  }

  /// Returns the number of the text that is a field's content.
  @inline(__always)
  mutating func text(_ content: WireCursor) throws(WireFault) -> UInt32 {
    let bytes = content.rest
    guard bytes.count <= limits.textBytes else {
      throw .textTooLong(bytes.count, limits.textBytes, at: content.position)
    }
    guard let number = interner.number(of: bytes) else { throw .notUTF8(at: content.position) }
    return number
  }
}
