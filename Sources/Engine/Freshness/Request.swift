/// What is watched, and with which identity (R4, R19).
///
/// The host assigns the numbers: one for each query, one for each identity, which is a base address
/// with a credential. Any difference makes another context, and nothing carries over.
public struct Context: Hashable, Sendable {
  /// The host's number for the query: this stop, this language.
  public var question: Int64
  /// The host's number for the base address and the credential.
  public var identity: Int64

  /// Creates a context.
  public init(question: Int64, identity: Int64 = 0) {
    self.question = question
    self.identity = identity
  }
}

/// The host's number for an entity tag or another token that validates one snapshot (R19).
///
/// The machine does not interpret it: weak, quoted and unquoted tags are sent back as received.
public struct Validator: Hashable, Sendable {
  /// The host's number.
  public var number: Int64

  /// Creates a validator from the host's number.
  public init(_ number: Int64) { self.number = number }
}

/// The host's number for the content of a body; equal numbers are equal content.
public struct Revision: Hashable, Sendable {
  /// The host's number.
  public var number: Int64

  /// Creates a revision from the host's number.
  public init(_ number: Int64) { self.number = number }
}

/// Identifies one request; its response must carry it (R3).
public struct Ticket: Hashable, Sendable {
  /// The number of the request within its machine; later requests have higher numbers.
  public var generation: Int64
  /// The context that the request is for, or that a response is about.
  public var context: Context

  /// Creates a ticket.
  public init(generation: Int64, context: Context) {
    self.generation = generation
    self.context = context
  }
}

/// One request, for the host to send now.
public struct Request: Hashable, Sendable {
  /// How urgent a request is among others.
  public enum Priority: UInt8, Hashable, Sendable {
    /// A prefetch (R35).
    case low
    /// The schedule.
    case normal
    /// The user is waiting.
    case high
  }

  /// The ticket to return with the response (R3).
  public var ticket: Ticket
  /// The validator to send; `nil` makes an unconditional request (R17, R18, R19).
  public var validator: Validator?
  /// How urgent the request is.
  public var priority: Priority
  /// The refresh request it carries out.
  public var refresh: RefreshRequest
  /// The wait to put into `Prefer: wait`, in seconds; `nil` does not long-poll (R32).
  public var longPoll: Instant.Duration?
  /// The time limit of the request, including the wait of a long poll (R6).
  public var timeout: Instant.Duration
  /// The cadence in force, for the sample (R29); zero without one.
  public var cadence: Instant.Duration

  /// The same request without the wait of a long poll (R39).
  public var withoutWait: Request {
    guard let longPoll else { return self }
    var request = self
    request.longPoll = nil
    request.timeout = timeout - longPoll
    return request
  }
}
