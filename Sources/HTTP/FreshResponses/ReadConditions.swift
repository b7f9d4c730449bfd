public import ConditionalHTTP
import EventFeed
public import HTTPTypes

/// The copies that a client has, and how long it is willing to wait for a newer one.
public struct ReadConditions: Hashable, Sendable {
  /// The tags of `If-None-Match`; `nil` without the field.
  public var known: EntityTagList?
  /// The state that a parameter of the query names (``RepresentationState/id``); `nil` without one.
  public var since: String?
  /// The wait of `Prefer`, in seconds; `nil` without one.
  public var wait: Int64?
  /// Whether a tag that a client sends without quotes names the state with the same characters.
  public var takesBareTags = false

  /// Reads the conditions of a request.
  ///
  /// - Parameters:
  ///   - fields: The fields of the request.
  ///   - since: The state that the query names; `nil` without one.
  public init(fields: HTTPFields, since: String? = nil) {
    known = fields[.ifNoneMatch].map { EntityTagList(parsing: $0) }
    self.since = since
    wait = Prefer(fields: fields).wait
  }

  /// Returns whether `If-None-Match` includes a state, by weak comparison.
  public func names(_ state: RepresentationState) -> Bool {
    guard let known else { return false }
    if known.weaklyContains(state.entityTag) { return true }
    guard takesBareTags, case .tags(let tags) = known else { return false }
    return tags.contains { !$0.isQuoted && $0.opaque == state.entityTag.opaque }
  }

  /// Returns how long the client may be kept waiting for a change.
  ///
  /// - Parameter longest: The longest wait, in seconds.
  /// - Returns: The wait in seconds; `nil` if the client does not want one or has nothing to compare with.
  public func grantedWait(longest: Int64) -> Int64? {
    guard let wait, wait > 0, longest > 0, known != nil || since != nil else { return nil }
    // `*` names no state, so a change cannot be detected.
    if case .any = known { return nil }
    return min(wait, longest)
  }

  /// Returns whether the client has a state.
  public func isCurrent(_ state: RepresentationState) -> Bool {
    names(state) || since == state.id
  }

  /// Returns the tag of the client's copy if it is newer than a state; `nil` if no copy is known to be newer.
  ///
  /// Only numbers of the same epoch can be compared.
  func newerTag(than state: RepresentationState) -> EntityTag? {
    guard let version = state.version, case .tags(let tags) = known else { return nil }
    func number(_ tag: EntityTag) -> Int64? {
      guard let found = EventNumber(id: tag.opaque), found.epoch == version.epoch else {
        return nil
      }
      return found.number > version.number ? found.number : nil
    }
    return tags.max { (number($0) ?? 0) < (number($1) ?? 0) }.flatMap {
      number($0) == nil ? nil : $0
    }
  }

  /// Returns whether the state that the query names is newer than a state.
  func namesNewer(than state: RepresentationState) -> Bool {
    guard let version = state.version, let since, let found = EventNumber(id: since) else {
      return false
    }
    return found.epoch == version.epoch && found.number > version.number
  }
}
