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
  let notBefore: Instant?

  /// The time limit for the response head; the machine gives up earlier (R33).
  private static let patience = Duration.seconds(30)

  /// Reads the stream until it ends, and reports its loss once (W3).
  func listen<R: FreshResource>(to question: HTTPRequest, for resourceEntry: ResourceEntry<R>) async
  {
    if let notBefore, notBefore > client.clock.now() {
      await client.clock.sleep(notBefore)
      guard !Task.isCancelled else { return }
    }
    var request = question
    request.headerFields[.accept] = "text/event-stream"
    request.headerFields[.cacheControl] = "no-store"
    let credentials = client.withRegistry { $0.credentials }
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
          case .head(let head): opened(head, resourceEntry) ? .more : .enough
          case .content(let bytes): handle(bytes, parser, resourceEntry)
          }
        }
      } catch {
        // A broken stream is a lost stream; the schedule takes over (R33).
      }
    }
    if !Task.isCancelled { resourceEntry.streamEnded(at: client.clock.now()) }
    client.heard(.streamLost, from: number, key: key)
  }

  private func opened<R: FreshResource>(
    _ head: HTTPResponse,
    _ resourceEntry: ResourceEntry<R>
  ) -> Bool {
    if head.status == .noContent { resourceEntry.streamIsOver() }
    let type = head.headerFields[.contentType]?.lowercased() ?? ""
    guard head.status == .ok, type.prefix(while: { $0 != ";" && $0 != " " }) == "text/event-stream"
    else {
      client.streamRefused(head, of: resourceEntry.resource.policy, from: number, key: key)
      return false
    }
    client.heard(.streamOpened(isResumed: isResumed), from: number, key: key)
    return true
  }

  private func handle<R: FreshResource>(
    _ bytes: [UInt8],
    _ parser: borrowing Mutex<EventStreamParser>,
    _ resourceEntry: ResourceEntry<R>
  ) -> HTTPStreamDemand {
    let now = client.clock.now()
    var items: [EventStreamItem] = []
    var isReadable = true
    parser.withLock { parser in
      do { try parser.feed(bytes, into: &items) } catch { isReadable = false }
    }
    client.heard(.streamHeard, from: number, key: key)
    for item in items {
      if case .retry(let milliseconds) = item { resourceEntry.reconnectionTime(milliseconds) }
      guard case .event(let event) = item else { continue }
      switch resourceEntry.read(event) {
      case .sign: break
      case .changed: client.heard(.streamChanged, from: number, key: key)
      case .gap: client.heard(.streamGap, from: number, key: key)
      case .delivered(let reading):
        let size = event.data.utf8.count
        client.delivered(reading, bytes: size, at: now, to: resourceEntry, from: number, key: key)
      }
    }
    return isReadable ? .more : .enough
  }
}
