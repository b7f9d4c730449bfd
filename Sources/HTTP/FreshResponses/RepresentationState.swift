public import ConditionalHTTP
public import EventFeed

/// What a server knows of the newest representation of a resource before it makes the body.
///
/// Times are in milliseconds since 1970, by the server's clock.
public struct RepresentationState: Hashable, Sendable {
  /// The number of the state, which grows with each change; `nil` if the resource does not count.
  ///
  /// Replicas that share an epoch give the same number to the same state. Only numbers tell which of two states is
  /// newer, so reads of a resource without them are not monotonic across replicas.
  public var version: EventNumber?
  /// The validator.
  public var entityTag: EntityTag
  /// When the data was made by its source; `nil` if unknown.
  public var sourceTime: Int64?
  /// When this server last compared its copy with the origin; `nil` if it is the origin.
  public var validatedAt: Int64?
  /// When this server learned of the state; the lag of event streams counts from here.
  public var changedAt: Int64?
  /// When the next change is expected; `nil` if unknown.
  public var nextChange: Int64?
  /// The time after ``nextChange`` over which clients should spread their requests, in milliseconds.
  public var spread: Int64?
  /// The number of the publication from which the state was read; `nil` if only ``sourceTime`` tells.
  ///
  /// Several publications may have the same content, and so the same tag.
  public var publication: UInt64?
  /// Whether nothing follows: an event stream ends with this state.
  public var isFinal = false

  /// Creates the state of a resource that counts its versions; the number is also the entity tag.
  public init(
    version: EventNumber,
    sourceTime: Int64? = nil,
    validatedAt: Int64? = nil,
    changedAt: Int64? = nil,
    nextChange: Int64? = nil,
    spread: Int64? = nil
  ) {
    self.init(
      entityTag: EntityTag(version.description),
      version: version,
      sourceTime: sourceTime,
      validatedAt: validatedAt,
      changedAt: changedAt,
      nextChange: nextChange,
      spread: spread
    )
  }

  /// Creates the state of a resource with entity tags of its own.
  public init(
    entityTag: EntityTag,
    version: EventNumber? = nil,
    sourceTime: Int64? = nil,
    validatedAt: Int64? = nil,
    changedAt: Int64? = nil,
    nextChange: Int64? = nil,
    spread: Int64? = nil
  ) {
    self.version = version
    self.entityTag = entityTag
    self.sourceTime = sourceTime
    self.validatedAt = validatedAt
    self.changedAt = changedAt
    self.nextChange = nextChange
    self.spread = spread
  }

  /// The id of the state in an event stream, and its value for `since`: the number, or the entity tag without one.
  public var id: String { version?.description ?? entityTag.description }

  /// Returns the age of the data in milliseconds, at least 0; `nil` if its source time is unknown.
  public func age(at now: Int64) -> Int64? { sourceTime.map { max(0, now - $0) } }
}
