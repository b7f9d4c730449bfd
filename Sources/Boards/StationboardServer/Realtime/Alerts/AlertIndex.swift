import GTFS
package import GTFSRealtime
package import Timetable

/// The alerts of one feed, ready to be read by boards: immutable, for any number of threads.
///
/// ```
/// Alert ──► AlertContent: texts, languages, periods, in the order boards show them
///   └► EntitySelector ──► SelectorResolver ──► tables by stop, trip, route, agency and route type
/// ```
///
/// Alerts are shown and nothing else: none cancels a departure or changes its status.
package final class AlertIndex: Sendable {
  /// The timetable it belongs to.
  package let timetable: Timetable
  /// A hash of everything here that a board can show, the same over ticks and runs of the program while
  /// nothing of it changes; when the feed was made is left out.
  package let version: UInt64
  /// Counts the alerts and their selectors by outcome.
  package let counters: AlertCounters

  /// The alerts by severity, effect and id.
  let alerts: [AlertContent]
  let selectors: [ResolvedSelector]
  let scopes: [AlertScope]
  let tables: AlertTables
  let directory: AlertDirectory

  /// Builds the index of a feed.
  ///
  /// - Parameters:
  ///   - feed: The feed.
  ///   - timetable: The timetable its ids mean.
  ///   - previous: The previous index; its lookups are reused if it is
  ///     of the same timetable.
  package convenience init(
    _ feed: AlertFeed,
    timetable: Timetable,
    previous: AlertIndex? = nil
  ) {
    if let previous, previous.timetable === timetable {
      self.init(feed.alerts, previous.directory)
    } else {
      self.init(feed.alerts, AlertDirectory(timetable))
    }
  }

  /// Builds the index of the feeds of several sources, in their order.
  convenience init(_ feeds: [AlertFeed], timetable: Timetable, previous: AlertIndex? = nil) {
    let alerts = RealtimeState.united(feeds)
    let known = previous.flatMap { $0.timetable === timetable ? $0.directory : nil }
    self.init(alerts, known ?? AlertDirectory(timetable))
  }

  init(_ source: [Alert], _ directory: AlertDirectory) {
    var counters = AlertCounters()
    var ids: Set<String> = []
    var unique: [Alert] = []
    for alert in source {
      if ids.insert(alert.entityID).inserted {
        unique.append(alert)
      } else {
        counters.repeatedIDs += 1
      }
    }
    unique.sort { AlertMessages.precedes($0, $1) }
    var resolver = SelectorResolver(directory)
    var selectors: [ResolvedSelector] = []
    var trips = AlertTables.TripIDs()
    var hash = ContentHash()
    var contents: [AlertContent] = []
    for alert in unique {
      let content = AlertContent(
        alert,
        feedLanguage: directory.timetable.metadata.language
      )
      let first = selectors.count
      for selector in alert.informedEntities {
        do throws(AlertCounters.Reason) {
          var resolved = try resolver.resolve(selector)
          resolved.alert = UInt32(contents.count)
          if resolved.hasTrip, resolved.firstTrip == ResolvedSelector.none {
            counters.leaveOut(.unknownTrip, alert.entityID, selector)
          } else {
            counters.resolved += 1
          }
          trips.enter(selector.trip, UInt32(selectors.count))
          selectors.append(resolved)
        } catch {
          counters.leaveOut(error, alert.entityID, selector)
        }
      }
      guard selectors.count > first else {
        counters.withoutEffect += 1
        continue
      }
      hash.add(content.contentHash)
      for selector in alert.informedEntities { hash.add(selector) }
      contents.append(content)
    }
    counters.alerts = contents.count
    counters.platformsAsStations = resolver.platformsAsStations
    let directory =
      selectors.contains(where: \.isWide) ? directory.knowingStopClasses() : directory
    timetable = directory.timetable
    version = hash.value
    self.counters = counters
    alerts = contents
    self.selectors = selectors
    scopes = resolver.scopes
    tables = AlertTables(selectors, resolver.scopes, trips, directory)
    self.directory = directory
  }
}

extension ContentHash {
  /// Adds what an alert is about.
  fileprivate mutating func add(_ selector: EntitySelector) {
    func number(_ value: (some BinaryInteger)?) -> UInt64 {
      value.map { UInt64(truncatingIfNeeded: $0) } ?? 1 << 63
    }
    add(selector.agencyID)
    add(selector.routeID)
    add(number(selector.routeType))
    add(number(selector.directionID))
    add(selector.stopID)
    guard let trip = selector.trip else { return add(0) }
    add(trip.tripID)
    add(trip.originalTripID)
    add(trip.routeID)
    add(number(trip.directionID))
    add(number(trip.startDate?.daysSinceEpoch))
    add(number(trip.startTime))
  }
}
