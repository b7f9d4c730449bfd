import ConditionalHTTP
import Foundation
import GTFS
import GTFSRealtime
import HTTPTypes
import Storage
import Synchronization
import Timetable

/// Downloads the file of a source, conditionally, to a file of its own.
///
/// A server may be slow, endless or broken: size, silence and total time are limited, and what did not
/// arrive whole is removed.
struct StaticDownload {
  /// What arrived.
  enum Result {
    /// 304: what is known is current.
    case notModified(StaticSchedule.Response)
    /// 200: the content lies in the file.
    case content(Content)
    /// Nothing usable.
    case failed(String, retryAfter: Double?)
  }

  /// A file that arrived.
  struct Content {
    /// The digest of its bytes.
    var digest: String
    /// Its bytes.
    var bytes: Int
    /// The fields that the next check depends on.
    var response: StaticSchedule.Response
    /// Last-Modified in seconds since 1970-01-01T00:00:00Z.
    var modifiedAt: Int64?
    /// Whether the response said where it ends, so that its file is certainly whole.
    var isDelimited: Bool
  }

  let exchange: any HTTPStreaming
  /// Where the content goes.
  let path: String
  /// The most bytes.
  var mostBytes = StaticFeedLimits.downloadBytes
  /// The time for the whole download.
  var total = Duration.seconds(StaticFeedLimits.downloadSeconds)
  /// The longest time without data.
  var silence = Duration.seconds(StaticFeedLimits.silenceSeconds)
  /// Called as content arrives, with the step `download`.
  var progress: @Sendable (ImportProgress) -> Void = { _ in }

  /// Runs the download.
  ///
  /// - Parameters:
  ///   - request: The request with its conditions.
  ///   - isConditional: Whether a 304 may be the answer.
  ///   - now: Seconds since 1970-01-01T00:00:00Z.
  /// - Returns: What arrived; a failure is a result too.
  func run(_ request: HTTPRequest, isConditional: Bool, now: Double) async -> Result {
    var request = request
    // A file is compressed already; a coding would hide its size.
    request.headerFields[.acceptEncoding] = "identity"
    if request.headerFields[.userAgent] == nil {
      request.headerFields[.userAgent] = StationboardService.userAgent
    }
    if request.headerFields[.accept] == nil {
      request.headerFields[.accept] = "application/zip, application/octet-stream, */*;q=0.5"
    }
    let handle: FileHandle
    do throws(FeedError) {
      handle = try DataFolder.createFile(path, isPrivate: true)
    } catch {
      return .failed(error.message, retryAfter: nil)
    }
    let transfer = Transfer(handle: handle, mostBytes: mostBytes, progress: progress)
    let failure = await fetch(request, into: transfer)
    try? handle.close()
    let result = judge(transfer, failure, isConditional: isConditional, now: now)
    if case .content = result {} else { try? FileManager.default.removeItem(atPath: path) }
    return result
  }

  /// How a part of a download ended.
  private enum Ending: Sendable {
    case whole
    case failed(String)
  }

  /// Streams the response; returns why it ended early.
  private func fetch(_ request: HTTPRequest, into transfer: Transfer) async -> String? {
    let watch = (total: total, silence: silence)
    let ending = await withTaskGroup(of: Ending.self) { group in
      group.addTask { [exchange] in
        do throws(HTTPExchangeError) {
          try await exchange.stream(
            request,
            timeout: .seconds(StaticFeedLimits.headSeconds)
          ) { part in transfer.receive(part) }
          return Ending.whole
        } catch {
          return .failed(error.description)
        }
      }
      group.addTask {
        let end = ContinuousClock.now + watch.total
        while !Task.isCancelled {
          let quietUntil = transfer.lastData + watch.silence
          let next = min(end, quietUntil)
          if ContinuousClock.now >= next {
            return .failed(
              next == end
                ? "the download took longer than \(watch.total.components.seconds) s"
                : "no data within \(watch.silence.components.seconds) s"
            )
          }
          try? await Task.sleep(until: next, clock: .continuous)
        }
        // Whichever task ends first, an incomplete download never counts as complete.
        return .failed("cancelled")
      }
      let first = await group.next() ?? .failed("cancelled")
      group.cancelAll()
      return first
    }
    guard case .failed(let reason) = ending else { return nil }
    return reason
  }

