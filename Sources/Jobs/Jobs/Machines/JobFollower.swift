/// Follows one job to its end, as a value: takes what happens and an instant, and returns orders with whole messages.
///
/// How following continues is decided by ``FollowMachine``, which sees of a message only what decides it.
public struct JobFollower: Hashable, Sendable {
  /// Waits and limits, in milliseconds.
  public typealias Policy = FollowMachine.Policy
  /// A way to receive events.
  public typealias Transport = FollowMachine.Transport

  /// The actions to take, in order.
  public enum Order: Hashable, Sendable {
    /// Open a stream of events after a position; later attempts have later numbers.
    case connect(Transport, after: EventPosition?, attempt: Int)
    /// Leave the stream.
    case disconnect
    /// Ask for the state once.
    case poll(attempt: Int)
    /// Get a new token, beside a stream if one is open.
    case refreshToken
    /// Wake the follower after some milliseconds; a later order replaces an earlier one.
    case wake(after: Int64)
    /// Hand this over.
    case deliver(JobMessage)
    /// It is over; nothing follows.
    case finish(Ending)
  }

  /// How following ends.
  public enum Ending: Hashable, Sendable {
    /// The job ended so.
    case ended(JobCompletion)
    /// The server knows no such job.
    case unknownJob
    /// The job's results are gone.
    case expired
    /// The token is refused and cannot be renewed.
    case unauthorized
  }

  /// Why a stream or a question failed.
  public enum Trouble: Hashable, Sendable {
    /// The server answered with another status.
    case status(Int)
    /// The server did not respond, or the connection broke.
    case broken
    /// A WebSocket was closed.
    case closed(code: UInt16, reason: String)
    /// The response is too long or unreadable.
    case unreadable
  }

  private var machine: FollowMachine
  /// The state that the server said last.
  private var lastState: JobState?

  /// Creates a follower.
  ///
  /// - Parameters:
  ///   - policy: Waits and limits.
  ///   - position: The last known event, to continue after a restart.
  ///   - tokenExpiry: When the token expires, in milliseconds of the clock of all instants here; `nil` if unknown.
  ///   - transport: The best available transport.
  public init(
    policy: Policy = Policy(),
    after position: EventPosition? = nil,
    tokenExpiry: Int64? = nil,
    transport: Transport = .webSocket
  ) {
    machine = FollowMachine(
      policy: policy,
      after: position,
      tokenExpiry: tokenExpiry,
      transport: transport
    )
  }

  /// The transport in use.
  public var transport: Transport { machine.transport }

  /// The last event that was delivered.
  public var position: EventPosition? { machine.position }

  /// Whether it is over.
  public var isOver: Bool { machine.isOver }

  /// The event to ask for those behind it when the state is asked for.
  ///
  /// Where the events themselves were of no use it is one that there is not, which is answered with the state.
  public var asksAfter: EventPosition? { machine.asksAfter }

  /// Begins.
  public mutating func start(now: Int64) -> [Order] { handle(.start, now: now) }

  /// A stream is open; its messages arrive through ``received(_:attempt:now:random:)``.
  public mutating func opened(attempt: Int, now: Int64) -> [Order] {
    handle(.opened(attempt: attempt), now: now)
  }

  /// A message came.
  ///
  /// - Parameters:
  ///   - message: The message.
  ///   - attempt: Of which stream it is.
  ///   - now: The current instant, in milliseconds.
  ///   - random: A random number.
  /// - Returns: The actions to take.
  public mutating func received(
    _ message: JobMessage,
    attempt: Int,
    now: Int64,
    random: UInt64
  ) -> [Order] {
    let event = FollowMachine.Event.received(message: message.facts, attempt: attempt)
    return handle(event, [message], now: now, random: random)
  }

  /// A heartbeat arrived: a ping, or a comment of a stream.
  public mutating func heard(now: Int64) {
    _ = handle(.heard(attempt: machine.attempt), now: now)
  }

  /// The stream of events named its reconnection time (WHATWG HTML: `retry:`).
  public mutating func reconnects(after milliseconds: Int64, attempt: Int) {
    _ = handle(.reconnects(after: milliseconds, attempt: attempt), now: 0)
  }

  /// A stream could not be opened, or it ended.
  public mutating func ended(
    _ trouble: Trouble,
    attempt: Int,
    now: Int64,
    random: UInt64
  ) -> [Order] {
    handle(.ended(trouble: trouble.facts, attempt: attempt), now: now, random: random)
  }

