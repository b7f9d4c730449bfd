import Testing
import Timetable

@testable import StationboardServer

/// Lines and categories (research §5.6 and §3.5).
@Suite struct RouteLabelTests {
  @Test(arguments: [
    ("92-N1-H-j26-1", "N1"), ("92-N5-D-j26-1", "N5"), ("10-IC5-j26-1", "IC5"),
    ("91-009-K-j26-1", "9"), ("91-S03-Y-j26-2", "S3"), ("92-010B-0-j26-1", "10B"),
    ("ojp:920N2:G:H:j26", "N2"), ("ojp:92010:G:H:j26", "10"),
  ])
  func `a Swiss route id names its line`(id: String, line: String) {
    #expect(RouteLabel.label(inRouteId: id) == line)
  }

  @Test(arguments: ["route-foo", "EV1", "", "a-b-c-d", "1-2-3-4", "92--H-j26-1"])
  func `other ids name none`(id: String) {
    #expect(RouteLabel.label(inRouteId: id) == nil)
  }

  @Test(arguments: [
    ("IC1", 102, "IC", "1"), ("IR95", 103, "IR", "95"), ("S3", 109, "S", "3"),
    ("RE33", 2, "RE", "33"),
    ("RL5", 106, "R", "RL5"), ("TGV", 101, "TGV", ""), ("IC", 102, "IC", ""), ("9", 900, "T", "9"),
    ("m2", 401, "M", "m2"), ("21", 700, "B", "21"), ("EV1", 3, "B", "EV1"),
    ("IC5", 700, "B", "IC5"),
    ("3150", 1000, "BAT", "3150"), ("Pb", 1400, "FUN", "Pb"), ("Blue", 1, "M", "Blue"),
  ])
  func `the category is the kind of train or of vehicle`(
    name: String,
    type: Int,
    category: String,
    number: String
  ) {
    let label = RouteLabel(
      RouteDescription(id: "r", shortName: name, longName: "", agency: "", type: type)
    )
    #expect(label.line == name)
    #expect(label.category == category)
    #expect(label.number == number)
  }

  @Test(
    arguments: [
      (nil, "fr-CH, de;q=0.9", "fr"), ("de", "fr", "de"), ("DE-ch", nil, "de"), ("xx", "it", "it"),
      (nil, "es, pt", nil), (nil, nil, nil), (nil, "de;q=0.5, en;q=0.8", "en"),
      (nil, "en;q=0", nil),
      (nil, ";;,q=,,", nil),
    ] as [(String?, String?, String?)]
  )
  func `the parameter beats the header, the header's best known language wins`(
    parameter: String?,
    header: String?,
    language: String?
  ) {
    #expect(RequestLanguage.choose(parameter: parameter, acceptLanguage: header) == language)
  }
}
