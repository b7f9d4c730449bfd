import Commands
import ConditionalHTTP
import FeedRecording
import Foundation
import Freshness
import FreshnessRuntime
import GTFSRealtime
import HTTPTypes

/// A recorded feed as a resource of the engine.
struct RecordSource: FreshResource {
  /// The source as written to the recording.
  let source: FeedRecording.Source
  /// The request; for a file, one with the scheme `file`.
  let question: HTTPRequest
  /// The seconds between two requests.
  let interval: Double

  /// Returns the minimum seconds between two requests to another machine (mesdeparts.md section
  /// 3.4).
  private static func floor(of feed: FeedRecording.Feed) -> Double {
    switch feed {
    case .tripUpdates, .vehiclePositions: 5
    case .alerts: 15
    }
  }

  /// Reads a typed source.
  ///
  /// - Throws: ``WatchAddressError`` with the problem.
  init(
    _ feed: FeedRecording.Feed,
    _ text: String,
    every interval: Double,
    fields: HTTPFields
  ) throws(WatchAddressError) {
    self.interval = interval
    let isAddress = text.hasPrefix("http://") || text.hasPrefix("https://")
    if !isAddress {
      let path = text.hasPrefix("file://") ? String(text.dropFirst(7)) : text
      guard !path.isEmpty, !path.contains("://") else {
        throw WatchAddressError("\"\(text)\" is neither an address (http, https) nor a file")
      }
      // host:8090/… and example.org/… are URLs without their scheme, unless such a file exists.
      let first = path.prefix { $0 != "/" }
      let hasHost = !text.hasPrefix("file://") && (first.contains(":") || first == "localhost")
      guard !hasHost || FileManager.default.fileExists(atPath: path) else {
        throw WatchAddressError(
          "\"\(text)\": there is no such file; for an address write http://\(text)"
        )
      }
      question = HTTPRequest(method: .get, scheme: "file", authority: "", path: path)
      source = FeedRecording.Source(feed: feed, address: path)
    } else {
      question = try WatchAddress.request(text, fields: fields)
      source = FeedRecording.Source(feed: feed, address: Self.address(of: question))
    }
    let floor =
      isAddress && !HTTPAddress.isLocal(question.authority ?? "") ? Self.floor(of: feed) : 0.1
    guard (floor...86_400).contains(interval) else {
      throw WatchAddressError(
        "--\(feed.rawValue)-every is \(Quantity.plain(floor)) to 86400 seconds for \(text)"
      )
    }
  }

  /// Returns the URL without the values of its query, which often contains keys.
  private static func address(of request: HTTPRequest) -> String {
    let path = request.path ?? "/"
    let parts = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
    var text = "\(request.scheme ?? "http")://\(request.authority ?? "")\(parts[0])"
    if parts.count > 1 {
      let names = parts[1].split(separator: "&").map { item in
        item.prefix { $0 != "=" } + (item.contains("=") ? "=..." : "")
      }
      text += "?" + names.joined(separator: "&")
    }
    return text
  }

  /// The time limit for a response, in seconds.
  static let patience: Int64 = 30

  /// The constants of a recording: one pace, and no unnecessary requests.
  static func policy(every interval: Double) -> Policy {
    let milliseconds = Int64((interval * 1_000).rounded())
    var policy = Policy(every: .milliseconds(milliseconds), jitter: .share(2))
    policy.leastInterval = .milliseconds(milliseconds * 9 / 10)
    policy.timeout = .seconds(patience)
    policy.unchangedLimit = nil
    policy.unchangedFor = nil
    policy.retryAfterCap = .minutes(10)
    policy.recheck = .minutes(1)
    if interval >= 5 { policy.alignment = .departures }
    return policy
  }

  var policy: Policy? { Self.policy(every: interval) }

  func request(since known: FeedDigest?) -> HTTPRequest { question }

  func read(
    _ answer: HTTPExchangeAnswer,
    since known: FeedDigest?
  ) throws(UnreadableAnswer) -> Reading<FeedDigest> {
    // Everything received is recorded; whether it is a feed is decided at replay.
    Reading(FeedDigest(answer.body))
  }
}
