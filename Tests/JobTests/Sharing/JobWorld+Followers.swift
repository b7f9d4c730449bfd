import Jobs
import TestSimulation

@testable import JobsServer

// Clients that follow jobs, at one server after another.
extension JobWorld {
  /// A client.
  struct Client {
    var job: String?
    /// The number of the last event that it has.
    var last: Int64 = 0
    var hasEnd = false
    var server = 0
    /// The process that it is connected to.
    var token = 0
    /// Counts its connections.
    var connection = 0
    var connectedAt: Int64 = 0
    var queue = SubscriberQueue(after: 0, most: 4)
    var isSubscribed = false
  }

  /// Chooses a job and follows it.
  func choose(_ client: Int) {
    let open = rows.filter { !$0.value.state.isTerminal }.map(\.key).sorted()
    guard !open.isEmpty else {
      return schedule(in: 2_000) { self.choose(client) }
    }
    clients[client] = Client(
      job: open[Int(random.between(0, Int64(open.count) - 1))],
      connection: clients[client].connection
    )
    connect(client)
  }

  /// Connects to any server that answers.
  private func connect(_ client: Int) {
    guard let job = clients[client].job else { return }
    leave(client)
    let server = Int(random.between(0, Int64(servers.count) - 1))
    guard servers[server].isAlive, servers[server].pausedUntil <= now else { return again(client) }
    connections += 1
    clients[client].server = server
    clients[client].token = servers[server].token
    clients[client].connection += 1
    clients[client].connectedAt = now
    clients[client].queue = SubscriberQueue(after: 0, most: limits.waitingMessages)
    let connection = clients[client].connection
    if fault?.subscribesLate != true { subscribe(client, server, job) }
    // A client leaves now and then.
    if random.oneIn(3) {
      schedule(in: random.between(500, 20_000)) {
        guard self.clients[client].connection == connection else { return }
        self.again(client)
      }
    }
    watch(client, connection)
    transmit(server) {
      self.rows[job]
    } answer: { found in
      guard self.clients[client].connection == connection else { return }
      guard let row = found ?? nil else { return self.again(client) }
      self.catchUp(client, server, job, row)
    }
  }

  /// Reconnects when the server is gone.
  private func watch(_ client: Int, _ connection: Int) {
    schedule(in: 300) {
      let state = self.clients[client]
      guard state.connection == connection, !state.hasEnd else { return }
      let server = self.servers[state.server]
      guard server.token == state.token, server.isAlive else { return self.again(client) }
      self.watch(client, connection)
    }
  }

  private func again(_ client: Int) {
    leave(client)
    clients[client].connection += 1
    schedule(in: random.between(100, 1_500)) { self.connect(client) }
  }

  private func subscribe(_ client: Int, _ server: Int, _ job: String) {
    servers[server].positions.follow(job)
    clients[client].isSubscribed = true
  }

  private func leave(_ client: Int) {
    guard clients[client].isSubscribed, let job = clients[client].job else { return }
    clients[client].isSubscribed = false
    let (server, token) = (clients[client].server, clients[client].token)
    let others = clients.contains { $0.isSubscribed && $0.token == token && $0.job == job }
    if !others, servers[server].token == token { servers[server].positions.unfollow(job) }
  }

  /// Reads what the client missed, or the state in its place, as ``JobStream`` does.
  private func catchUp(_ client: Int, _ server: Int, _ job: String, _ row: Row) {
    let connection = clients[client].connection
    let last = clients[client].last
    let newest = EventPosition(epoch: 1, seq: Int64(row.events.count))
    let asked = last == 0 ? nil : EventPosition(epoch: 1, seq: last)
    var (after, most): (Int64, Int) = (newest.seq - 1, 1)
    if let start = newest.replayStart(for: asked, atMost: limits.replayedEvents) {
      (after, most) = (start, .max)
    } else if row.state.isTerminal {
      // The state, and the last event of a job that is over.
      clients[client].last = newest.seq - 1
    } else {
      if newest.seq < last { breaks(.reading, "a state of \(newest.seq) after \(last)") }
      clients[client].last = newest.seq
      return follow(client, server, job)
    }
    transmit(server) { [after, most] in
      Array((self.rows[job]?.events ?? []).dropFirst(Int(after)).prefix(most))
    } answer: { stored in
      guard self.clients[client].connection == connection else { return }
      guard let stored else { return self.again(client) }
      for event in stored { self.deliver(client, job, event, covers: event.position.seq) }
      if !self.clients[client].hasEnd { self.follow(client, server, job) }
    }
  }

