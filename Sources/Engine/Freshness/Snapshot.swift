/// The current copy, as far as the machine knows it; the host keeps the body.
public struct Snapshot: Hashable, Sendable {
  /// The revision of the body.
  public var revision: Revision
  /// The validator of the body, kept and removed with it (R19).
  public var validator: Validator?
  /// Whether the body carries realtime data (R20).
  public var hasRealtime: Bool
  /// Whether the server stated the age; otherwise it counts from arrival.
  public var hasServerAge: Bool
  /// The age of the data (R20, R27), at its greatest (R37).
  public var age: Age
  /// The source time before which a response is older: that of the copy, or of the last one before it that had one (R36).
  var floor: WallTime?
  /// Whether ``floor`` is the copy's own source time.
  var hasSourceTime: Bool
  /// Where the copy comes from (R38).
  public var provenance: Provenance = .server
  /// When the body last changed (R16).
  public var changedAt: Instant
  /// When the server last confirmed the body (R16).
  public var verifiedAt: Instant

  /// When the data was made, on the clock of its producer (R36), if the response says so.
  public var sourceTime: WallTime? { hasSourceTime ? floor : nil }
}
