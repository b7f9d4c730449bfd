/// Counts the entities of one feed by outcome: each in exactly one counter.
package struct EntityCounters: Hashable, Sendable {
  /// Entities of the kind that was asked for, and usable.
  package var used = 0
  /// Entities with `is_deleted`.
  package var deleted = 0
  /// Entities of other kinds (vehicles, alerts, shapes, …), which are not read.
  package var other = 0
  /// Rejected entities by cause.
  package private(set) var rejected: [RejectedEntity.Cause: Int] = [:]
  /// The first rejected entities (``RealtimeLimits/keptRejections``).
  package private(set) var rejections: [RejectedEntity] = []
  /// Trip updates whose `start_time` is not a valid time and is treated as absent.
  package var invalidStartTimes = 0
  /// Alert selectors left out of their alert because their trip has an unreadable `start_date` or `start_time`: without
  /// the rest of the trip they would match more than was intended.
  package private(set) var rejectedSelectors = 0
  /// The first of those selectors (``RealtimeLimits/keptRejections``).
  package private(set) var selectorRejections: [RejectedEntity] = []

  /// Creates a counters of no entities.
  package init() {}

  /// Rejected entities of all causes.
  package var rejectedTotal: Int { rejected.values.reduce(0, +) }
  /// All entities of the feed.
  package var total: Int { used + deleted + other + rejectedTotal }

  mutating func rejectSelector(_ selector: RejectedEntity, keeping limit: Int) {
    rejectedSelectors += 1
    if selectorRejections.count < limit { selectorRejections.append(selector) }
  }

  /// Adds the outcomes of the entities that follow.
  mutating func append(_ next: EntityCounters, keeping limit: Int) {
    used += next.used
    deleted += next.deleted
    other += next.other
    invalidStartTimes += next.invalidStartTimes
    rejectedSelectors += next.rejectedSelectors
    rejected.merge(next.rejected) { $0 + $1 }
    rejections += next.rejections.prefix(max(limit - rejections.count, 0))
    selectorRejections += next.selectorRejections.prefix(max(limit - selectorRejections.count, 0))
  }

  mutating func reject(_ entity: RejectedEntity, keeping limit: Int) {
    rejected[entity.cause, default: 0] += 1
    if rejections.count < limit { rejections.append(entity) }
  }
}
