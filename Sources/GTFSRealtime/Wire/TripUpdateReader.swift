/// Reads the trip updates of a feed straight from its bytes, in one pass.
///
/// Invariants
/// 1. Only the fields of ``WireSchema`` are looked at; every other field is passed over by its length.
/// 2. Messages merge as protobuf says: the last scalar wins, repeated fields add up, a message that
///    occurs twice is one.
/// 3. An entity that is broken inside leaves nothing behind but its count (and texts that nobody refers to):
///    `undo` restores the arrays.
/// 4. A field that is read and has a wrong wire type rejects its entity. Other decoders would take it for
///    an unknown field and lose a delay in silence.
struct TripUpdateReader {
  let limits: RealtimeLimits
  var interner: TextInterner
  var census = EntityCensus()
  private var trips: [TripUpdate] = []
  var updates: [StopTimeUpdate] = []
  var details: [StopTimeDetails] = []
  private var deleted: [TextID] = []

  private init(limits: RealtimeLimits, feedBytes: Int) {
    self.limits = limits
    interner = TextInterner(feedBytes: feedBytes)
    updates.reserveCapacity(min(feedBytes / 40, 1 << 20))
  }

  /// Reads a feed.
  static func read(
    _ bytes: UnsafeRawBufferPointer,
    limits: RealtimeLimits
  ) throws(RealtimeError) -> TripUpdateFeed {
    var envelope = try EnvelopeReader(bytes, limits: limits)
    var reader = TripUpdateReader(limits: limits, feedBytes: bytes.count)
    while let entity = try envelope.next() {
      reader.take(entity, index: envelope.entities - 1)
    }
    let header = try envelope.header()
    return TripUpdateFeed(
      header: header,
      trips: reader.trips,
      stopTimeUpdates: reader.updates,
      stopTimeDetails: reader.details,
      texts: reader.interner.table(),
      deletedEntities: reader.deleted,
      census: reader.census
    )
  }

  private mutating func take(_ entity: WireCursor, index: Int) {
    let updateCount = updates.count
    let detailCount = details.count
    do throws(WireFault) {
      let draft = try readEntity(entity)
      if draft.isDeleted {
        deleted.append(draft.entityID)
        census.deleted += 1
      } else if draft.hasTripUpdate {
        trips.append(try trip(draft, index: index, first: updateCount, at: entity.position))
        census.used += 1
        return
      } else {
        census.other += 1
      }
    } catch {
      let fault = error.inside(.feed, 2, index: index)
      census.reject(
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
    updates.removeLast(updates.count - updateCount)
    details.removeLast(details.count - detailCount)
  }

  /// The number of the text that a cursor stands before.
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
