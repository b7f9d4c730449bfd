/// What is watched, and on whose behalf (R4, R19).
///
/// The numbers are the host's: one for each question, one for each identity, which is a base
/// address with a credential. Whatever differs is another context, and nothing carries over.
public struct Context: Hashable, Sendable {
  /// The host's number for the question: this stop, this language.
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
/// The machine never looks inside: weak, quoted and unquoted tags go back as they came.
public struct Validator: Hashable, Sendable {
  /// The host's number.
  public var number: Int64

  /// Creates a validator from the host's number.
  public init(_ number: Int64) { self.number = number }
}

/// The host's number for what a body says; equal numbers are equal content.
public struct Revision: Hashable, Sendable {
  /// The host's number.
  public var number: Int64

  /// Creates a revision from the host's number.
  public init(_ number: Int64) { self.number = number }
}

/// The name of one request; its answer must bring it back (R3).
public struct Ticket: Hashable, Sendable {
  /// The number of the request within its machine; later requests have higher numbers.
  public var generation: Int64
  /// The context the request asks for, or the one an answer is about.
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
    /// A person waits.
    case high
  }

  /// The name to bring back with the answer (R3).
  public var ticket: Ticket
  /// The validator to send; `nil` makes an unconditional request (R17, R18, R19).
  public var validator: Validator?
  /// The seconds to put into `Prefer: wait`, as a length; `nil` does not long-poll (R32).
  public var longPoll: Timespan?
  /// The time the request may take, a long poll's wait included (R6).
  public var timeout: Timespan
  /// How urgent the request is.
  public var priority: Priority
  /// The wish it fulfils.
  public var wish: RefreshRequest
  /// The cadence in force, for the sample (R29); zero when there is none.
  public var cadence: Timespan
}
