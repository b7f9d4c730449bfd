import ConditionalHTTP
import FeedRecording
import HTTPTypes
import Synchronization

/// A replay with a manual clock: a sleeping task moves it to the end of its sleep.
final class ReplayStand: Sendable {
  /// The time, and what was reported.
  private final class Book: Sendable {
    let now: Mutex<Int64>
    let notices = Mutex<[FeedReplay.Notice]>([])

    init(_ start: Int64) { now = Mutex(start) }
  }

  /// Answers requests that are not part of the replay.
  private struct Elsewhere: HTTPExchange {
    func send(
      _ request: HTTPRequest,
      timeout: Duration
    ) async throws(HTTPExchangeError) -> HTTPExchangeAnswer {
      HTTPExchangeAnswer(head: HTTPResponse(status: .init(code: 418)), body: [])
    }
  }

  let replay: FeedReplay
  private let path: String
  private let book: Book

  init(_ path: String, from start: Int64, isLenient: Bool = false) throws {
    self.path = path
    let book = Book(start)
    self.book = book
    replay = FeedReplay(
      try FeedRecording.Reader(path: path, isLenient: isLenient),
      from: start,
      patience: { _ in 8_000 },
      time: FeedReplay.Time(
        now: { book.now.withLock { $0 } },
        sleep: { until in
          try Task.checkCancellation()
          book.now.withLock { $0 = max($0, until) }
        }
      ),
      arrivalField: .via,
      otherwise: Elsewhere(),
      // Longer than any test: on a busy machine fifty turns of a task may take ten seconds.
      longestTaking: .seconds(600),
      report: { notice in book.notices.withLock { $0.append(notice) } }
    )
  }

  var now: Int64 { book.now.withLock { $0 } }
  var notices: [FeedReplay.Notice] { book.notices.withLock { $0 } }

  /// What came back for a request.
  enum Reply: Equatable {
    case answer(Int, [UInt8], arrival: Int64?)
    case failure(HTTPExchangeError.Code)
  }

  /// Asks for a feed, with an entity tag if there is one.
  func ask(
    _ feed: FeedRecording.Feed = .tripUpdates,
    tag: String? = nil,
    takes: Bool = true
  ) async -> Reply {
    var request = FeedReplay.request(feed, of: path)
    request.headerFields[.ifNoneMatch] = tag
    do throws(HTTPExchangeError) {
      let answer = try await replay.send(request, timeout: .seconds(1))
      if takes { replay.taken(feed) }
      let arrival = answer.head.headerFields[.via]
      return .answer(answer.head.status.code, answer.body, arrival: arrival.flatMap { Int64($0) })
    } catch {
      return .failure(error.code)
    }
  }
}
