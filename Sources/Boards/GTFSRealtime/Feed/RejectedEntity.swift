/// An entity of a feed that could not be used, and its location.
package struct RejectedEntity: Hashable, Sendable, CustomStringConvertible {
  /// Why an entity is rejected; the raw value is the label of its counter.
  package enum Cause: String, Hashable, Sendable, CaseIterable {
    /// The wire format inside the entity is broken.
    case malformed
    /// A text is not UTF-8.
    case invalidText = "invalid_text"
    /// A field that the schema requires is missing.
    case missingField = "missing_field"
    /// A size or a count is over its limit (``RealtimeLimits``).
    case limitExceeded = "limit_exceeded"
    /// `start_date` is not a valid date: the trip cannot be distinguished from that of another day.
    case invalidDate = "invalid_date"
    /// `start_time` in an alert selector is not a valid time: the trip cannot be distinguished from those at others.
    case invalidTime = "invalid_time"
  }

  /// Why.
  package var cause: Cause
  /// One phrase that says what is wrong, without the place.
  package var reason: String
  /// The number of the entity in the feed, counted from 0 over entities of every kind.
  package var index: Int
  /// The offset in the feed of the byte that is wrong, counted from 0; `nil` in a JSON feed.
  package var offset: Int?
  /// The field that was being read, such as `entity[12].trip_update.stop_time_update[3].stop_id`.
  package var path: String

  /// Creates the record of a rejected entity.
  package init(cause: Cause, reason: String, index: Int, offset: Int?, path: String) {
    self.cause = cause
    self.reason = reason
    self.index = index
    self.offset = offset
    self.path = path
  }

  /// What is wrong and where, in one sentence.
  package var description: String {
    guard let offset else { return "\(reason) in \(path)" }
    return "\(reason) in \(path) at byte \(offset)"
  }
}