  private func judge(
    _ transfer: Transfer,
    _ failure: String?,
    isConditional: Bool,
    now: Double
  ) -> Result {
    let (head, bytes, fault) = transfer.result
    if let fault { return .failed(fault, retryAfter: nil) }
    guard let head else { return .failed(failure ?? "no response", retryAfter: nil) }
    let response = StaticSchedule.Response(head.headerFields)
    if head.status == .notModified, isConditional { return .notModified(response) }
    guard head.status == .ok else {
      let wait = RetryAfter.delay(
        in: head.headerFields,
        now: Int64(now * 1_000),
        limit: Int64(StaticFeedLimits.longestRequestedWait * 1_000)
      )
      return .failed(
        "the server answered with status \(head.status.code)",
        retryAfter: wait.map { Double($0) / 1_000 }
      )
    }
    if let failure { return .failed("\(failure); \(bytes) bytes had arrived", retryAfter: nil) }
    let coding = head.headerFields[.contentEncoding]?.lowercased() ?? "identity"
    guard coding == "identity" else {
      return .failed(
        "the content is coded (\(coding.prefix(32))), which was not asked for",
        retryAfter: nil
      )
    }
    let declared = head.headerFields[.contentLength].flatMap { Int($0) }
    if let declared, declared != bytes {
      return .failed("\(bytes) of \(declared) bytes arrived", retryAfter: nil)
    }
    guard let data = try? Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped),
      data.count == bytes
    else { return .failed("\(path): cannot be read", retryAfter: nil) }
    let modified = response.lastModified.flatMap { HTTPDate(parsing: $0, now: Int64(now)) }
      .map(\.secondsSince1970)
    return .content(
      Content(
        digest: data.withUnsafeBytes { FeedDigest($0) }.description,
        bytes: bytes,
        response: response,
        modifiedAt: modified.flatMap { StaticSchedule.isPlausible($0, now: now) ? $0 : nil },
        isDelimited: declared != nil || head.headerFields[.transferEncoding] != nil
      )
    )
  }
}

/// A response that is being written to a file.
private final class Transfer: Sendable {
  private struct State {
    var head: HTTPResponse?
    var bytes = 0
    /// The bytes that the head declares; 0 if it does not.
    var declared = 0
    var fault: String?
    var lastData = ContinuousClock.now
  }

  private let handle: FileHandle
  private let mostBytes: Int
  private let progress: @Sendable (ImportProgress) -> Void
  private let state = Mutex(State())

  init(
    handle: FileHandle,
    mostBytes: Int,
    progress: @escaping @Sendable (ImportProgress) -> Void
  ) {
    self.handle = handle
    self.mostBytes = mostBytes
    self.progress = progress
  }

  var lastData: ContinuousClock.Instant { state.withLock { $0.lastData } }
  var result: (head: HTTPResponse?, bytes: Int, fault: String?) {
    state.withLock { ($0.head, $0.bytes, $0.fault) }
  }

  /// Takes a part; content of a response that is not a file is not read.
  func receive(_ part: HTTPStreamPart) -> HTTPStreamDemand {
    switch part {
    case .head(let head):
      let declared = head.headerFields[.contentLength].flatMap { Int($0) } ?? 0
      return state.withLock { state in
        state.head = head
        state.declared = max(0, declared)
        state.lastData = .now
        if head.status == .ok, declared > mostBytes { state.fault = tooLarge }
        return head.status == .ok && state.fault == nil ? .more : .enough
      }
    case .content(let bytes):
      let (isTooLarge, done, total) = state.withLock { state in
        state.lastData = .now
        state.bytes += bytes.count
        if state.bytes > mostBytes { state.fault = tooLarge }
        return (state.fault != nil, state.bytes, state.declared)
      }
      if isTooLarge { return .enough }
      progress(ImportProgress(step: "download", done: done, total: total))
      do {
        try handle.write(contentsOf: bytes)
        return .more
      } catch {
        state.withLock {
          $0.fault = "the download cannot be written: \(ErrorText.of(error, showsPath: false))"
        }
        return .enough
      }
    }
  }

  private var tooLarge: String { "the file is larger than \(mostBytes) bytes" }
}
