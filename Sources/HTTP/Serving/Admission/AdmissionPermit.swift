import Synchronization

/// The admission of one request: whose it is, and its turn.
package final class AdmissionPermit: Sendable {
  /// The permit of the request that the task works on; `nil` where requests are not admitted by their clients.
  @TaskLocal package static var current: AdmissionPermit?

  /// The client; `nil` on a Unix socket.
  package let network: ClientNetwork?
  /// The most percent of places that one client may hold.
  package let percent: Int
  private let queue: AdmissionQueue
  private let route: String?

  private struct Turn {
    var request: FairAdmission.Running?
    var account: FairAdmission.Account
    var cost = 0.0
  }

  private let turn: Mutex<Turn?>

  init(_ queue: AdmissionQueue, _ network: ClientNetwork?, percent: Int, route: String?) {
    self.queue = queue
    self.network = network
    self.percent = percent
    self.route = route
    turn = Mutex(nil)
  }

  /// The request runs.
  func began(_ request: FairAdmission.Running) {
    turn.withLock { turn in
      turn = Turn(request: request, account: request.account, cost: turn?.cost ?? 0)
    }
  }

  /// Gives the slot back, if it is held.
  package func release() {
    guard let request = turn.withLock({ $0?.request.take() }) else { return }
    let cost = queue.end(request)
    turn.withLock { $0?.cost += cost }
  }

  /// The request is answered.
  func end() {
    release()
    if let cost = turn.withLock({ $0?.cost }) { queue.learn(cost, route: route) }
  }

  /// Takes a slot again, as soon as it is the client's turn.
  ///
  /// - Throws: `CancellationError` once the task is canceled, without a slot.
  package func takeAgain() async throws {
    guard let account = turn.withLock({ $0?.account }) else { return }
    switch queue.resume(account, route: route) {
    case .runs(let request, _): began(request)
    case .waits(let number): began(try await queue.wait(number))
    case .refused: break
    }
  }

  /// Takes a further slot for work that the request needs while it waits, as soon as it is the client's turn.
  ///
  /// - Returns: The slot, to be given back; `nil` where requests are not admitted by their clients.
  /// - Throws: `CancellationError` once the task is canceled.
  package static func turn() async throws -> AdmissionTurn? {
    guard let permit = current, let account = permit.turn.withLock({ $0?.account }) else {
      return nil
    }
    switch permit.queue.resume(account, route: permit.route) {
    case .runs(let request, _): return AdmissionTurn(permit.queue, request)
    case .waits(let number):
      return AdmissionTurn(permit.queue, try await permit.queue.wait(number))
    case .refused: return nil
    }
  }

  /// Gives the slot back while a request waits for something else than a processor, and takes one again.
  ///
  /// - Parameter wait: The wait.
  /// - Returns: The result of the wait.
  /// - Throws: What the wait throws; `CancellationError` once the task is canceled.
  package static func pause<Value>(while wait: () async throws -> Value) async throws -> Value {
    guard let permit = current else { return try await wait() }
    permit.release()
    let value = try await wait()
    try await permit.takeAgain()
    return value
  }
}

/// A slot for a part of the work of a request.
package struct AdmissionTurn: Sendable {
  private let queue: AdmissionQueue
  private let request: FairAdmission.Running

  fileprivate init(_ queue: AdmissionQueue, _ request: FairAdmission.Running) {
    self.queue = queue
    self.request = request
  }

  /// Gives the slot back.
  package func end() { _ = queue.end(request) }
}
