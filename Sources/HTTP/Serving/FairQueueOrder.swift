/// Whose request runs next, when several clients ask at a time.
///
/// As long as one network asks, all its requests run. While several do, each has at most ``most`` that run, and its others
/// wait in the order in which they came: so a client that asks much waits for itself, and others find a processor free.
struct FairQueueOrder<Permit: Equatable> {
  /// How many requests of one network run while others ask too.
  let most: Int
  /// For how long a network counts as one that asks, in seconds after its last request.
  let memory: Double
  /// Of more networks than these only those with requests under way are remembered.
  static var mostClients: Int { 65_536 }

  private struct Client {
    var running = 0
    var waiting: [Permit] = []
    var seen: Double
  }

  private var clients: [ClientNetwork?: Client] = [:]
  /// Before then no network is forgotten.
  private var nextLook = -Double.infinity

  init(most: Int, memory: Double) {
    self.most = max(1, most)
    self.memory = memory
  }

  /// Whether several networks ask.
  var isContested: Bool { clients.count > 1 }
  /// How many requests wait.
  var waiting: Int { clients.values.reduce(0) { $0 + $1.waiting.count } }

  /// A request came.
  ///
  /// - Returns: Whether it runs; else its ticket comes out of ``leave(_:now:)`` when it may.
  mutating func enter(_ network: ClientNetwork?, _ ticket: Permit, now: Double) -> Bool {
    forget(before: now - memory, now: now)
    clients[network, default: Client(seen: now)].seen = now
    guard isContested, let client = clients[network],
      client.running >= most || !client.waiting.isEmpty
    else {
      clients[network]?.running += 1
      return true
    }
    clients[network]?.waiting.append(ticket)
    return false
  }

  /// A request is answered, or waits for something else than a processor.
  ///
  /// - Returns: The tickets of those that run from now on.
  mutating func leave(_ network: ClientNetwork?, now: Double) -> [Permit] {
    forget(before: now - memory, now: now)
    guard var client = clients[network] else { return [] }
    client.running -= 1
    let free = isContested ? max(0, most - client.running) : client.waiting.count
    let next = Array(client.waiting.prefix(free))
    client.waiting.removeFirst(next.count)
    client.running += next.count
    clients[network] = client
    return next
  }

  /// A request that waits is not wanted any more.
  mutating func abandon(_ network: ClientNetwork?, _ ticket: Permit) {
    clients[network]?.waiting.removeAll { $0 == ticket }
  }

  /// Forgets networks that have not asked for long, once a second at most.
  private mutating func forget(before: Double, now: Double) {
    guard now >= nextLook else { return }
    nextLook = now + 1
    guard isContested else { return }
    let before = clients.count > Self.mostClients ? now : before
    clients = clients.filter { _, client in
      client.seen >= before || client.running > 0 || !client.waiting.isEmpty
    }
  }
}
