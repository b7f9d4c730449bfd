import ConditionalHTTP
import EventFeed
import Foundation
import Freshness
import FreshnessRuntime
import HTTPTypes

/// Any document on the web as a resource.
struct WatchedDocument: FreshResource {
  /// The request, with the fields that the user gave.
  let question: HTTPRequest
  /// The constants.
  let constants: Policy
  /// The request that opens an event stream about the document, if there is one.
  let events: HTTPRequest?

  var policy: Policy? { constants }

  func request(since known: DocumentCopy?) -> HTTPRequest { question }

  func read(
    _ answer: HTTPExchangeAnswer,
    since known: DocumentCopy?
  ) throws(UnreadableAnswer) -> Reading<DocumentCopy> {
    let type = answer.head.headerFields[.contentType] ?? ""
    let copy = DocumentCopy(
      bytes: answer.body,
      type: type,
      entityTag: answer.head.headerFields[.eTag]
    )
    // A body that claims to be JSON but is not valid would be shown as a change, and as another one
    // later.
    if copy.isJSON {
      do {
        _ = try JSONSerialization.jsonObject(with: Data(answer.body), options: .fragmentsAllowed)
      } catch {
        let place = (error as NSError).userInfo[NSDebugDescriptionErrorKey] as? String
        // Valid, but beyond what the platform's parser supports: compared as text.
        let isBeyond = ["representable", "nested"].contains { place?.contains($0) == true }
        guard !isBeyond else { return Reading(copy) }
        let detail = place.map { ": \($0.prefix(200))" } ?? ""
        throw UnreadableAnswer("the Content-Type is JSON, but the body is not valid JSON\(detail)")
      }
    }
    return Reading(copy)
  }

  /// Reads the `x-md-rt-…` fields of Freshet's servers.
  func metadata(of head: HTTPResponse) -> FreshnessMetadata? {
    FreshnessMetadata(fields: head.headerFields)
  }

  /// Reads the `x-md-rt-…` fields of Freshet's servers.
  func hints(of head: HTTPResponse) -> Hints? { Hints(fields: head.headerFields) }

  func eventStream() -> HTTPRequest? { events }
}

/// A body as received.
struct DocumentCopy: Equatable, Sendable {
  /// The body.
  var bytes: [UInt8]
  /// The media type as given in the response.
  var type: String
  /// The entity tag as given in the response.
  var entityTag: String?

  /// Whether the media type means JSON (RFC 8259, RFC 6838 section 4.2.8).
  var isJSON: Bool {
    let essence = type.lowercased().prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces)
    return essence == "application/json" || essence.hasSuffix("+json")
  }

  /// The body as text, if it is valid UTF-8 without NUL.
  var text: String? {
    guard !bytes.contains(0) else { return nil }
    return String(validating: bytes, as: UTF8.self)
  }

  /// Returns whether the bodies are equal; a change of the tag alone is not a change.
  static func == (left: DocumentCopy, right: DocumentCopy) -> Bool { left.bytes == right.bytes }
}