  private func follow(_ client: Int, _ server: Int, _ job: String) {
    if fault?.subscribesLate == true { subscribe(client, server, job) }
    poll(client, clients[client].connection)
  }

  /// Takes what waits, as fast as the client reads.
  private func poll(_ client: Int, _ connection: Int) {
    guard clients[client].connection == connection, let job = clients[client].job,
      !clients[client].hasEnd
    else { return }
    let last = fault?.repeatsEvents == true ? 0 : clients[client].last
    if let entry = clients[client].queue.pop(after: last) {
      deliver(client, job, entry.event, covers: entry.covers)
    }
    onServer(clients[client].server, in: random.between(5, 400)) { self.poll(client, connection) }
  }

  /// Checks an event that a client reads.
  private func deliver(_ client: Int, _ job: String, _ event: JobEvent, covers: Int64) {
    readings += 1
    let (seq, last) = (event.position.seq, clients[client].last)
    if seq <= last { breaks(.reading, "\(client) reads \(seq) of \(job) after \(last)") }
    if covers > last + 1 { breaks(.reading, "\(client) lacks \(last + 1) of \(job) before \(seq)") }
    let stored = (rows[job]?.events ?? []).dropFirst(Int(seq) - 1).first
    if stored != event { breaks(.reading, "\(client) reads \(seq) of \(job), which is not stored") }
    clients[client].last = seq
    guard event.isTerminal else { return }
    clients[client].hasEnd = true
    leave(client)
    schedule(in: random.between(100, 3_000)) { self.choose(client) }
  }

  /// Gives an event to the subscribers of its job at a server.
  func push(_ server: Int, _ job: String, _ event: JobEvent) {
    for client in clients.indices
    where clients[client].isSubscribed && clients[client].job == job
      && clients[client].token == servers[server].token
    {
      clients[client].queue.push(event)
    }
  }

  // MARK: Relays

  /// Reads events and passes them on.
  private func relay(_ server: Int, _ read: RelayPositions.Read) {
    transmit(server) {
      Array((self.rows[read.job]?.events ?? []).dropFirst(Int(read.after)))
    } answer: { stored in
      guard let stored else { return self.servers[server].positions.failed() }
      for event in stored
      where self.servers[server].positions.relayed(read.job, event.position.seq) {
        self.push(server, read.job, event)
      }
    }
  }

  /// Reads again what could not be read.
  func retryReads(_ server: Int) {
    onServer(server, in: Int64(LeasedJobs.interval(limits) / .milliseconds(1))) {
      if self.fault?.retriesNoRead != true {
        for read in self.servers[server].positions.retry() { self.relay(server, read) }
      }
      self.retryReads(server)
    }
  }

  /// A connection that listens was opened: announcements may be missing.
  func gap(_ server: Int) {
    guard servers[server].cutUntil <= now, downUntil <= now else {
      return onServer(server, in: 500) {
        if self.servers[server].listening == nil { self.gap(server) }
      }
    }
    let number = random.between(0, .max - 1)
    servers[server].listening = Int(number)
    if fault?.repairsNoGap != true {
      for read in servers[server].positions.missed() { relay(server, read) }
    }
    search(server)
  }

  // MARK: Announcements

  func announce(_ job: String, _ seq: Int64) {
    hear {
      guard var read = self.servers[$0].positions.announced(job, seq) else { return }
      if self.fault?.readsWhatIsAnnounced == true { read.after = seq - 1 }
      self.relay($0, read)
    }
  }

  func announceOpen() { hear { self.search($0) } }

  /// Tells every server that listens, in the order of commits, however long it is paused.
  private func hear(_ notify: @escaping (Int) -> Void) {
    for server in servers.indices where servers[server].isAlive {
      guard let connection = servers[server].listening, fault?.losesNotifications != true else {
        continue
      }
      servers[server].inbox.append {
        if self.servers[server].listening == connection { notify(server) }
      }
      onServer(server, in: random.between(1, 30)) { self.servers[server].inbox.removeFirst()() }
    }
  }

  /// Checks that clients have the ends of their jobs.
  func checkDelivery() {
    for (number, client) in clients.enumerated() where client.isSubscribed && !client.hasEnd {
      guard let job = client.job, let row = rows[job], let end = row.events.last, end.isTerminal
      else { continue }
      let server = servers[client.server]
      guard server.token == client.token, isHealthy(server) else { continue }
      let since = max(end.at, server.healthySince, databaseHealthySince, client.connectedAt)
      // A slow client has some events before it.
      if now - since > Self.deliveryBound + 400 * Int64(limits.waitingMessages + 8) {
        breaks(.delivery, "\(number) has \(client.last) of \(row.events.count) of \(job)")
      }
    }
  }
}
