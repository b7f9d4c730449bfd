import Foundation
import GTFSRealtime
import NIOCore
import Testing

@testable import StationboardServer

/// What people read of alerts: languages, text without mark-up, the JSON of the contract.
@Suite struct AlertTextTests {
  private let stage: AlertStage

  init() throws { stage = try AlertStage.open() }

  // MARK: Languages

  /// Texts that are their own language tags; "-" names no language.
  private func text(_ tags: String) -> TranslatedText {
    TranslatedText(
      tags.split(separator: " ").map {
        .init(text: "in \($0)", language: $0 == "-" ? nil : String($0))
      }
    )
  }

  @Test(
    arguments: [
      ("de fr-CH", "fr", "fr-CH"),
      ("de fr", "fr-CH", "fr"),
      ("fr-CH fr", "fr", "fr"),
      ("fr fr-CH", "fr-CH", "fr-CH"),
      ("FR_ch de", "fr", "FR_ch"),
      ("de it", "en", "de"),
      ("it fr", "es", "it"),
      ("it en", "de", "en"),
      ("it rm", "de", "it"),
      ("rm - es", "de", "-"),
      ("rm es", "de", "rm"),
      ("de - en", nil, "-"),
      ("de fr en it", nil, "en"),
      ("de fr it", nil, "de"),
      ("de fr en it", "it", "it"),
    ] as [(String, String?, String)]
  )
  func `language: exact, near, then untagged, then English, then first`(
    tags: String,
    asked: String?,
    expected: String
  ) throws {
    let alert = Alert("a", .init(stopID: "8501120")).with { $0.header = text(tags) }
    let banner = try #require(try banners([alert], asked).first)
    #expect(banner["header"] as? String == "in \(expected)")
    #expect(banner["language"] as? String == (expected == "-" ? nil : expected))
  }

  @Test(
    arguments: [
      ("de fr en", nil, "fr", "fr"), ("de en mi", "mi", "en", "mi"),
      ("de mi-NZ", nil, "mi", "mi-NZ"),
      ("de en", "fr", "en-NZ", "en"), ("de - en", "fr", "es", "-"), ("de en", nil, "mul", "en"),
    ] as [(String, String?, String, String)]
  )
  func `the language of the feed comes after the one asked for, before all others`(
    tags: String,
    asked: String?,
    feed: String,
    expected: String
  ) throws {
    var alert = Alert("a", .init(stopID: "8501120"))
    alert.header = text(tags)
    let members = AlertContent(alert, feedLanguage: feed).members(asked)
    #expect(String(decoding: members, as: UTF8.self).contains("\"header\":\"in \(expected)\""))
  }

  @Test func `an empty translation does not count`() throws {
    let alert = Alert("a", .init(stopID: "8501120")).with {
      $0.header = TranslatedText([
        .init(text: "<p> </p>", language: "fr"), .init(text: "Titel", language: "de"),
      ])
    }
    let banner = try #require(try banners([alert], "fr").first)
    #expect(banner["header"] as? String == "Titel")
  }

