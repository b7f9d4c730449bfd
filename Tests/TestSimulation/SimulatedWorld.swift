/// A server of a simulation: a process that runs, pauses and dies.
package protocol SimulatedServer {
  /// Which process it is: another one after each start.
  var token: Int { get }
  /// Whether the process lives.
  var isAlive: Bool { get }
  /// Until when it is paused, in milliseconds since the start of the simulation.
  var pausedUntil: Int64 { get }
}

/// A simulation of several servers with a clock of its own.
package protocol SimulatedWorld: AnyObject {
  associatedtype Server: SimulatedServer

  /// The time, in milliseconds since the start of the simulation.
  var now: Int64 { get set }
  /// What is to happen.
  var queue: SimulationQueue { get set }
  /// The servers, by their numbers.
  var servers: [Server] { get }
}

extension SimulatedWorld {
  /// Lets happen what is to happen, as long as a condition is true.
  package func play(while isGoing: () -> Bool) {
    while isGoing(), let next = queue.next() {
      now = next.at
      next.run()
    }
  }

  /// Runs something after a wait, in milliseconds.
  package func schedule(in wait: Int64, _ run: @escaping () -> Void) {
    queue.add(at: now + max(wait, 0), run)
  }

  /// Runs something on a server that still is the same process, once it does not stand still.
  package func onServer(_ server: Int, in wait: Int64, _ run: @escaping () -> Void) {
    let token = servers[server].token
    schedule(in: wait) {
      let state = self.servers[server]
      guard state.token == token, state.isAlive else { return }
      let paused = state.pausedUntil - self.now
      if paused > 0 { return self.onServer(server, in: paused, run) }
      run()
    }
  }
}
