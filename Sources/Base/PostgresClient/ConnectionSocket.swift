import CPostgres
@preconcurrency import Dispatch
import Foundation

/// The connection of libpq and the source that reports its bytes; used on the queue of the connection only.
final class ConnectionSocket: @unchecked Sendable {
  /// The connection.
  let pointer: OpaquePointer
  private let queue: DispatchQueue
  private var reading: (any DispatchSourceRead)?
  private var writing: (any DispatchSourceWrite)?

  /// Takes over a connection.
  init(_ pointer: OpaquePointer, queue: DispatchQueue) {
    self.pointer = pointer
    self.queue = queue
  }

  deinit {
    // The descriptor stays open until no source uses it.
    let group = DispatchGroup()
    for source in [reading as (any DispatchSourceProtocol)?, writing].compactMap(\.self) {
      group.enter()
      source.setCancelHandler { group.leave() }
      source.cancel()
    }
    nonisolated(unsafe) let pointer = pointer
    group.notify(queue: queue) { PQfinish(pointer) }
  }

  /// The description of the last failure.
  var message: String { lines.joined(separator: "; ") }

  /// The description of the last failure, line by line.
  var lines: [Substring] {
    let text = PQerrorMessage(pointer).map { String(cString: $0) } ?? ""
    // Hints begin with a tab.
    return text.split(whereSeparator: \.isNewline).map { $0.drop(while: \.isWhitespace) }
  }

  /// Whether there is more to read now, or the end of the connection.
  ///
  /// A source of Dispatch on Linux reports bytes and the end that comes right after them as one event, and nothing after
  /// it: the reader of the bytes must check for the end.
  var hasMore: Bool {
    var state = pollfd(fd: PQsocket(pointer), events: Int16(POLLIN), revents: 0)
    return poll(&state, 1, 0) > 0
  }

  /// Calls back whenever there are bytes to read, or the connection has ended.
  func read(_ handler: @escaping @Sendable () -> Void) {
    let source = DispatchSource.makeReadSource(fileDescriptor: PQsocket(pointer), queue: queue)
    source.setEventHandler(handler: handler)
    reading = source
    source.resume()
  }

  /// Calls back once when bytes can be written.
  func write(_ handler: @escaping @Sendable () -> Void) {
    guard writing == nil else { return }
    let source = DispatchSource.makeWriteSource(fileDescriptor: PQsocket(pointer), queue: queue)
    source.setEventHandler { [weak self] in
      source.cancel()
      self?.writing = nil
      handler()
    }
    writing = source
    source.resume()
  }

  /// Waits until the socket of a connection that is being opened can be read, or else written, or until a deadline.
  static func wait(
    _ descriptor: Int32,
    isRead: Bool,
    until deadline: DispatchTime,
    on queue: DispatchQueue
  ) async {
    let source: any DispatchSourceProtocol =
      isRead
      ? DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
      : DispatchSource.makeWriteSource(fileDescriptor: descriptor, queue: queue)
    let limit = DispatchWorkItem { source.cancel() }
    await withCheckedContinuation { continuation in
      source.setEventHandler { source.cancel() }
      source.setCancelHandler { continuation.resume() }
      queue.asyncAfter(deadline: deadline, execute: limit)
      source.resume()
    }
    limit.cancel()
  }
}
