import Testing

@testable import PostgresClient

@Suite struct `Connection strings` {
  @Test func `no description has the password`() throws {
    let address = try PostgresAddress(
      "postgres://ann:s3cr%25et@db.example:6432/freshet?sslmode=require"
    )
    #expect("\(address)" == "postgres://ann@db.example:6432/freshet")
    var dumped = ""
    dump(address, to: &dumped)
    struct Holder { var address: PostgresAddress }
    for text in [
      "\(address)", String(reflecting: address), dumped, "\(Holder(address: address))",
      String(reflecting: Holder(address: address)),
    ] {
      #expect(!text.contains("s3cr"), "\(text)")
    }
  }

  @Test(
    arguments: [
      "", "host=x password=s3cr", "mysql://ann:s3cr@x/y", "postgres://ann:s3cr%zz@x/y",
      "postgres://ann:s3cr@x/y?passwrd=s3cr", "postgres://ann:s3cr@[::1/y",
      "postgres://ann:s3cr/et@x/y", "postgres://ann:12/s3cr@x/y", "postgres://ann:a@s3cr@x/y",
      "postgres://ann:s3cr@x:99999/y",
    ]
  )
  func `what is not valid is refused without being repeated`(text: String) {
    let error = #expect(throws: PostgresAddress.Invalid.self) { try PostgresAddress(text) }
    #expect(error?.description.contains("expected postgres://user@host") == true)
    #expect(error?.description.contains("s3cr") == false)
  }

  @Test func `a word that libpq does not know for the encryption is refused`() throws {
    for mode in ["verify", "Require", ""] {
      let error = #expect(throws: PostgresAddress.Invalid.self) {
        try PostgresAddress("postgres://ann:s3cr@x/y?sslmode=\(mode)")
      }
      #expect(
        error?.description
          == "sslmode is one of disable, allow, prefer, require, verify-ca, verify-full"
      )
    }
    #expect("\(try PostgresAddress("postgres://x/y?sslmode=verify-ca"))" == "postgres://x/y")
  }

  @Test func `both schemes are accepted, with sockets and several hosts`() throws {
    #expect("\(try PostgresAddress("postgresql:///x?host=/run/pg"))" == "postgres:///run/pg/x")
    #expect("\(try PostgresAddress("postgres://a:1,b:2/x"))" == "postgres://a:1,b:2/x")
  }

  @Test
  func `several hosts are tried one after the other, each with its port and a time of its own`()
    throws
  {
    let both = try PostgresAddress("postgres://ann:s3cr@a:1,b:2/x?connect_timeout=2")
    #expect(
      both.places.map(\.options) == [["host": "a", "port": "1"], ["host": "b", "port": "2"]]
    )
    #expect(both.places.map(\.display) == ["postgres://ann@a:1/x", "postgres://ann@b:2/x"])
    #expect(both.timeout == 2)
    let same = try PostgresAddress("postgres:///x?host=a,b&hostaddr=127.0.0.1,127.0.0.2&port=7")
    #expect(
      same.places.map(\.options) == [
        ["host": "a", "hostaddr": "127.0.0.1", "port": "7"],
        ["host": "b", "hostaddr": "127.0.0.2", "port": "7"],
      ]
    )
    for (text, ports) in [
      ("postgres://a,b/x", ["5432", "5432"]), ("postgres://a:1,b/x", ["1", "5432"]),
      ("postgres://a,b:1/x", ["5432", "1"]),
    ] {
      #expect(try PostgresAddress(text).places.map { $0.options["port"] } == ports)
    }
    #expect(throws: PostgresAddress.Invalid.self) {
      try PostgresAddress("postgres:///x?host=a,b&hostaddr=127.0.0.1,")
    }
    // What names one server is left to libpq.
    #expect(try PostgresAddress("postgres://a:1/x").places.map(\.options) == [[:]])
    #expect(try PostgresAddress("postgres:///x").places.map(\.options) == [[:]])
  }

  @Test func `no description moves the cursor of a terminal`() throws {
    let text = "\(try PostgresAddress("postgres://a/x%0A%1b[31m%E2%80%AEy"))"
    #expect(text == "postgres://a/x\u{FFFD}\u{FFFD}[31m\u{FFFD}y")
  }
}
