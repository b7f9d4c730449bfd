import ConditionalHTTP
package import GTFS
package import HTTPTypes
package import Timetable

/// Where the timetable of a feed is published.
package struct StaticSource: Hashable, Sendable {
  /// The seconds between two checks, unless told otherwise.
  package static let usualInterval = 3_600.0
  /// The share of departures that a new generation may lose, unless told otherwise.
  package static let usualLostShare = 0.1

  /// The prefix of the feed's ids; `nil` for the feed without one.
  package var prefix: String?
  /// The address, http or https, with the caller's own fields.
  package var request: HTTPRequest
  /// The seconds between two checks.
  package var interval: Double
  /// The share of the departures of the next 14 days that a new generation may lose and still serve.
  package var maxLostShare: Double
  /// Which files of a new generation refuse it because of their rejected rows.
  package var limit: RejectedRowLimit
  /// The encoding of its files; `nil` if it is to be found.
  package var encoding: TextEncoding?

  /// Creates a source.
  package init(
    prefix: String?,
    request: HTTPRequest,
    interval: Double = usualInterval,
    maxLostShare: Double = usualLostShare,
    limit: RejectedRowLimit = .usual,
    encoding: TextEncoding? = nil
  ) {
    self.prefix = prefix
    self.request = request
    self.interval = interval
    self.maxLostShare = maxLostShare
    self.limit = limit
    self.encoding = encoding
  }

  /// The name of the feed's folder.
  package var key: String { prefix ?? FeedManifest.defaultKey }

  /// The address for people, without what may be secret: user, password, query and fields.
  package var title: String {
    let authority = request.authority?.split(separator: "@").last ?? ""
    let path = request.path?.prefix { $0 != "?" } ?? ""
    return "\(request.scheme ?? "")://\(authority)\(path)"
  }

  /// What identifies how the files are read; empty if as usual.
  ///
  /// The same file that is read in another way is another timetable.
  var reading: String {
    (limit == .usual ? "" : " rejected \(limit.share) \(limit.rows)")
      + (encoding.map { " in \($0.name)" } ?? "")
  }

  /// Identifies the whole address, and how its files are read, without revealing it.
  var fingerprint: String {
    let whole =
      "\(request.scheme ?? "")://\(request.authority ?? "")\(request.path ?? "")\(reading)"
    return SHA256.hash(whole.utf8).map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
  }
}
