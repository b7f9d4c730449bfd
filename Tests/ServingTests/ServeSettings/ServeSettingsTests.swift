import ServeSettings
import Testing

@Suite struct ServeSettingsTests {
  private func read(
    _ text: String,
    _ environment: [String: String] = [:]
  ) throws -> ServeSettings {
    try ServeSettings(Array(text.utf8), file: "f.json", environment: { environment[$0] })
  }

  private func problem(_ text: String, _ environment: [String: String] = [:]) -> String {
    do {
      _ = try read(text, environment)
      return "none"
    } catch {
      return "\(error)"
    }
  }

  @Test(
    arguments: [
      ("postgres://ann@db/x", false), ("postgres://ann:p@db/x", true),
      ("postgres://db:5432/x", false),
      ("postgresql:///x?password=p", true), ("postgres://ann:a@b@db/x", true),
    ]
  )
  func `A password in a database's address is a secret`(database: String, isSecret: Bool) throws {
    #expect(try read(#"{"jobs": {"database": "\#(database)"}}"#).holdsSecrets == isSecret)
    let shared = try read(#"{"database": "\#(database)"}"#)
    #expect(shared.holdsSecrets == isSecret)
    #expect(shared.database == database && shared.jobs == nil)
  }

  @Test func `The file of machines is read`() throws {
    #expect(try read(#"{"workspacesHub": "machines"}"#).workspacesHub == "machines")
    #expect(try read("{}").workspacesHub == nil)
    #expect(
      problem(#"{"workspacesHub": 1}"#)
        == "f.json: $.workspacesHub: expected a file, found a number"
    )
  }

  @Test func `Jobs and names are read`() throws {
    let settings = try read(
      """
      {"allowedHosts": ["books.example", "[::1]"], "jobs": {"folder": "j", "database": "postgres:///x", "running": 3, "keptSeconds": 60,
       "tokenSeconds": 70, "queryTokens": true, "bareIDs": true, "openLibrary": "https://openlibrary.org", "libraryOwner": "ann",
       "vision": "http://127.0.0.1:9/v1/books", "limits": {"csvRows": 5, "anything": 6}}}
      """
    )
    #expect(settings.allowedHosts == ["books.example", "[::1]"])
    #expect(settings.jobs?.folder == "j")
    #expect(settings.jobs?.database == "postgres:///x")
    #expect(settings.jobs?.running == 3)
    #expect(settings.jobs?.keptSeconds == 60)
    #expect(settings.jobs?.tokenSeconds == 70)
    #expect(settings.jobs?.queryTokens == true)
    #expect(settings.jobs?.bareIDs == true)
    #expect(settings.jobs?.limits == ["csvRows": 5, "anything": 6])
    #expect(settings.jobs?.openLibrary == "https://openlibrary.org")
    #expect(settings.jobs?.libraryOwner == "ann")
    #expect(settings.jobs?.vision == "http://127.0.0.1:9/v1/books")
    #expect(try read("{}").jobs == nil)
    let secure = try read(#"{"tls": {"certificate": "c.pem", "key": "k.pem", "hstsSeconds": 0}}"#)
    #expect(secure.tls?.certificate == "c.pem")
    #expect(secure.tls?.key == "k.pem")
    #expect(secure.tls?.hstsSeconds == 0)
    #expect(try read(#"{"limits": {"connections": 5}}"#).limits == ["connections": 5])
    #expect(try read("{}").limits.isEmpty)
    #expect(try read(#"{"jobs": {}}"#).jobs?.folder == nil)
  }

  @Test(arguments: [
    (#"{"allowedHosts": ["a:80"]}"#, "$.allowedHosts[0]"),
    (#"{"allowedHosts": ["http://a"]}"#, "$.allowedHosts[0]"),
    (#"{"tls": {"hstsSeconds": 63072001}}"#, "$.tls.hstsSeconds"),
    (#"{"shutdown": {"drainSeconds": 601}}"#, "$.shutdown.drainSeconds"),
    (#"{"operatorTokenFile": ""}"#, "$.operatorTokenFile"),
    (#"{"trustedProxies": [""]}"#, "$.trustedProxies[0]"),
    (#"{"forwardedField": "x-real-ip"}"#, "$.forwardedField"),
    (#"{"tls": {"cert": "c.pem"}}"#, "$.tls.cert"),
    (#"{"jobs": []}"#, "$.jobs"), (#"{"jobs": {"folder": ""}}"#, "$.jobs.folder"),
    (#"{"jobs": {"running": 0}}"#, "$.jobs.running"),
    (#"{"jobs": {"keptSeconds": 31536001}}"#, "$.jobs.keptSeconds"),
    (#"{"jobs": {"queryTokens": 1}}"#, "$.jobs.queryTokens"),
    (#"{"jobs": {"openLibrary": "openlibrary.org"}}"#, "$.jobs.openLibrary"),
    (#"{"jobs": {"openLibrary": "https://openlibrary.org/x"}}"#, "$.jobs.openLibrary"),
    (#"{"jobs": {"vision": "vision.example"}}"#, "$.jobs.vision"),
    (#"{"jobs": {"vision": "https:///books"}}"#, "$.jobs.vision"),
    (#"{"jobs": {"vision": "https://me@vision.example"}}"#, "$.jobs.vision"),
    (#"{"jobs": {"runing": 1}}"#, "$.jobs.runing"),
    (#"{"jobs": {"limits": {"csvRows": 0}}}"#, "$.jobs.limits.csvRows"),
    (#"{"jobs": {"limits": 1}}"#, "$.jobs.limits"),
    (#"{"limits": {"connections": 0}}"#, "$.limits.connections"), (#"{"limits": []}"#, "$.limits"),
  ])
  func `What is wrong with jobs is named`(_ text: String, _ place: String) {
    #expect(problem(text).hasPrefix("f.json: \(place): expected"))
  }

  @Test func `A whole configuration is read, with secrets from the environment`() throws {
    let settings = try read(
      """
      {"host": "::1", "port": 0, "data": "d", "allowedOrigins": ["https://example.org"],
       "logLevel": "debug", "logFormat": "json", "feeds": [
        {"tripUpdates": "https://example.org/t.pb", "headers": {"Authorization": {"env": "KEY"}}},
        {"prefix": "bus", "alerts": "alerts.pb", "headers": {"X-Plain": "1"}}]}
      """,
      ["KEY": "Bearer abc"]
    )
    #expect(settings.host == "::1")
    #expect(settings.port == 0)
    #expect(settings.data == "d")
    #expect(settings.allowedOrigins == ["https://example.org"])
    #expect(settings.logLevel == "debug")
    #expect(settings.logFormat == "json")
    #expect(settings.feeds.map(\.prefix) == ["", "bus"])
    #expect(settings.feeds[0].headers.map(\.value) == ["Bearer abc"])
    #expect(settings.feeds[1].alerts.map(\.address) == ["alerts.pb"])
    #expect(!settings.holdsSecrets)
  }

  @Test func `Several sources of a feed are read, each with its own rhythm and fields`() throws {
    let settings = try read(
      """
      {"feeds": [{"tripUpdates": ["a.pb", {"source": "https://example.org/b", "pollSeconds": 30,
        "headers": {"X-Key": "1"}}], "alerts": {"source": "c.pb"}, "headers": {"Accept": "x"}}]}
      """
    )
    let feed = settings.feeds[0]
    #expect(feed.tripUpdates.map(\.address) == ["a.pb", "https://example.org/b"])
    #expect(feed.tripUpdates.map(\.pollSeconds) == [nil, 30])
    #expect(feed.tripUpdates.map { $0.headers.map(\.name) } == [[], ["X-Key"]])
    #expect(
      feed.tripUpdates.map(\.place) == ["$.feeds[0].tripUpdates[0]", "$.feeds[0].tripUpdates[1]"]
    )
    #expect(feed.alerts.map(\.address) == ["c.pb"])
    #expect(settings.holdsSecrets)
  }

  @Test func `What is not said is nothing`() throws {
    let settings = try read("{}")
    #expect(settings.host == nil && settings.port == nil && settings.feeds.isEmpty)
  }

  @Test(arguments: [
    ("{\"prot\": 1}", "f.json: $.prot: expected one of"),
    ("{\"port\": \"80\"}", "f.json: $.port: expected a whole number, 0 to 65535, found a string"),
    ("{\"port\": 65536}", "$.port: expected a whole number, 0 to 65535, found 65536"),
    ("{\"logLevel\": \"loud\"}", "$.logLevel: expected trace,"),
    ("{\"logFormat\": \"xml\"}", "$.logFormat: expected text, json"),
    ("{\"allowedOrigins\": [\"https://a.b\", \"*\"]}", "$.allowedOrigins[1]: expected an origin"),
    ("{\"feeds\": {}}", "$.feeds: expected a list, found an object"),
    ("{\"feeds\": [1]}", "$.feeds[0]: expected an object"),
    ("{\"feeds\": [{}]}", "$.feeds[0]: expected static, tripUpdates, vehiclePositions or alerts"),
    ("{\"feeds\": [{\"static\": \"ftp://a\"}]}", "$.feeds[0].static: expected an address"),
    (
      "{\"feeds\": [{\"static\": \"http://a\", \"checkSeconds\": 299}]}",
      "$.feeds[0].checkSeconds: expected a whole number, 300 to 604800"
    ),
    (
      "{\"feeds\": [{\"alerts\": \"a\", \"maxLostPercent\": 5}]}",
      "$.feeds[0].static: expected an address"
    ),
    (
      "{\"feeds\": [{\"alerts\": \"a\", \"maxRejectedPercent\": 5}]}",
      "$.feeds[0].static: expected an address"
    ),
    (
      "{\"feeds\": [{\"static\": \"http://a\", \"maxRejectedPercent\": 101}]}",
      "$.feeds[0].maxRejectedPercent: expected a whole number, 0 to 100"
    ),
    (
      "{\"feeds\": [{\"tripUpdates\": \"a\", \"leastMatchedPercent\": 101}]}",
      "$.feeds[0].leastMatchedPercent: expected a whole number, 0 to 100"
    ),
    (
      "{\"feeds\": [{\"alerts\": \"a\", \"leastMatchedPercent\": 5}]}",
      "$.feeds[0].tripUpdates: expected an address"
    ),
    ("{\"feeds\": [{\"alerts\": []}]}", "$.feeds[0].alerts: expected 1 to 32 elements, found 0"),
    ("{\"feeds\": [{\"alerts\": [\"a\", 1]}]}", "$.feeds[0].alerts[1]: expected an address"),
    ("{\"feeds\": [{\"alerts\": [\"a\", \"a\"]}]}", "$.feeds[0].alerts: expected another source"),
    ("{\"feeds\": [{\"alerts\": {}}]}", "$.feeds[0].alerts.source: expected an address"),
    (
      "{\"feeds\": [{\"alerts\": {\"source\": \"a\", \"pollSeconds\": 14}}]}",
      "$.feeds[0].alerts.pollSeconds: expected a whole number, 15 to 3600"
    ),
    (
      "{\"feeds\": [{\"alerts\": {\"source\": \"a\", \"every\": 5}}]}",
      "$.feeds[0].alerts.every: expected one of"
    ),
    ("{\"feeds\": [{\"alerts\": 7}]}", "$.feeds[0].alerts: expected an address"),
    ("{\"feeds\": [{\"alerts\": \"a\", \"alert\": \"b\"}]}", "$.feeds[0].alert: expected one of"),
    (
      "{\"feeds\": [{\"alerts\": \"a\"}, {\"alerts\": \"b\"}]}",
      "$.feeds[1]: expected another prefix"
    ),
    (
      "{\"feeds\": [{\"alerts\": \"a\", \"prefix\": \"a b\"}]}",
      "$.feeds[0].prefix: expected letters"
    ),
    ("{\"port\": 1, \"port\": 2}", "f.json:1:"), ("{\"port\": 1", "f.json:1:"),
    ("[]", "f.json: $: an object is expected, not a list"),
  ])
  func `What is wrong is named with file, place and what is expected`(text: String, says: String) {
    #expect(problem(text).contains(says), "\(problem(text))")
  }

  @Test func `No error and no description shows a secret`() throws {
    let secret = "s3cr3t"
    for value in [
      "\"\(secret)\\n\"", "[\"\(secret)\"]", "{\"env\": \"NONE\", \"or\": \"\(secret)\"}",
    ] {
      let text = problem(
        "{\"feeds\": [{\"alerts\": \"a\", \"headers\": {\"Authorization\": \(value)}}]}"
      )
      #expect(text.contains("$.feeds[0].headers.Authorization"), "\(text)")
      #expect(!text.contains(secret))
    }
    let unset = problem(
      "{\"feeds\": [{\"alerts\": \"a\", \"headers\": {\"Authorization\": {\"env\": \"NONE\"}}}]}"
    )
    #expect(unset.contains("NONE"))
    let settings = try read(
      "{\"feeds\": [{\"alerts\": \"a\", \"headers\": {\"authorization\": \"\(secret)\"}}]}"
    )
    #expect(settings.holdsSecrets)
    var dumped = ""
    dump(settings, to: &dumped)
    #expect(!dumped.contains(secret) && !"\(settings)".contains(secret))
  }
}
