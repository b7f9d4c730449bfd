package import ConditionalHTTP
package import GTFS
package import HTTPTypes
package import Timetable

/// Where a feed is.
package enum FeedPlace: Sendable {
  /// A zip archive or a folder.
  case path(String)
  /// A zip archive on a server.
  case request(HTTPRequest)

  /// Returns the path of the feed; one on a server is downloaded, within the limits of ``StaticFeedLimits``.
  ///
  /// - Parameters:
  ///   - path: The file for a download, which the caller removes.
  ///   - exchange: Sends the request.
  ///   - now: Seconds since 1970-01-01T00:00:00Z.
  ///   - progress: Called during a download.
  /// - Returns: The path of a zip archive or a folder.
  /// - Throws: ``FeedError`` with code `unreadable` if nothing usable arrived.
  package func file(
    orDownloaded path: String,
    by exchange: any HTTPStreaming,
    now: Double,
    progress: @escaping @Sendable (ImportProgress) -> Void = { _ in }
  ) async throws(FeedError) -> String {
    switch self {
    case .path(let path): return path
    case .request(let request):
      var download = StaticDownload(exchange: exchange, path: path)
      download.progress = progress
      // The server may take long to begin.
      progress(ImportProgress(step: "download", done: 0, total: 0))
      switch await download.run(request, isConditional: false, now: now) {
      case .content: return path
      case .failed(let reason, _): throw FeedError(.unreadable, reason)
      case .notModified: throw FeedError(.unreadable, "the server answered with status 304")
      }
    }
  }
}
