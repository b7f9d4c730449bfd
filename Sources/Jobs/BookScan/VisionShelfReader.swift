import Books
package import ConditionalHTTP
import Foundation
import HTTPTypes
import StrictJSON

/// Asks a service with a vision model which books are in a photo.
///
/// The request is `POST`, `application/json`:
///
/// ```json
/// {"version": 1, "task": "find_books", "mostBooks": 200,
///  "photo": {"mediaType": "image/jpeg", "width": 4032, "height": 3024, "data": "<base64>"}}
/// ```
///
/// The answer:
///
/// ```json
/// {"model": "name of the model",
///  "books": [{"title": "Dune", "author": "Frank Herbert", "isbn": "9780441013593", "confidence": 0.93,
///             "boundingBox": {"x": 0.1, "y": 0.2, "width": 0.05, "height": 0.6}}]}
/// ```
///
/// Only a title or an ISBN is needed of a book. The reader takes what services make of this: the list by itself or as
/// `items`, `results` or `data`; `authors` as a list; numbers as text; percent; boxes as
/// `x1`, `y1`, `x2`, `y2`. A book that has neither title nor ISBN is passed and counted. A confidence that is missing
/// or 0 stays unknown: it is never made up.
package struct VisionShelfReader: ShelfReader {
  /// How the service is asked.
  package struct Settings: Hashable, Sendable {
    /// The service, with the path that takes photos.
    package var service: HTTPAddress
    /// Sent as `Authorization: Bearer`; `nil` for none.
    package var token: String?
    /// The longest wait for an answer.
    package var timeout = Duration.seconds(120)
    /// How often a photo is sent at most.
    package var attempts = 3
    /// The pause before the second attempt; it doubles from then on.
    package var firstPause = Duration.seconds(1)
    /// The longest pause before a retry, including one requested by the server.
    package var longestPause = Duration.seconds(30)

    /// Names a service.
    package init(service: HTTPAddress) { self.service = service }
  }

  /// The largest answer that is read, in bytes.
  package static let longestAnswer = 4 << 20

  /// What reports call it.
  package let name = "vision"

  private let exchange: any HTTPSending
  private let settings: Settings
  private let limits: ScanLimits

  /// Creates a reader.
  package init(
    exchange: any HTTPSending,
    settings: Settings,
    limits: ScanLimits = ScanLimits()
  ) {
    self.exchange = exchange
    self.settings = settings
    self.limits = limits
  }

  /// Sends the photo and reads the answer.
  package func read(_ photo: Photo) async throws -> Sightings {
    // The place and the camera are private.
    let picture = try PhotoContent.picture(of: photo.bytes, photo.header, limits)
    let content = JSONValue.object([
      "version": .whole(1), "task": .string("find_books"), "mostBooks": .whole(Int64(limits.books)),
      "photo": .object([
        "mediaType": .string(photo.header.mediaType),
        "width": .whole(Int64(photo.header.width)), "height": .whole(Int64(photo.header.height)),
        "data": .string(Data(picture).base64EncodedString()),
      ]),
    ]).bytes
    var pause = settings.firstPause
    for attempt in 1... {
      var failure: ScanError
      var retryDelay: Duration?
      do {
        let answer = try await exchange.send(request, content: content, timeout: settings.timeout)
        switch answer.head.status.code {
        case 200..<300: return try sightings(in: answer.body)
        case 429, 500...:
          let now = Int64(Date().timeIntervalSince1970 * 1_000)
          retryDelay = RetryAfter.delay(in: answer.head.headerFields, now: now, limit: 86_400_000)
            .map { .milliseconds($0) }
          failure = ScanError(
            .unavailable,
            "\(settings.service.authority) answers with \(answer.head.status.code)"
          )
        default:
          throw ScanError(
            .unavailable,
            "\(settings.service.authority) refuses the photo with \(answer.head.status.code)"
          )
        }
      } catch let error as HTTPExchangeError {
        switch error.code {
        case .cancelled: throw CancellationError()
        case .timedOut:
          failure = ScanError(.timedOut, "\(settings.service.authority) did not answer in time")
        case .tooLarge:
          throw ScanError(.unreadable, "the answer of \(settings.service.authority) is too large")
        case .unreachable:
          failure = ScanError(.unavailable, "\(settings.service.authority) cannot be reached")
        }
      }
      let rest = retryDelay ?? pause
      failure.passesSoon = rest <= Self.soon
      guard attempt < settings.attempts, rest <= settings.longestPause else { throw failure }
      try await Task.sleep(for: rest)
      pause = min(pause * 2, settings.longestPause)
    }
    throw ScanError(.unavailable, "never asked")
  }

  /// The longest `Retry-After` that is waited for.
  private static let soon = Duration.seconds(60)

  private var request: HTTPRequest {
    var request = settings.service.request(
      "",
      method: .post,
      fields: [.contentType: "application/json", .accept: "application/json"]
    )
    if let token = settings.token { request.headerFields[.authorization] = "Bearer " + token }
    return request
  }

  /// The books of an answer.
  func sightings(in body: [UInt8]) throws -> Sightings {
    guard body.count <= Self.longestAnswer else {
      throw ScanError(.unreadable, "the answer of \(settings.service.authority) is too large")
    }
    let value: JSONValue
    do {
      value = try JSONReader.value(of: body, rules: .lenient)
    } catch {
      throw ScanError(
        .unreadable,
        "the answer is not valid JSON: line \(error.line), \(error.problem)"
      )
    }
    let names = ["books", "items", "results", "data", "detections"]
    let list =
      value.list ?? names.lazy.compactMap { value[$0]?.list }.first
      ?? names.lazy.compactMap { value["data"]?[$0]?.list ?? value["result"]?[$0]?.list }.first
    guard let list else {
      throw ScanError(.unreadable, "the answer has no list \"books\"")
    }
    let books = list.compactMap(Self.sighting)
    let passed = list.count - books.count
    var notes: [String] = []
    if passed > 0 { notes.append("\(passed) of \(list.count) books have neither title nor ISBN") }
    if books.count > limits.books { notes.append("only the first \(limits.books) books are kept") }
    let model =
      value["model"]?.string ?? value["modelUsed"]?.string
      ?? value["metadata"]?["modelUsed"]?.string
    return Sightings(
      books: Array(books.prefix(limits.books)),
      readBy: model ?? "unknown model",
      notes: notes
    )
  }

  private static func sighting(_ value: JSONValue) -> Sighting? {
    func text(_ names: String...) -> String? {
      for name in names {
        if let text = value[name]?.string { return text.isEmpty ? nil : text }
        if let first = value[name]?.list?.first?.string, !first.isEmpty { return first }
      }
      return nil
    }
    let title = text("title", "name")
    let isbn = text("isbn", "isbn13", "isbn_13", "isbns", "isbn10").flatMap { ISBN($0) }
    guard title != nil || isbn != nil else { return nil }
    var confidence = number(value["confidence"] ?? value["score"])
    if let given = confidence {
      // Some services write percent. Zero is what many write when they do not know.
      confidence = given <= 0 || given > 100 ? nil : given > 1 ? given / 100 : given
    }
    return Sighting(
      isbn == nil ? .title : .isbn,
      title: title.map(CellText.onOneLine) ?? "",
      author: text("author", "authors").map(CellText.onOneLine),
      isbn: isbn,
      confidence: confidence,
      box: box(value["boundingBox"] ?? value["bounding_box"] ?? value["box"])
    )
  }

  private static func number(_ value: JSONValue?) -> Double? {
    let number = value?.double ?? value?.string.flatMap { Double($0) }
    return number.flatMap { $0.isFinite ? $0 : nil }
  }

  private static func box(_ value: JSONValue?) -> Sighting.Box? {
    guard let value else { return nil }
    func part(_ name: String) -> Double? { number(value[name]) }
    if let left = part("x1"), let top = part("y1"), let right = part("x2"), let bottom = part("y2")
    {
      return inside(left, top, right - left, bottom - top)
    }
    guard let left = part("x"), let top = part("y"), let width = part("width"),
      let height = part("height")
    else { return nil }
    return inside(left, top, width, height)
  }

  /// A box whose numbers are parts of the photo; others say nothing that can be shown.
  private static func inside(
    _ x: Double,
    _ y: Double,
    _ width: Double,
    _ height: Double
  ) -> Sighting.Box? {
    guard 0...1 ~= x, 0...1 ~= y, width > 0, height > 0, x + width <= 1.001, y + height <= 1.001
    else { return nil }
    return Sighting.Box(x: x, y: y, width: width, height: height)
  }
}