  /// The state came.
  ///
  /// - Parameters:
  ///   - messages: The events that were missed, or the state in their place.
  ///   - state: The state of the job; `nil` if unknown.
  ///   - now: The current instant, in milliseconds.
  ///   - random: A random number.
  /// - Returns: The actions to take.
  public mutating func polled(
    _ messages: [JobMessage],
    state: JobState? = nil,
    now: Int64,
    random: UInt64
  ) -> [Order] {
    lastState = state
    let event = FollowMachine.Event.polled(
      messages: messages.map(\.facts),
      isOver: state?.isTerminal ?? false,
      attempt: machine.attempt
    )
    return handle(event, messages, now: now, random: random)
  }

  /// The state is the same as before (304).
  public mutating func unchanged(now: Int64) -> [Order] {
    handle(.unchanged(attempt: machine.attempt), now: now)
  }

  /// The request for the state failed.
  public mutating func pollFailed(_ trouble: Trouble, now: Int64, random: UInt64) -> [Order] {
    let event = FollowMachine.Event.pollFailed(trouble: trouble.facts, attempt: machine.attempt)
    return handle(event, now: now, random: random)
  }

  /// There is a new token.
  public mutating func tokenRefreshed(expiresAt: Int64?, now: Int64) -> [Order] {
    handle(.tokenRefreshed(expiresAt: expiresAt), now: now)
  }

  /// The request for a new token failed.
  public mutating func tokenNotRefreshed(
    _ trouble: Trouble,
    now: Int64,
    random: UInt64
  ) -> [Order] {
    handle(.tokenNotRefreshed(trouble: trouble.facts), now: now, random: random)
  }

  /// The time of the last ``Order/wake(after:)`` has come.
  public mutating func woke(now: Int64, random: UInt64) -> [Order] {
    handle(.woke, now: now, random: random)
  }

  // MARK: Whole messages

  /// Handles an event and puts the messages into the orders.
  private mutating func handle(
    _ event: FollowMachine.Event,
    _ messages: [JobMessage] = [],
    now: Int64,
    random: UInt64 = 0
  ) -> [Order] {
    var completion: JobCompletion?
    return machine.handle(event, now: now, random: random).map { order in
      switch order {
      case .connect(let transport, let position, let attempt):
        return .connect(transport, after: position, attempt: attempt)
      case .disconnect: return .disconnect
      case .poll(_, let attempt): return .poll(attempt: attempt)
      case .refreshToken: return .refreshToken
      case .wake(let wait): return .wake(after: wait)
      case .deliver(let index):
        if case .ended(let end) = messages[index].body { completion = end }
        return .deliver(messages[index])
      case .deliverEnd:
        let message = endAsStated
        if case .ended(let end) = message.body { completion = end }
        return .deliver(message)
      case .finish(.ended): return .finish(completion.map { .ended($0) } ?? .expired)
      case .finish(.unknownJob): return .finish(.unknownJob)
      case .finish(.expired): return .finish(.expired)
      case .finish(.unauthorized): return .finish(.unauthorized)
      }
    }
  }

  /// The end of a job whose last message cannot be had: only its state is known.
  private var endAsStated: JobMessage {
    let state = lastState ?? .expired
    let text = #"{"type":"job_complete","payload":{"status":"\#(state.rawValue)"}}"#
    return JobMessageReader().message(Array(text.utf8))
  }
}

extension JobFollower.Trouble {
  /// The same for the machine.
  fileprivate var facts: FollowMachine.Trouble {
    switch self {
    case .status(let status): .status(status: status)
    case .broken: .broken
    case .closed(let code, let reason):
      .closed(code: code, isLimit: JobCloseCode.isLimit(reason))
    case .unreadable: .unreadable
    }
  }
}

extension JobMessage {
  /// What of the message decides how following continues.
  fileprivate var facts: FollowMachine.Message {
    let content: FollowMachine.Message.Content =
      switch body {
      case .unreadable: .unreadable
      case .ended: .ended
      case .token(_, let expiry): .token(expiresAt: expiry)
      case .snapshot(let report):
        .snapshot(lastSeq: report.lastSeq, isRecovered: report.isRecovered == true)
      case .started, .progress, .ready, .photos, .canceling, .ping, .pong, .notice, .unknown: .other
      }
    return FollowMachine.Message(
      position: position,
      epoch: epoch,
      covers: covers,
      at: at,
      content: content
    )
  }
}
