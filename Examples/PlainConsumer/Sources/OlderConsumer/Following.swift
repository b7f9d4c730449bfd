import ConditionalHTTP
import Foundation
import FreshnessRuntime
import HTTPTypes

// The smallest product, in the language mode of Swift 5: a resource of its own.

struct Motd: FreshResource {
  var address: HTTPRequest
  func request(since known: String?) -> HTTPRequest { address }
  func read(
    _ answer: HTTPExchangeAnswer,
    since known: String?
  ) throws(UnreadableAnswer) -> Reading<String> {
    Reading(String(decoding: answer.body, as: UTF8.self))
  }
}

func follow(_ motd: Motd, with client: FreshnessClient) async {
  for await snapshot in client.snapshots(of: motd) {
    print(snapshot.value ?? "", snapshot.failure?.description ?? "")
  }
}
