import HTTPTypes
import Testing

@testable import WorkspacesServer

@Suite struct AccessTests {
  typealias Facts = WorkspaceAccess.Facts

  @Test(arguments: [
    ("localhost", true), ("LOCALHOST:80", true), ("127.0.0.1:9300", true), ("[::1]", true),
    ("[::1]:80", true), ("box", true), ("box:1", true), ("evil.example", false),
    ("127.0.0.1.evil.example", false), ("localhost.", false), ("localhost:x", false), ("", false),
    ("[::1", false), ("[::1]x", false), (":80", false), ("a@localhost", false),
    ("localhost:80:80", false),
  ])
  func `Only names of this server are answered`(_ host: String, _ isAllowed: Bool) {
    let access = WorkspaceAccess(token: nil, hosts: ["Box"])
    #expect((access.refusal(Facts(host: host)) == nil) == isAllowed)
  }

  @Test func `Without a Host nothing is answered, unless any will do`() {
    #expect(WorkspaceAccess(token: nil, hosts: []).refusal(Facts(host: nil)) == .host)
    #expect(WorkspaceAccess(token: nil, hosts: nil).refusal(Facts(host: nil)) == nil)
  }

  @Test(arguments: [
    ("http://localhost:80", true), ("https://localhost:80", true), ("https://app.example", true),
    ("null", false), ("http://localhost", false), ("http://127.0.0.1:80", false),
    ("http://localhost:80.evil.example", false), ("", false), ("HTTP://localhost:80", false),
  ])
  func `A page asks of its own origin, or of one that is allowed`(
    _ origin: String,
    _ isAllowed: Bool
  ) {
    let access = WorkspaceAccess(token: nil, hosts: [], origins: ["https://app.example"])
    let refusal = access.refusal(Facts(host: "localhost:80", origin: origin))
    #expect((refusal == nil) == isAllowed)
  }

  @Test func `A page that hides its origin is told by Sec-Fetch-Site`() {
    let access = WorkspaceAccess(token: nil, hosts: [])
    for site in ["cross-site", "same-site", "new-word"] {
      #expect(access.refusal(Facts(host: "localhost", site: site)) == .origin)
    }
    for site in ["same-origin", "none"] {
      #expect(access.refusal(Facts(host: "localhost", site: site)) == nil)
    }
  }

  @Test(arguments: [
    ("Bearer secret-secret", true), ("bearer secret-secret", true), ("Bearer secret-secreT", false),
    ("Bearer secret", false), ("Basic secret-secret", false), ("secret-secret", false),
    ("Bearer ", false), ("", false), ("Bearer  secret-secret", true),
    ("BEARER    secret-secret ", true), ("Bearer\tsecret-secret", false),
  ])
  func `The token is needed as it is`(_ field: String, _ isAllowed: Bool) {
    let access = WorkspaceAccess(token: "secret-secret", hosts: nil)
    let refusal = access.refusal(Facts(host: nil, authorization: field))
    #expect((refusal == nil) == isAllowed)
    #expect(access.refusal(Facts(host: nil)) == .token)
  }

  @Test func `The name of a codespace stands for the token where there is no other`() {
    let access = WorkspaceAccess(token: "secret-secret", hosts: nil)
    func refusal(_ codespace: String?, _ authorization: String? = nil) -> WorkspaceAccess.Refusal? {
      access.refusal(Facts(host: nil, authorization: authorization, codespace: codespace))
    }
    #expect(refusal("secret-secret") == nil)
    #expect(refusal("secret-secret", "Basic eDp5") == nil)
    #expect(refusal("any", "Bearer secret-secret") == nil)
    #expect(refusal("secret-secret", "Bearer wrong-wrong-1") == .token)
    #expect(refusal("any") == .token)
    #expect(refusal("") == .token)
  }

  @Test func `Two hosts are invalid, whether any will do or not`() throws {
    var request = HTTPRequest(method: .get, scheme: "http", authority: "localhost", path: "/")
    #expect(WorkspaceAccess(token: nil, hosts: []).refusal(Facts(request)) == nil)
    request.headerFields.append(
      HTTPField(name: try #require(HTTPField.Name("Host")), value: "evil.example")
    )
    #expect(WorkspaceAccess(token: nil, hosts: []).refusal(Facts(request)) == .hosts)
    #expect(WorkspaceAccess(token: nil, hosts: nil).refusal(Facts(request)) == .hosts)
  }
}
