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

  @Test func `both schemes are accepted, with sockets and several hosts`() throws {
    #expect("\(try PostgresAddress("postgresql:///x?host=/run/pg"))" == "postgres:///run/pg/x")
    #expect("\(try PostgresAddress("postgres://a:1,b:2/x"))" == "postgres://a,b:1,2/x")
  }
}
