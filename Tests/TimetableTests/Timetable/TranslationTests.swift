import GTFS
import Testing
import Timetable

@Suite struct TranslationTests {
  private func feed(_ rows: String...) -> TestFeed {
    var feed = TestFeed()
    feed[.routes] = [
      "route_id,route_short_name,route_long_name,route_type", "R,1,,3", "Q,2,Ring,3", "P,3,Ring,3",
    ]
    feed.add(
      "T",
      [.init("A", "08:00:00"), .init("B", "08:10:00"), .init("C", "08:20:00")],
      headsign: "Chur"
    )
    feed.add("U", [.init("A", "09:00:00"), .init("C", "09:10:00")], headsign: "Oberland")
    feed.add("V", [.init("A", "09:00:00"), .init("C", "09:10:00")])
    feed.add("L", [.init("A", "09:00:00"), .init("C", "09:10:00")], route: "Q", headsign: "Aarau")
    feed.add("M", [.init("A", "09:00:00"), .init("C", "09:10:00")], route: "P", headsign: "Aarau")
    feed.add("H", [.init("A", "09:00:00", headsign: "via Bern"), .init("C", "09:10:00")])
    feed[.translations] =
      ["table_name,field_name,language,translation,record_id,record_sub_id,field_value"] + rows
    return feed
  }

  @Test func `stops are translated by value`() throws {
    let timetable = try feed("stops,stop_name,fr,Berne,,,Bern", "stops,stop_name,it,Berna,,,Bern")
      .timetable()
    #expect(try timetable.name("B", language: "fr") == "Berne")
    #expect(try timetable.name("B", language: "it") == "Berna")
    #expect(try timetable.name("B", language: "de") == "Bern")
    #expect(try timetable.name("B") == "Bern")
    #expect(try timetable.name("C", language: "fr") == "Chur")
  }

  @Test(arguments: [false, true])
  func `a translation by record comes before one by value`(isFirst: Bool) throws {
    let byRecord = "stops,stop_name,fr,Berne gare,B,,"
    let byValue = "stops,stop_name,fr,Berne,,,Bern"
    var feed = isFirst ? feed(byRecord, byValue) : feed(byValue, byRecord)
    feed[.stops].append("B2,Bern,46.9,7.4,,,")
    let timetable = try feed.timetable()
    #expect(try timetable.name("B", language: "fr") == "Berne gare")
    #expect(try timetable.name("B2", language: "fr") == "Berne")
  }

  @Test func `headsigns are translated by value, by record and as the stop they name`() throws {
    let timetable = try feed(
      "trips,trip_headsign,fr,Coire,,,Chur",
      "trips,trip_headsign,fr,Pays d'en haut,U,,",
      "stops,stop_name,it,Coira,,,Chur",
      "stop_times,stop_headsign,fr,par Berne,,,via Bern"
    )
    .timetable()
    #expect(try timetable.destination("T", language: "fr") == "Coire")
    #expect(try timetable.destination("T", language: "it") == "Coira")
    #expect(try timetable.destination("T") == "Chur")
    #expect(try timetable.destination("U", language: "fr") == "Pays d'en haut")
    #expect(try timetable.destination("U", language: "it") == "Oberland")
    #expect(try timetable.destination("V", language: "it") == "Coira")
    #expect(try timetable.destination("V", language: "fr") == "Chur")
    #expect(try timetable.destination("H", language: "fr") == "par Berne")
    #expect(try timetable.destination("H", language: "it") == "via Bern")
  }

  @Test func `names of lines are translated by record and by value`() throws {
    let timetable = try feed(
      "routes,route_long_name,fr,Ceinture,,,Ring",
      "routes,route_long_name,fr,Boucle,Q,,"
    )
    .timetable()
    #expect(try timetable.destination("L", language: "fr") == "Boucle")
    #expect(try timetable.destination("M", language: "fr") == "Ceinture")
    #expect(try timetable.destination("L") == "Ring")
  }

  @Test(arguments: [("fr", "Berne"), ("FR", "Berne"), ("fr-CH", "Berne"), ("Fr-cH", "Berne")])
  func `a language stands for its regions, in any case`(asked: String, name: String) throws {
    let timetable = try feed("stops,stop_name,fr-CH,Berne,,,Bern").timetable()
    #expect(try timetable.name("B", language: asked) == name)
    #expect(timetable.metadata.languages == ["fr-CH"])
  }

  @Test func `a language asked for exactly comes before its regions`() throws {
    let timetable = try feed(
      "stops,stop_name,fr-CH,Berne CH,,,Bern",
      "stops,stop_name,fr,Berne,,,Bern"
    )
    .timetable()
    #expect(try timetable.name("B", language: "fr") == "Berne")
    #expect(try timetable.name("B", language: "fr-CH") == "Berne CH")
    #expect(timetable.language("f") == nil)
    #expect(timetable.language("frr") == nil)
    #expect(timetable.language("") == nil)
  }

  @Test func `translations as they were written before 2020 are those of every field`() throws {
    var feed = feed()
    feed[.translations] = [
      "trans_id,lang,translation", "Bern,fr,Berne", "Chur,it,Coira", "via Bern,fr,par Berne",
      "Ring,fr,Ceinture", "nowhere,fr,Nulle part", "Bern,,Berne", ",fr,Rien",
    ]
    let imported = try feed.imported()
    let timetable = imported.timetable
    try timetable.check()
    #expect(try timetable.name("B", language: "fr") == "Berne")
    #expect(try timetable.name("B") == "Bern")
    #expect(try timetable.destination("T", language: "it") == "Coira")
    #expect(try timetable.destination("H", language: "fr") == "par Berne")
    #expect(try timetable.destination("M", language: "fr") == "Ceinture")
    #expect(timetable.metadata.languages == ["fr", "it"])
    #expect(imported.account(.translations)?.reasons.map(\.column) == ["lang", "trans_id"])
    #expect(imported.report.warnings.isEmpty)
  }

  @Test func `translations of records that do not exist are warned about and nothing else`() throws
  {
    let imported = try feed(
      "stops,stop_name,fr,Nulle part,nowhere,,",
      "agency,agency_name,fr,Frais,F,,",
      "stops,stop_name,fr,Berne,,,Bern"
    )
    .imported()
    #expect(imported.report.warnings.map(\.line) == [2])
    #expect(imported.report.warnings.first?.file == "translations.txt")
    #expect(imported.report.warnings.first?.column == "record_id")
    #expect(imported.report.warnings.first?.reason == "\"nowhere\" is not in the feed")
    #expect(imported.report.rejectedRows.isEmpty)
    #expect(try imported.timetable.name("B", language: "fr") == "Berne")
  }
}
