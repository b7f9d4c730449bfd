/// Decides which operation uses which connection of a pool, when connections are opened, and which operations are refused.
///
/// Operations wait in order. While no connection can be opened and none is in use, operations are refused at once:
/// a server without its database responds instead of collecting requests.
struct ConnectionAdmission: Sendable {
  /// What the pool has to do.
  enum Effect: Hashable, Sendable {
    /// Let an operation use a connection.
    case grant(operation: Int, connection: Int)
    /// Notify an operation that it gets no connection.
    case refuse(operation: Int, Refusal)
    /// Open a connection.
    case open(connection: Int)
    /// Close a connection.
    case close(connection: Int)
  }

  /// Why an operation gets no connection.
  enum Refusal: Hashable, Sendable {
    /// Too many operations wait.
    case crowded
    /// None became available in time.
    case late
    /// The server cannot be reached.
    case unreachable
    /// The pool is closed.
    case closed
    /// Its task was canceled.
    case canceled
  }

  private let most: Int
  private let mostWaiting: Int
  private var delay: ReconnectDelay
  /// When another attempt to connect is allowed.
  private var notBefore: ContinuousClock.Instant?
  private var isClosed = false
  private var next = 0
  private var opening: Set<Int> = []
  private var inUse: Set<Int> = []
  /// The one that was used last is the last: the others may notice that they ended.
  private var idle: [Int] = []
  private var waiting: [Int] = []

  /// Creates the state of a pool without connections.
  init(_ limits: PostgresClientLimits) {
    most = limits.connections
    mostWaiting = limits.waiting
    delay = ReconnectDelay(limits)
  }

  /// How many connections are open or being opened.
  var connections: Int { opening.count + inUse.count + idle.count }

  /// Takes an idle connection, if there is one.
  mutating func takeIdle() -> Int? {
    guard let connection = idle.popLast() else { return nil }
    inUse.insert(connection)
    return connection
  }

  /// An operation needs a connection.
  mutating func acquire(_ operation: Int, at now: ContinuousClock.Instant) -> [Effect] {
    if isClosed { return [.refuse(operation: operation, .closed)] }
    if let connection = takeIdle() {
      return [.grant(operation: operation, connection: connection)]
    }
    guard waiting.count < mostWaiting else { return [.refuse(operation: operation, .crowded)] }
    waiting.append(operation)
    let effects = open(at: now)
    // Nothing is left that could end the wait.
    return opening.isEmpty && inUse.isEmpty ? refuseAll(.unreachable) : effects
  }

  /// An operation no longer needs its connection.
  mutating func release(
    _ connection: Int,
    isUsable: Bool,
    at now: ContinuousClock.Instant
  ) -> [Effect] {
    guard inUse.remove(connection) != nil else { return [] }
    guard isUsable, !isClosed else {
      return [.close(connection: connection)] + replace(at: now)
    }
    return use(connection)
  }

  /// A connection is open.
  mutating func opened(_ connection: Int) -> [Effect] {
    guard opening.remove(connection) != nil else { return [.close(connection: connection)] }
    delay.succeeded()
    notBefore = nil
    return use(connection)
  }

  /// A connection could not be opened; the sample is a random number of 0 to 1.
  mutating func failed(
    _ connection: Int,
    at now: ContinuousClock.Instant,
    sample: Double
  ) -> [Effect] {
    guard opening.remove(connection) != nil else { return [] }
    notBefore = now + delay.failed(sample: sample)
    return opening.isEmpty && inUse.isEmpty ? refuseAll(.unreachable) : []
  }

  /// A connection ended by itself; one that is in use is released later.
  mutating func lost(_ connection: Int) -> [Effect] {
    guard let place = idle.firstIndex(of: connection) else { return [] }
    idle.remove(at: place)
    return [.close(connection: connection)]
  }

  /// An operation stops waiting.
  mutating func leave(_ operation: Int, _ refusal: Refusal) -> [Effect] {
    guard let place = waiting.firstIndex(of: operation) else { return [] }
    waiting.remove(at: place)
    return [.refuse(operation: operation, refusal)]
  }

  /// Refuses what waits and everything from now on; connections in use are closed when they are released.
  mutating func close() -> [Effect] {
    isClosed = true
    opening = []
    defer { idle = [] }
    return refuseAll(.closed) + idle.map { .close(connection: $0) }
  }

  private mutating func use(_ connection: Int) -> [Effect] {
    guard !waiting.isEmpty else {
      idle.append(connection)
      return []
    }
    inUse.insert(connection)
    return [.grant(operation: waiting.removeFirst(), connection: connection)]
  }

  /// Opens a connection if more operations wait than connections are being opened.
  private mutating func open(at now: ContinuousClock.Instant) -> [Effect] {
    guard opening.count < waiting.count, connections < most, notBefore.map({ $0 <= now }) ?? true
    else { return [] }
    next += 1
    opening.insert(next)
    return [.open(connection: next)]
  }

  private mutating func replace(at now: ContinuousClock.Instant) -> [Effect] {
    let effects = open(at: now)
    return opening.isEmpty && inUse.isEmpty ? refuseAll(.unreachable) : effects
  }

  private mutating func refuseAll(_ refusal: Refusal) -> [Effect] {
    defer { waiting = [] }
    return waiting.map { .refuse(operation: $0, refusal) }
  }
}
