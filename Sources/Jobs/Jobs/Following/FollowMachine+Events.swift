// What goes into the machine and what comes out, as plain values: of a message only what decides how following continues.

extension FollowMachine {
  /// A way to receive events.
  public enum Transport: Int, CaseIterable, Hashable, Sendable {
    case webSocket
    case eventStream
    case polling
  }

  /// The facts of a message that decide how following continues.
  public struct Message: Hashable, Sendable {
    /// What a message is.
    public enum Content: Hashable, Sendable {
      /// Any message that only needs to be delivered.
      case other
      /// Bytes that are not a message.
      case unreadable
      /// The state, in place of the events up to a number.
      case snapshot(lastSeq: Int64?, isRecovered: Bool)
      /// A new token, with the time of the server's clock when it expires.
      case token(expiresAt: Int64?)
      /// The job is over.
      case ended
    }

    /// Its number, if it is a numbered event.
    public var position: EventPosition?
    /// Which log the server's numbers belong to, also of messages without a number.
    public var epoch: Int64?
    /// The number of the first event that this one covers, if others were left out on purpose.
    public var covers: Int64?
    /// When it was written, by the server's clock.
    public var at: Int64?
    /// The content.
    public var content: Content

    /// Creates the facts of a message.
    public init(
      position: EventPosition? = nil,
      epoch: Int64? = nil,
      covers: Int64? = nil,
      at: Int64? = nil,
      content: Content
    ) {
      self.position = position
      self.epoch = epoch
      self.covers = covers
      self.at = at
      self.content = content
    }
  }

  /// Why a stream or a question failed.
  public enum Trouble: Hashable, Sendable {
    /// The server answered with another status.
    case status(status: Int)
    /// The server did not respond, or the connection broke.
    case broken
    /// A WebSocket was closed; `isLimit`: its reason says that there are too many of something.
    case closed(code: UInt16, isLimit: Bool)
    /// The response is too long or unreadable.
    case unreadable
  }

  /// What happened.
  ///
  /// An attempt is the number of the stream or question that it is about; what comes of an earlier one is ignored.
  public enum Event: Hashable, Sendable {
    /// Following begins.
    case start
    /// A stream is open.
    case opened(attempt: Int)
    /// A message came.
    case received(message: Message, attempt: Int)
    /// A heartbeat arrived: a ping, or a comment of a stream.
    case heard(attempt: Int)
    /// The stream of events named its reconnection time (WHATWG HTML: `retry:`).
    case reconnects(after: Int64, attempt: Int)
    /// A stream could not be opened, or it ended.
    case ended(trouble: Trouble, attempt: Int)
    /// The state came: the events that were missed or the state in their place, and whether the job is over.
    case polled(messages: [Message], isOver: Bool, attempt: Int)
    /// The state is the same as before (304).
    case unchanged(attempt: Int)
    /// The request for the state failed.
    case pollFailed(trouble: Trouble, attempt: Int)
    /// There is a new token.
    case tokenRefreshed(expiresAt: Int64?)
    /// The request for a new token failed.
    case tokenNotRefreshed(trouble: Trouble)
    /// The time of the last ``Order/wake(after:)`` has come.
    case woke
  }

  /// The actions to take, in order.
  public enum Order: Hashable, Sendable {
    /// Open a stream of events after a position; later attempts have later numbers.
    case connect(transport: Transport, after: EventPosition?, attempt: Int)
    /// Leave the stream.
    case disconnect
    /// Ask for the state once, with the events after a position.
    case poll(after: EventPosition?, attempt: Int)
    /// Get a new token, beside a stream if one is open.
    case refreshToken
    /// Wake the machine after some milliseconds; a later order replaces an earlier one.
    case wake(after: Int64)
    /// Hand over the message of the event, by its index.
    case deliver(index: Int)
    /// Hand over an end made of the last state: the message that says it cannot be had.
    case deliverEnd
    /// It is over; nothing follows.
    case finish(ending: Ending)
  }

  /// How following ends.
  public enum Ending: Hashable, Sendable {
    /// The job ended, and its end was handed over.
    case ended
    /// The server knows no such job.
    case unknownJob
    /// The job's results are gone.
    case expired
    /// The token is refused and cannot be renewed.
    case unauthorized
  }

  /// What is visible of the machine.
  public struct Status: Hashable, Sendable {
    /// The transport in use.
    public var transport: Transport
    /// The last event that was delivered.
    public var position: EventPosition?
    /// Whether updates would arrive now: a stream is open, or the last question was answered.
    public var isLive: Bool
    /// Whether it is over.
    public var isOver: Bool
  }
}