  @Test func `the text is in the language of the title where it can, and says if not`() throws {
    let alert = Alert("a", .init(stopID: "8501120")).with {
      $0.header = text("de it")
      $0.text = text("fr de")
    }
    let first = try #require(try banners([alert], "fr").first)
    #expect(first["header"] as? String == "in de")
    #expect(first["description"] as? String == "in de")
    #expect(first["descriptionLanguage"] == nil)
    let second = try #require(
      try banners([alert.with { $0.header = text("it") }], "it").first
    )
    #expect(second["language"] as? String == "it")
    #expect(second["description"] as? String == "in fr")
    #expect(second["descriptionLanguage"] as? String == "fr")
  }

  // MARK: Mark-up

  @Test(arguments: [
    ("<p>One</p><p>Two</p>", "One\nTwo"),
    ("One<br>Two<BR/>Three", "One\nTwo\nThree"),
    ("a <b>bold</b> word", "a bold word"),
    ("<a href=\"https://x.ch\">here</a>", "here"),
    ("<script>alert(1)</script>Text<style>p{}</style>", "Text"),
    ("<script>never closed", ""),
    ("a < b and 3<4, x<y>z", "a < b and 3<4, xz"),
    ("<!-- note -->Text", "Text"),
    ("unclosed <b tag", "unclosed <b tag"),
    ("Caf&eacute; &amp; &#66;ar &#x2013; &nbsp; &unknown; & so", "Café & Bar – &unknown; & so"),
    ("&lt;b&gt;", "<b>"),
    ("&amp;lt;", "&lt;"),
    ("&#0;&#xD800;&#99999999;", "&#xD800;&#99999999;"),
    ("  many \t blanks \n\n\n lines  ", "many blanks\nlines"),
    ("bell\u{7}\u{1B}[0m", "bell[0m"),
    ("", ""),
    ("<", "<"),
    ("&", "&"),
  ])
  func `mark-up becomes text`(source: String, expected: String) {
    #expect(PlainText.read(source, limit: 1_000) == expected)
  }

  @Test func `a text too long is cut at a word and says so`() {
    #expect(PlainText.read("one two three", limit: 13) == "one two three")
    #expect(PlainText.read("one two three", limit: 12) == "one two…")
    #expect(PlainText.read(String(repeating: "x", count: 99), limit: 50).unicodeScalars.count == 50)
    #expect(PlainText.read("🚆🚆🚆🚆", limit: 3) == "🚆🚆…")
    let long = String(repeating: "word ", count: 5_000)
    let cut = PlainText.read(long, limit: AlertLimits.description)
    #expect(cut.unicodeScalars.count <= AlertLimits.description)
    #expect(cut.hasSuffix("word…"))
  }

  @Test(arguments: [
    ("https://x.ch/a?b=1", true), ("HTTP://x.ch", true), ("javascript:alert(1)", false),
    ("x.ch", false), ("https://", false), ("https://x.ch/a b", false), ("", false),
    ("https://x.ch/\u{7}", false), ("https://x.ch/" + String(repeating: "x", count: 3_000), false),
  ])
  func `an address is one of the web or none`(address: String, isShown: Bool) throws {
    let alert = Alert("a", .init(stopID: "8501120"))
      .with { $0.url = TranslatedText([.init(text: address, language: "de")]) }
    let banner = try #require(try banners([alert], "de").first)
    #expect(banner["url"] as? String == (isShown ? address : nil))
  }

  // MARK: JSON

  private func select(_ alerts: [Alert], _ language: String?) throws -> AlertSelection {
    AlertSelection(
      index: AlertIndex(alerts, stage.directory),
      stop: try stage.stop("Parent8501120"),
      rows: try stage.rows(),
      now: try epochSeconds("2026-02-24T07:00:00Z"),
      language: language
    )
  }

  private func banners(_ alerts: [Alert], _ language: String?) throws -> [[String: Any]] {
    let selection = try select(alerts, language)
    let written = try json { selection.writeBanners(&$0, prefix: "") }
    return try #require(written as? [[String: Any]])
  }

  @Test func `a banner has the members of the contract`() throws {
    let alert = Alert("a\"1", .init(stopID: "ch:1:sloid:1120")).with {
      $0.severity = .warning
      $0.effect = .stopMoved
      $0.cause = .construction
      $0.text = TranslatedText([.init(text: "Zeile 1\nZeile 2", language: "de")])
      $0.url = TranslatedText([.init(text: "https://x.ch")])
    }
    let selection = try select([alert], "de")
    let written = try json { selection.writeBanners(&$0, prefix: "ch:") }
    let expected: [[String: Any]] = [
      [
        "id": "ch:a\"1", "severity": "warning", "effect": "stop_moved", "cause": "construction",
        "header": "Titel a\"1", "description": "Zeile 1\nZeile 2", "url": "https://x.ch",
        "language": "de", "affected": ["stop_id": "ch:Parent8501120"],
      ]
    ]
    #expect(written as? NSArray == expected as NSArray)
  }

  @Test func `details and the image are in the language of the title, and of the web`() throws {
    func both(_ word: String) -> TranslatedText {
      TranslatedText([
        .init(text: "\(word) d", language: "de"), .init(text: "\(word) f", language: "fr"),
      ])
    }
    let alert = Alert("a", .init(stopID: "8501120")).with {
      $0.header = both("header")
      $0.causeDetail = both("<b>cause</b>")
      $0.effectDetail = TranslatedText([.init(text: "", language: "fr")])
      $0.image = TranslatedText([
        .init(text: "javascript:1", language: "fr"), .init(text: "https://x.ch/i.png"),
      ])
      $0.imageAlternative = both("image")
    }
    let banner = try #require(try banners([alert], "fr").first)
    #expect(banner["causeDetail"] as? String == "cause f")
    #expect(banner["effectDetail"] == nil)
    let image = try #require(banner["image"] as? [String: Any])
    #expect(image["url"] as? String == "https://x.ch/i.png")
    #expect(image["alternativeText"] as? String == "image f")
    let plain = try #require(
      try banners([Alert("a", .init(stopID: "8501120")).with { $0.header = both("h") }], "fr").first
    )
    #expect(plain["image"] == nil && plain["causeDetail"] == nil)
  }

  @Test func `affected is the selector that concerns the board, in the timetable's ids`() throws {
    func affected(_ selectors: EntitySelector...) throws -> NSDictionary? {
      let alert = Alert("a").with { $0.informedEntities = selectors }
      let selection = try select([alert], nil)
      let written = try json { selection.writeEntities(&$0, prefix: "") }
      return (written as? [[String: Any]])?.first?["affected"] as? NSDictionary
    }
    #expect(
      try affected(.init(stopID: "8501576"), .init(stopID: "8501120:0:2"))
        == ["stop_id": "8501120:0:2"]
    )
    #expect(
      try affected(.init(agencyID: "tl", routeType: 3)) == ["agency_id": "tl", "route_type": 3]
    )
    #expect(
      try affected(.init(routeID: "route-1", directionID: 1))
        == ["route_id": "route-1", "direction_id": 1]
    )
    #expect(
      try affected(.init(trip: .init(tripID: "bus1"))) == [
        "route_id": "route-1", "trip_id": "bus1",
      ]
    )
  }

  @Test func `departures and entities: the row's alerts, and each alert of the board once`() throws
  {
    let alerts = [
      try Alert("banner", .init(stopID: "8501120")).active(
        ("", "2026-02-24T08:00:00Z"),
        ("2026-02-25T07:00:00Z", "2026-02-25T08:00:00Z")
      ),
      Alert("row", .init(routeID: "route-1")),
    ]
    let selection = try select(alerts, "fr")
    let rows = try stage.rows()
    for (place, row) in rows.enumerated() {
      let written = try json { selection.writeAlerts(ofRow: place, &$0, prefix: "") }
      let ids = try #require(written as? [[String: Any]]).map { $0["id"] as? String }
      #expect(ids == (["bus1", "back1"].contains(stage.trip(row)) ? ["row"] : []))
    }
    let none = try json { selection.writeAlerts(ofRow: rows.count, &$0, prefix: "") }
    #expect(none as? NSArray == [])
    let entities = try #require(
      try json { selection.writeEntities(&$0, prefix: "") } as? [[String: Any]]
    )
    #expect(entities.map { $0["id"] as? String } == ["banner", "row"])
    #expect(
      entities[0]["activePeriods"] as? NSArray == [
        ["start": NSNull(), "end": "2026-02-24T08:00:00Z"],
        ["start": "2026-02-25T07:00:00Z", "end": "2026-02-25T08:00:00Z"],
      ]
    )
    #expect(
      entities[1]["activePeriods"] as? NSArray == [["start": NSNull(), "end": NSNull()]]
    )
  }

  @Test func `without alerts every list is an empty array`() throws {
    let selection = try select([], "de")
    #expect(try json { selection.writeBanners(&$0, prefix: "") } as? NSArray == [])
    #expect(try json { selection.writeAlerts(ofRow: 0, &$0, prefix: "") } as? NSArray == [])
    #expect(try json { selection.writeEntities(&$0, prefix: "") } as? NSArray == [])
    #expect(selection.isEmpty && selection.nextChangeAt == nil)
  }

  @Test func `every severity, effect and cause has its word, unknown numbers that of none`() {
    #expect(AlertMessages.severity(.unknown(9)).name.description == "unknown_severity")
    #expect(AlertMessages.effect(.unknown(99)).name.description == "unknown_effect")
    #expect(AlertMessages.cause(.unknown(99)).description == "unknown_cause")
    let effects = (1...11).map { AlertMessages.effect(AlertEffect(number: $0)) }
    #expect(Set(effects.map(\.place)) == Set(0...10))
    #expect(Set(effects.map(\.name.description)).count == 11)
    #expect(
      Set((1...13).map { AlertMessages.cause(AlertCause(number: $0)).description }).count == 13
    )
    #expect(effects[0].name.description == "no_service")
  }

  @Test func `an end that no calendar can write is open in the answer`() throws {
    let alert = Alert("a", .init(stopID: "8501120")).with {
      $0.activePeriods = [ActivePeriod(start: 1, end: UInt64.max - 1)]
    }
    let selection = try select([alert], nil)
    let entities = try json { selection.writeEntities(&$0, prefix: "") } as? [[String: Any]]
    #expect(
      entities?.first?["activePeriods"] as? NSArray
        == [["start": "1970-01-01T00:00:01Z", "end": NSNull()]]
    )
    #expect(selection.nextChangeAt == Double(UInt64.max - 1))
  }
}
