import ConditionalHTTP
import EventFeed
import Freshness
import HTTPTypes
import Synchronization

/// One connection to an event stream, from opening to loss (R33).
struct EventStreamConnection: Sendable {
  let client: FreshnessClient
  let key: MachineSchedule.Key
  /// The number of this stream among all streams of the client.
  let number: Int64
  /// Whether the server replays what was missed.
  let isResumed: Bool

  /// The instant before which the server asks not to reopen the stream.
  let notBefore: Moment?

  /// The time limit for the response head; the machine gives up earlier (R33).
  private static let patience = Duration.seconds(30)

  /// Reads the stream until it ends, and reports its loss once (W3).
  func listen<R: FreshResource>(to question: HTTPRequest, for cell: ResourceEntry<R>) async {
    if let notBefore, notBefore > client.clock.now() {
      await client.clock.sleep(notBefore)
      guard !Task.isCancelled else { return }
    }
    var request = question
    request.headerFields[.accept] = "text/event-stream"
    request.headerFields[.cacheControl] = "no-store"
    let credentials = client.withLedger { $0.credentials }
    for field in credentials { request.headerFields[field.name] = field.value }
    let limits = EventStreamLimits(
      line: client.limits.largestEvent,
      event: client.limits.largestEvent
    )
    let parser = Mutex(EventStreamParser(limits: limits))
    if let streaming = client.streaming {
      do {
        try await streaming.stream(request, timeout: Self.patience) { part in
          switch part {
          case .head(let head): opened(head, cell) ? .more : .enough
          case .content(let bytes): take(bytes, parser, cell)
          }
        }
      } catch {
        // A broken stream is a lost stream; the schedule takes over (R33).
      }
    }
    if !Task.isCancelled { cell.streamEnded(at: client.clock.now()) }
    client.heard(.linkLost, from: number, key: key)
  }

  private func opened<R: FreshResource>(_ head: HTTPResponse, _ cell: ResourceEntry<R>) -> Bool {
    if head.status == .noContent { cell.streamIsOver() }
    let type = head.headerFields[.contentType]?.lowercased() ?? ""
    guard head.status == .ok, type.prefix(while: { $0 != ";" && $0 != " " }) == "text/event-stream"
    else {
      client.streamRefused(head, of: cell.resource.policy, from: number, key: key)
      return false
    }
    client.heard(.linkOpened(isResumed: isResumed), from: number, key: key)
    return true
  }

  private func take<R: FreshResource>(
    _ bytes: [UInt8],
    _ parser: borrowing Mutex<EventStreamParser>,
    _ cell: ResourceEntry<R>
  ) -> HTTPStreamDemand {
    let now = client.clock.now()
    var items: [EventStreamItem] = []
    var isReadable = true
    parser.withLock { parser in
      do { try parser.feed(bytes, into: &items) } catch { isReadable = false }
    }
    client.heard(.linkHeard, from: number, key: key)
    for item in items {
      if case .retry(let milliseconds) = item { cell.reconnectionTime(milliseconds) }
      guard case .event(let event) = item else { continue }
      switch cell.read(event) {
      case .sign: break
      case .changed: client.heard(.linkChanged, from: number, key: key)
      case .gap: client.heard(.linkGap, from: number, key: key)
      case .delivered(let reading):
        let size = event.data.utf8.count
        client.delivered(reading, bytes: size, at: now, to: cell, from: number, key: key)
      }
    }
    return isReadable ? .more : .enough
  }
}
