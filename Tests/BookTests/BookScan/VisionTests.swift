import Books
import ConditionalHTTP
import Foundation
import HTTPTypes
import Synchronization
import Testing

@testable import BookScan

@Suite struct VisionTests {
  /// Answers requests from a list and keeps what was sent.
  final class Script: HTTPSending {
    struct Sent: Sendable {
      var request: HTTPRequest
      var content: [UInt8]
    }

    private let answers: Mutex<[Result<HTTPExchangeAnswer, HTTPExchangeError>]>
    let sent = Mutex<[Sent]>([])

    init(_ answers: [Result<HTTPExchangeAnswer, HTTPExchangeError>]) {
      self.answers = Mutex(answers)
    }

    func send(
      _ request: HTTPRequest,
      content: [UInt8],
      timeout: Duration
    ) async throws(HTTPExchangeError) -> HTTPExchangeAnswer {
      sent.withLock { $0.append(Sent(request: request, content: content)) }
      let answer = answers.withLock { $0.isEmpty ? nil : $0.removeFirst() }
      guard let answer else { throw HTTPExchangeError(.unreachable, "no more answers") }
      return try answer.get()
    }

    var count: Int { sent.withLock { $0.count } }
  }

  static func answer(
    _ status: Int,
    _ body: String = "{}",
    fields: HTTPFields = [:]
  ) -> Result<HTTPExchangeAnswer, HTTPExchangeError> {
    .success(
      HTTPExchangeAnswer(
        head: HTTPResponse(status: .init(code: status), headerFields: fields),
        body: Array(body.utf8)
      )
    )
  }

  static func reader(_ script: Script) throws -> VisionShelfReader {
    let service = try HTTPAddress("https://vision.example/v1/books")
    var settings = VisionShelfReader.Settings(service: service)
    settings.token = "secret"
    settings.firstPause = .milliseconds(1)
    return VisionShelfReader(exchange: script, settings: settings)
  }

  static func books(_ text: String) throws -> [Sighting] {
    try reader(Script([])).sightings(in: Array(text.utf8)).books
  }

  static let photo = try? Photo(PhotoContentTests.png(640, 480))

  @Test func `the request is as documented`() async throws {
    let script = Script([Self.answer(200, "{\"model\":\"m\",\"books\":[{\"title\":\"Dune\"}]}")])
    let sightings = try await Self.reader(script).read(#require(Self.photo))
    #expect(sightings.readBy == "m")
    let sent = try #require(script.sent.withLock { $0.first })
    #expect(sent.request.method == .post)
    #expect(sent.request.path == "/v1/books")
    #expect(sent.request.headerFields[.authorization] == "Bearer secret")
    let content = try #require(
      JSONSerialization.jsonObject(with: Data(sent.content)) as? [String: Any]
    )
    let photo = try #require(content["photo"] as? [String: Any])
    #expect(content["task"] as? String == "find_books")
    #expect(photo["mediaType"] as? String == "image/png")
    #expect(photo["width"] as? Int == 640)
    let data = try #require((photo["data"] as? String).flatMap { Data(base64Encoded: $0) })
    #expect(Array(data) == PhotoContentTests.png(640, 480))
  }

  @Test func `books are read in every shape that services use`() throws {
    let whole = try Self.books(
      """
      {"books":[{"title":"Dune","author":"Frank Herbert","isbn":"978-0-441-01359-3","confidence":0.93,
       "boundingBox":{"x":0.1,"y":0.2,"width":0.05,"height":0.6}}]}
      """
    )
    #expect(whole[0].kind == .isbn)
    #expect(whole[0].isbn?.description == "9780441013593")
    #expect(whole[0].confidence == 0.93)
    #expect(whole[0].box == Sighting.Box(x: 0.1, y: 0.2, width: 0.05, height: 0.6))
    for text in [
      "[{\"title\":\"Dune\",\"authors\":[\"Frank Herbert\",\"X\"],\"confidence\":\"0.5\"}]",
      "{\"items\":[{\"name\":\"Dune\",\"author\":\"Frank Herbert\",\"score\":50}]}",
      "{\"data\":{\"books\":[{\"title\":\"Dune\",\"author\":\"Frank Herbert\",\"confidence\":0.5}]}}",
    ] {
      let books = try Self.books(text)
      #expect(books.map(\.title) == ["Dune"])
      #expect(books.map(\.author) == ["Frank Herbert"])
      #expect(books.map(\.confidence) == [0.5])
    }
    let corners = try Self.books(
      "{\"books\":[{\"title\":\"A\",\"bounding_box\":{\"x1\":0.25,\"y1\":0,\"x2\":0.5,\"y2\":1}}]}"
    )
    #expect(corners[0].box == Sighting.Box(x: 0.25, y: 0, width: 0.25, height: 1))
  }

  @Test(arguments: [
    "{\"title\":\"A\"}", "{\"title\":\"A\",\"confidence\":0}",
    "{\"title\":\"A\",\"confidence\":null}",
    "{\"title\":\"A\",\"confidence\":\"high\"}", "{\"title\":\"A\",\"confidence\":-1}",
    "{\"title\":\"A\",\"confidence\":1e400}",
    "{\"title\":\"A\",\"boundingBox\":{\"x\":900,\"y\":3,\"width\":5,\"height\":6}}",
  ])
  func `a confidence that is not said is not made up`(book: String) throws {
    let books = try Self.books("{\"books\":[\(book)]}")
    #expect(books.count == 1)
    #expect(books[0].confidence == nil)
    #expect(books[0].box == nil)
  }

  @Test func `a bad book does not cost the others`() throws {
    let text = "{\"books\":[{\"author\":\"X\"},7,null,{\"isbn\":\"123\"},{\"title\":\"Dune\"}]}"
    let sightings = try Self.reader(Script([])).sightings(in: Array(text.utf8))
    #expect(sightings.books.map(\.title) == ["Dune"])
    #expect(sightings.notes == ["4 of 5 books have neither title nor ISBN"])
    #expect(sightings.readBy == "unknown model")
  }

  @Test func `trouble that passes is asked through, other trouble is said`() async throws {
    let good = Self.answer(200, "{\"books\":[]}")
    let photo = try #require(Self.photo)
    let patient = Script([
      Self.answer(503), .failure(HTTPExchangeError(.unreachable, "gone")), good,
    ])
    #expect(try await Self.reader(patient).read(photo).books.isEmpty)
    #expect(patient.count == 3)
    func error(
      _ answers: [Result<HTTPExchangeAnswer, HTTPExchangeError>]
    ) async -> (ScanError?, Int) {
      let script = Script(answers)
      let error = await #expect(throws: ScanError.self) {
        try await Self.reader(script).read(photo)
      }
      return (error, script.count)
    }
    let refused = await error([Self.answer(401), good])
    #expect(refused.0?.code == .unavailable && refused.1 == 1)
    let later = await error([Self.answer(429, fields: [.retryAfter: "3600"]), good])
    #expect(later.0?.code == .unavailable && later.1 == 1)
    let always = await error([Self.answer(500), Self.answer(500), Self.answer(500), good])
    #expect(always.0?.code == .unavailable && always.1 == 3)
    let garbage = await error([Self.answer(200, "<html>"), good])
    #expect(garbage.0?.code == .unreadable && garbage.1 == 1)
    let other = await error([Self.answer(200, "{\"result\":7}"), good])
    #expect(other.0?.code == .unreadable)
    let slow = Array(
      repeating: Result<HTTPExchangeAnswer, HTTPExchangeError>.failure(.init(.timedOut, "slow")),
      count: 3
    )
    #expect(await error(slow).0?.code == .timedOut)
  }
}
