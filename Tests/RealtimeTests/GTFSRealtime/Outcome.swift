import GTFSRealtime
import SwiftProtobuf

/// What the wire reader and SwiftProtobuf make of the same bytes, and whether they agree.
struct Outcome {
  /// How two readings may differ, and why that is right.
  enum Difference: String, CaseIterable {
    /// Both read the bytes, and equally.
    case bothAccept
    /// Neither does.
    case bothReject
    /// A field that is read has another wire type: the wire reader rejects it, SwiftProtobuf takes it
    /// for an unknown field.
    case wrongWireType
    /// A group: the wire reader rejects it, SwiftProtobuf passes over it.
    case group
    /// A `start_date` that is not a valid date: the wire reader rejects the entity; SwiftProtobuf does not inspect
    /// strings.
    case invalidDate
    /// What is broken lies within a field that the wire reader passes over. Without such fields, both
    /// read the bytes, and equally.
    case unreadField
  }

  var difference: Difference?
  var problem = ""

  /// Reads the bytes twice; with `checksRest` also without the entities that are rejected, which must
  /// leave the others as they are.
  init(_ bytes: [UInt8], checksRest: Bool = true) {
    let theirs = try? TransitRealtime_FeedMessage(serializedBytes: bytes)
    let feed: TripUpdateFeed
    do {
      feed = try TripUpdateFeed(protobuf: bytes)
    } catch {
      judge(rejection: error.reason, error.path, theirs)
      return
    }
    if let first = feed.counters.rejections.first {
      judge(rejection: first.reason, first.path, theirs)
      if difference != nil, checksRest { checkSurvivors(bytes, feed) }
      return
    }
    if let theirs {
      accept(.bothAccept, feed, theirs)
    } else if let bare = WireWalk.stripped(bytes),
      let message = try? TransitRealtime_FeedMessage(serializedBytes: bare)
    {
      accept(.unreadField, feed, message)
    } else {
      problem = "only the wire reader accepts the bytes"
    }
  }

  private mutating func accept(
    _ difference: Difference,
    _ feed: TripUpdateFeed,
    _ message: TransitRealtime_FeedMessage
  ) {
    let differences = TripUpdateComparison(feed, message).differences
    if differences.isEmpty {
      self.difference = difference
    } else {
      problem = differences.joined(separator: "; ")
    }
  }

  private mutating func judge(
    rejection: String,
    _ path: String?,
    _ theirs: TransitRealtime_FeedMessage?
  ) {
    if theirs == nil {
      difference = .bothReject
    } else if rejection.contains("which the field does not have") {
      difference = .wrongWireType
    } else if rejection.contains("a group") {
      difference = .group
    } else if rejection.contains("start_date") {
      difference = .invalidDate
    } else {
      problem = "only the wire reader rejects the bytes: \(rejection) in \(path ?? "the feed")"
    }
  }

  /// The entities that were not rejected must be as if the rejected ones had never been there.
  private mutating func checkSurvivors(_ bytes: [UInt8], _ feed: TripUpdateFeed) {
    guard feed.counters.rejections.count == feed.counters.rejectedTotal,
      let fields = WireWalk.fields(bytes)
    else { return }
    let rejected = Set(feed.counters.rejections.map(\.index))
    var index = -1
    let rest = fields.filter { field in
      if field.number == 2 { index += 1 }
      return field.number != 2 || !rejected.contains(index)
    }
    guard let bare = WireWalk.stripped(rest.flatMap(\.whole)),
      let message = try? TransitRealtime_FeedMessage(serializedBytes: bare),
      let again = try? TripUpdateFeed(protobuf: bare)
    else {
      difference = nil
      problem = "the rest is not sound without the rejected entities \(rejected.sorted())"
      return
    }
    let differences = TripUpdateComparison(again, message).differences
    let isSame =
      again.trips.count == feed.trips.count
      && zip(again.trips, feed.trips).allSatisfy { left, right in
        again.texts[left.entityID] == feed.texts[right.entityID]
          && again.texts[left.tripID] == feed.texts[right.tripID]
          && left.startDate == right.startDate && left.relationship == right.relationship
          && zip(again.updates(of: left), feed.updates(of: right)).allSatisfy { one, other in
            one.arrival == other.arrival && one.departure == other.departure
              && again.texts[one.stopID] == feed.texts[other.stopID]
              && again.details(of: one)?.pickup == feed.details(of: other)?.pickup
          }
          && again.updates(of: left).count == feed.updates(of: right).count
      }
    if !differences.isEmpty || !isSame {
      difference = nil
      problem = "rejected entities changed others: \(differences.joined(separator: "; "))"
    }
  }
}
