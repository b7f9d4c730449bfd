/// The copy at hand, as far as the machine knows it; the host keeps the body.
public struct Snapshot: Hashable, Sendable {
  /// What the body says.
  public var revision: Revision
  /// What validates the body; kept with it and dropped with it (R19).
  public var validator: Validator?
  /// Whether the body carries realtime data (R20).
  public var hasRealtime: Bool
  /// The age of the data (R20, R27): the end of the interval that cannot flatter (R37).
  public var age: Age
  /// Whether the server told the age, or it counts from arrival.
  public var hasServerAge: Bool
  /// When the data was made, on the clock of its producer (R36); of an answer that tells.
  public var sourceTime: WallTime?
  /// Where the copy comes from (R38).
  public var provenance: Provenance = .server
  /// When the body last became another (R16).
  public var changedAt: Moment
  /// When the server last said that the body is right (R16).
  public var verifiedAt: Moment
}
