import NIOCore
import Synchronization

/// The connections of a server that have no request in progress.
///
/// When the places run out, one of them is closed so that others get in: the longest idle one of the network that has
/// most of them. So a client that opens connections and leaves them idle takes places from itself first. A connection
/// that has just been opened or answered is left alone for a moment: its next request may be on its way.
final class IdleConnections: Sendable {
  private struct Place {
    var channel: any Channel
    var since: NIODeadline
  }

  /// A waiter for a free connection slot.
  private struct Need {
    var lasts: @Sendable () -> Bool
    var closed: @Sendable () -> Void
  }

  private struct State {
    var places = IdlePlaces<Place>()
    /// What waits for a connection to be idle for long enough.
    var need: Need?
    /// Whether a check for that is scheduled.
    var isCheckDue = false
  }

  private enum Finding {
    case close(any Channel)
    case wait(any Channel, NIODeadline)
    case nothing
  }

  private let state = Mutex(State())
  private let rest: TimeAmount

  /// - Parameter rest: How long a connection is idle before it may be closed.
  init(rest: TimeAmount = .seconds(1)) { self.rest = rest }

  /// A connection waits for a request, its first or the next one.
  func insert(_ channel: any Channel) {
    let network = channel.remoteAddress.flatMap { ClientNetwork($0) }
    let now = channel.eventLoop.now
    let isNeeded = state.withLock { state in
      let place = Place(channel: channel, since: now)
      state.places.insert(ObjectIdentifier(channel), place, network)
      guard state.need != nil, !state.isCheckDue else { return false }
      state.isCheckDue = true
      return true
    }
    if isNeeded { check(on: channel, at: now + rest) }
  }

  /// A request came on a connection, or the connection is closed.
  func remove(_ channel: any Channel) {
    state.withLock { $0.places.remove(ObjectIdentifier(channel)) }
  }

  /// Closes a connection, now or as soon as one has been idle for long enough, and more while that is not sufficient.
  ///
  /// - Parameters:
  ///   - isNeeded: Whether places are still scarce; asked later, and after each connection that was closed.
  ///   - closed: Called before a connection is closed.
  func makeRoom(
    while isNeeded: @escaping @Sendable () -> Bool,
    closed: @escaping @Sendable () -> Void
  ) {
    switch find(for: Need(lasts: isNeeded, closed: closed)) {
    case .close(let channel):
      closed()
      // A server accepts several connections at a time: one place less may not be enough.
      channel.closeFuture.whenComplete { [weak self] _ in
        if isNeeded() { self?.makeRoom(while: isNeeded, closed: closed) }
      }
      channel.close(promise: nil)
    case .wait(let channel, let instant): check(on: channel, at: instant)
    case .nothing: break
    }
  }

  /// Closes the connection of a network that has been idle longest, if one is.
  ///
  /// - Returns: Whether one is closed.
  func makeRoom(in network: ClientNetwork) -> Bool {
    let channel = state.withLock { state -> (any Channel)? in
      guard let oldest = state.places.first(of: network) else { return nil }
      state.places.remove(ObjectIdentifier(oldest.channel))
      return oldest.channel
    }
    channel?.close(promise: nil)
    return channel != nil
  }

  private func check(on channel: any Channel, at instant: NIODeadline) {
    channel.eventLoop.scheduleTask(deadline: instant) { [weak self] in
      guard let self else { return }
      let need = state.withLock { state in
        state.isCheckDue = false
        return state.need.take()
      }
      if let need, need.lasts() { makeRoom(while: need.lasts, closed: need.closed) }
    }
  }

  private func find(for need: Need) -> Finding {
    state.withLock { state in
      guard let oldest = state.places.first else {
        state.need = need
        return .nothing
      }
      let channel = oldest.channel
      let instant = oldest.since + rest
      if channel.eventLoop.now >= instant {
        state.places.remove(ObjectIdentifier(channel))
        return .close(channel)
      }
      state.need = need
      if state.isCheckDue { return .nothing }
      state.isCheckDue = true
      return .wait(channel, instant)
    }
  }
}

/// Tells ``IdleConnections`` when a connection has a request in progress.
///
/// It is behind the HTTP codec, so a connection whose first request is not complete yet counts as idle.
final class IdleConnectionHandler: ChannelInboundHandler {
  typealias InboundIn = Any

  private let idle: IdleConnections

  init(_ idle: IdleConnections) { self.idle = idle }

  func handlerAdded(context: ChannelHandlerContext) { idle.insert(context.channel) }

  func handlerRemoved(context: ChannelHandlerContext) { idle.remove(context.channel) }

  func channelInactive(context: ChannelHandlerContext) {
    idle.remove(context.channel)
    context.fireChannelInactive()
  }
}
