import GTFS
import GTFSRealtime
import Hashing
import SwiftProtobuf
import Testing

@Suite struct AlertFeedTests {
  private func bytes(_ entities: [TransitRealtime_FeedEntity]) throws -> [UInt8] {
    var message = TransitRealtime_FeedMessage()
    message.header.gtfsRealtimeVersion = "2.0"
    message.entity = entities
    return try message.serializedBytes()
  }

  @Test func `an alert is read with all that is said of it`() throws {
    let entity = TransitRealtime_FeedEntity.with {
      $0.id = "ch:1:sstid:100001:1"
      $0.alert.activePeriod = [
        .with {
          $0.start = 100
          $0.end = 200
        }
      ]
      $0.alert.communicationPeriod = [.with { $0.start = 50 }]
      $0.alert.impactPeriod = [.with { $0.end = 300 }]
      $0.alert.informedEntity = [
        .with {
          $0.agencyID = "11"
          $0.routeID = "91-6-E-j25-1"
          $0.directionID = 1
          $0.routeType = 109
        },
        .with { $0.stopID = "ch:1:sloid:1120" },
        .with {
          $0.trip.tripID = "T"
          $0.trip.startDate = "20261124"
          $0.trip.startTime = "07:02:00"
          $0.trip.scheduleRelationship = .canceled
          $0.trip.originalTripID = "ch:1:sjyid:1"
        },
      ]
      $0.alert.cause = .construction
      $0.alert.effect = .detour
      $0.alert.severityLevel = .severe
      $0.alert.url.translation = [.with { $0.text = "https://example.org/1" }]
      $0.alert.headerText.translation = [
        .with {
          $0.text = "Unterbruch"
          $0.language = "de"
        },
        .with {
          $0.text = "Interruption"
          $0.language = "fr"
        },
      ]
      $0.alert.descriptionText.translation = [.with { $0.text = "Bis 18 Uhr" }]
      $0.alert.causeDetail.translation = [.with { $0.text = "Bauarbeiten" }]
    }
    let feed = try AlertFeed(protobuf: try bytes([entity]))
    let alert = try #require(feed.alerts.first)
    #expect(alert.entityID == "ch:1:sstid:100001:1")
    #expect(alert.activePeriods == [ActivePeriod(start: 100, end: 200)])
    #expect(alert.communicationPeriods == [ActivePeriod(start: 50)])
    #expect(alert.impactPeriods == [ActivePeriod(end: 300)])
    #expect(
      alert.informedEntities == [
        EntitySelector(agencyID: "11", routeID: "91-6-E-j25-1", routeType: 109, directionID: 1),
        EntitySelector(stopID: "ch:1:sloid:1120"),
        EntitySelector(
          trip: TripDescriptor(
            tripID: "T",
            startDate: ServiceDate(year: 2026, month: 11, day: 24),
            startTime: 25_320,
            relationship: .canceled,
            originalTripID: "ch:1:sjyid:1"
          )
        ),
      ]
    )
    #expect(alert.cause == .construction)
    #expect(alert.effect == .detour)
    #expect(alert.severity == .severe)
    #expect(alert.url?.text(in: []) == "https://example.org/1")
    #expect(alert.header?.text(in: ["fr"]) == "Interruption")
    #expect(alert.text?.translations.map(\.text) == ["Bis 18 Uhr"])
    #expect(alert.causeDetail?.text(in: ["en"]) == "Bauarbeiten")
    #expect(alert.effectDetail == nil)
  }

  @Test func `an alert that says nothing has the defaults of the reference`() throws {
    let empty = TransitRealtime_FeedEntity.with {
      $0.id = "E"
      $0.alert = .init()
    }
    let feed = try AlertFeed(protobuf: try bytes([empty]))
    #expect(feed.alerts == [Alert(entityID: "E")])
    #expect(feed.alerts[0].cause == .unknownCause)
    #expect(feed.alerts[0].effect == .unknownEffect)
    #expect(feed.alerts[0].severity == .unknownSeverity)
    #expect(feed.alerts[0].isActive(at: 0))
  }

  @Test func `every cause, effect and severity of the schema has a name`() throws {
    for number in TransitRealtime_Alert.Cause.allCases {
      if case .unknown = AlertCause(number: Int32(number.rawValue)) { Issue.record("\(number)") }
    }
    for number in TransitRealtime_Alert.Effect.allCases {
      if case .unknown = AlertEffect(number: Int32(number.rawValue)) { Issue.record("\(number)") }
    }
    for number in TransitRealtime_Alert.SeverityLevel.allCases {
      if case .unknown = AlertSeverity(number: Int32(number.rawValue)) { Issue.record("\(number)") }
    }
    #expect(AlertCause(number: 14) == .unknown(14))
    #expect(AlertCause(number: 9) == .maintenance)
    #expect(AlertEffect(number: 11) == .accessibilityIssue)
    #expect(AlertEffect(number: 0) == .unknown(0))
  }

  @Test func `numbers that the reference does not define are kept`() throws {
    let wire = WireWalk.self
    let alert =
      wire.number(6, 99) + wire.number(7, 98) + wire.number(14, 97)
      + wire.block(5, wire.block(4, wire.number(4, 42)))
    let bytes =
      wire.block(1, wire.text(1, "2.0"))
      + wire.block(2, wire.text(1, "E") + wire.block(5, alert))
    let feed = try AlertFeed(protobuf: bytes)
    #expect(feed.alerts[0].cause == .unknown(99))
    #expect(feed.alerts[0].effect == .unknown(98))
    #expect(feed.alerts[0].severity == .unknown(97))
    #expect(feed.alerts[0].informedEntities[0].trip?.relationship == .unknown(42))
  }

  @Test func `random alerts come through with every text and selector`() throws {
    var texts = 0
    for seed in 0..<500 as Range<UInt64> {
      var random = RandomFeed(seed: seed)
      let message = random.feed(entities: 6)
      let feed = try AlertFeed(protobuf: try message.serializedBytes() as [UInt8])
      var expected = message.entity.filter { $0.hasAlert && !$0.isDeleted }
      // A selector with an unreadable start is left out, and an alert of which nothing else is left.
      expected = expected.compactMap { entity in
        let isAboutNothing = entity.alert.informedEntity.isEmpty
        var entity = entity
        entity.alert.informedEntity.removeAll { selector in
          let time = selector.trip.startTime
          return !time.isEmpty && time.wholeMatch(of: /[0-9]{1,3}(:[0-5][0-9]){2}/) == nil
        }
        return entity.alert.informedEntity.isEmpty && !isAboutNothing ? nil : entity
      }
      #expect(feed.alerts.map(\.entityID) == expected.map(\.id))
      #expect(feed.counters.total == message.entity.count)
      for (ours, theirs) in zip(feed.alerts, expected.map(\.alert)) {
        #expect(
          ours.header?.translations.map(\.text)
            == (theirs.hasHeaderText ? theirs.headerText.translation.map(\.text) : nil)
        )
        #expect(
          ours.text?.translations.map { $0.language ?? "" }
            == (theirs.hasDescriptionText
              ? theirs.descriptionText.translation.map(\.language) : nil)
        )
        #expect(
          ours.informedEntities.map { $0.stopID ?? "" } == theirs.informedEntity.map(\.stopID)
        )
        #expect(
          ours.informedEntities.map { $0.trip?.tripID ?? "" }
            == theirs.informedEntity.map(\.trip.tripID)
        )
        #expect(ours.activePeriods.map { $0.end ?? 0 } == theirs.activePeriod.map(\.end))
        texts += ours.header?.translations.count ?? 0
      }
    }
    #expect(texts > 300)
  }

  @Test func `a broken alert loses only itself`() throws {
    let wire = WireWalk.self
    let good = wire.block(2, wire.text(1, "good") + wire.block(5, []))
    let nameless = wire.block(2, wire.block(5, []))
    let inside = wire.block(2, wire.text(1, "cut") + wire.block(5, [0x32, 0x7F]))
    let text = wire.block(10, wire.block(1, wire.block(1, [0xFF])))
    let foreign = wire.block(2, wire.text(1, "text") + wire.block(5, text))
    let silent = wire.block(2, wire.text(1, "silent") + wire.block(5, wire.block(10, [0x0A, 0])))
    let date = wire.block(5, wire.block(4, wire.text(3, "soon")))
    let dated = wire.block(2, wire.text(1, "date") + wire.block(5, date))
    let header = wire.block(1, wire.text(1, "2.0"))
    let bytes = header + good + nameless + inside + foreign + silent + dated + good
    let feed = try AlertFeed(protobuf: bytes)
    #expect(feed.alerts.map(\.entityID) == ["good", "good"])
    #expect(
      feed.counters.rejections.map(\.cause) == [
        .missingField, .malformed, .invalidText, .missingField, .invalidDate,
      ]
    )
    #expect(feed.counters.rejections.map(\.index) == [1, 2, 3, 4, 5])
    #expect(feed.counters.rejections[0].offset == header.count + good.count + 2)
  }

  @Test func `a selector with an unreadable start is left out, counted, and never widened`() throws
  {
    let wire = WireWalk.self
    func selector(_ trip: [UInt8]) -> [UInt8] { wire.block(5, wire.block(4, trip)) }
    func alert(_ id: String, _ selectors: [UInt8]) -> [UInt8] {
      wire.block(2, wire.text(1, id) + wire.block(5, selectors))
    }
    let good = selector(wire.text(1, "T") + wire.text(2, "08:00:00") + wire.text(3, "20261124"))
    let header = wire.block(1, wire.text(1, "2.0"))
    for (field, text, name) in [
      (2, "soon", "start_time"), (2, "8h", "start_time"), (3, "20260230", "start_date"),
      (3, "tomorrow", "start_date"),
    ] as [(UInt32, String, String)] {
      let bad = selector(wire.text(1, "T") + wire.text(field, text))
      let feed = try AlertFeed(
        protobuf: header + alert("kept", bad + good + bad) + alert("gone", bad)
      )
      let kept = try #require(feed.alerts.first)
      #expect(feed.alerts.count == 1)
      #expect(kept.informedEntities.map { $0.trip?.startTime } == [28_800])
      #expect(feed.counters.used == 1)
      #expect(feed.counters.rejectedSelectors == 2)
      #expect(
        feed.counters.selectorRejections.map(\.path)
          == [0, 2].map {
            "entity[0].alert.informed_entity[\($0)].trip.\(name)"
          }
      )
      // An alert of which nothing is left is counted as an entity, once.
      #expect(feed.counters.rejectedTotal == 1)
      #expect(feed.counters.rejections.map(\.index) == [1])
      #expect(feed.counters.total == 2)
    }
  }

  @Test func `no mutation of an alert feed traps, and sound alerts stay`() throws {
    var generator = SplitMix64(seed: 5)
    var survived = 0
    for round in 0..<5_000 as Range<UInt64> {
      var random = RandomFeed(seed: round % 20)
      let message = random.feed(entities: 5)
      let mutated = generator.mutated(try message.serializedBytes() as [UInt8])
      guard let feed = try? AlertFeed(protobuf: mutated) else { continue }
      if feed.counters.rejectedTotal > 0 { survived += feed.alerts.count }
      #expect(feed.alerts.count == feed.counters.used)
    }
    #expect(survived > 0)
  }
}
