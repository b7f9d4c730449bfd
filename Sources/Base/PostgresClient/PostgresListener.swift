import Synchronization

/// Receives notifications over a connection of its own, which it opens again whenever it is lost.
///
/// Notifications that are sent while there is no connection are gone. After each connection the listener therefore
/// reports ``Event/gap``, and its owner then reads from the tables what it may have missed.
package struct PostgresListener: Sendable {
  /// What the listener reports.
  package enum Event: Hashable, Sendable {
    /// Listening begins or continues; any number of notifications may be missing before this one.
    case gap
    /// A notification.
    case notification(PostgresConnection.Notification)
    /// The connection is lost, or could not be opened; another attempt follows.
    case lost(PostgresError)
  }

  private let address: PostgresAddress
  private let channels: [String]
  private let limits: PostgresClientLimits

  /// Creates a listener.
  ///
  /// - Parameters:
  ///   - address: The server and the database.
  ///   - channels: The channels.
  ///   - limits: The limits.
  package init(
    _ address: PostgresAddress,
    channels: [String],
    limits: PostgresClientLimits = PostgresClientLimits()
  ) {
    self.address = address
    self.channels = channels
    self.limits = limits
  }

  /// Reports events until the task is canceled.
  ///
  /// - Parameter notify: Receives one event after another. Notifications that arrive meanwhile wait; beyond a limit they
  ///   are dropped, and a gap is reported in their place.
  package func run(_ notify: (Event) async -> Void) async {
    var delay = ReconnectDelay(limits)
    while !Task.isCancelled {
      do {
        try await listen { event in
          if event == .gap { delay.succeeded() }
          await notify(event)
        }
      } catch {
        if Task.isCancelled { break }
        await notify(.lost(error as? PostgresError ?? PostgresError(.connectionLost, "\(error)")))
      }
      try? await Task.sleep(for: delay.failed(sample: .random(in: 0...1)))
    }
  }

  /// Listens until the connection is lost.
  private func listen(_ notify: (Event) async -> Void) async throws {
    let inbox = NotificationInbox(most: limits.notifications)
    let connection = try await PostgresConnection.open(
      address,
      limits: limits,
      notify: { inbox.receive($0) },
      lost: { inbox.lose() }
    )
    defer { Task { await connection.close() } }
    try await connection.boundSilence()
    for channel in channels {
      try await connection.query(
        "LISTEN \"\(channel.replacing("\"", with: "\"\""))\"",
        within: limits.pongSeconds
      )
    }
    // A connection runs one statement at a time: the first check comes after the last of those.
    let ping = Task { [limits] in
      while (try? await Task.sleep(for: .seconds(limits.pingSeconds))) != nil {
        guard (try? await connection.query("SELECT 1", within: limits.pongSeconds)) != nil else {
          return inbox.lose()
        }
      }
    }
    defer { ping.cancel() }
    await notify(.gap)
    for await _ in inbox.wakes {
      let (notifications, hasGap, isLost) = inbox.drain()
      for notification in notifications { await notify(.notification(notification)) }
      if hasGap { await notify(.gap) }
      if isLost { throw PostgresError(.connectionLost, "the connection that listens was lost") }
    }
  }
}

/// The notifications that were not read yet.
private final class NotificationInbox: Sendable {
  private struct State {
    var notifications: [PostgresConnection.Notification] = []
    var hasGap = false
    var isLost = false
  }

  /// Reports that there is something to read.
  let wakes: AsyncStream<Void>
  private let wake: AsyncStream<Void>.Continuation
  private let most: Int
  private let state = Mutex(State())

  init(most: Int) {
    self.most = most
    (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
  }

  func receive(_ notification: PostgresConnection.Notification) {
    state.withLock { state in
      if state.notifications.count < most {
        state.notifications.append(notification)
      } else {
        state.hasGap = true
      }
    }
    wake.yield()
  }

  func lose() {
    state.withLock { $0.isLost = true }
    wake.yield()
  }

  /// The notifications in order, whether some after them are missing, and whether the connection is lost.
  func drain() -> (notifications: [PostgresConnection.Notification], hasGap: Bool, isLost: Bool) {
    state.withLock { state in
      defer {
        state.notifications = []
        state.hasGap = false
      }
      return (state.notifications, state.hasGap, state.isLost)
    }
  }
}
