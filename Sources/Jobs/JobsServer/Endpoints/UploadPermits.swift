import Serving
import Synchronization

/// How many requests with input are read at once, and how much of them is in memory.
///
/// Those that find no room wait their turn for a while: most are read in milliseconds. The turn goes to a client network of which
/// the fewest requests are read, and none has more than its share of those that are read, and of those that wait.
final class UploadPermits: Sendable {
  private struct Waiting {
    var number: Int
    var client: Client
    var since: ContinuousClock.Instant
    var resume: CheckedContinuation<UploadPermit?, Never>
  }

  /// Whose request it is, and the most percent of places that the client may hold.
  fileprivate struct Client {
    var network: ClientNetwork?
    var percent: Int
  }

  private struct State {
    /// The requests that are read.
    var reading: FairPlaces
    /// The requests that wait.
    var places: FairPlaces
    var bytes = 0
    /// The waiters, in order.
    var waiting: [Waiting] = []
    /// How many have waited.
    var number = 0

    mutating func enters(_ client: Client) -> Bool {
      reading.enter(client.network, percent: client.percent) == nil
    }

    /// The one that is read next, if one may be.
    mutating func next() -> Waiting? {
      let order = waiting.indices.sorted { left, right in
        let counts = [left, right].map { place in
          waiting[place].client.network.map { reading.count(of: $0) } ?? 0
        }
        return (counts[0], left) < (counts[1], right)
      }
      for place in order where enters(waiting[place].client) {
        let next = waiting.remove(at: place)
        places.leave(next.client.network)
        return next
      }
      return nil
    }
  }

  private let mostBytes: Int
  private let state: Mutex<State>

  init(most: Int, mostBytes: Int, mostWaiting: Int) {
    self.mostBytes = mostBytes
    state = Mutex(State(reading: FairPlaces(most: most), places: FairPlaces(most: mostWaiting)))
  }

  /// Takes a permit for the request that the task works on.
  ///
  /// - Parameter patience: How long to wait for one.
  /// - Returns: The permit; `nil` if none is free in time, if too many wait, or if the task is canceled.
  func acquire(within patience: Duration) async -> UploadPermit? {
    let admission = AdmissionPermit.current
    let client = Client(network: admission?.network, percent: admission?.percent ?? 100)
    let number = state.withLock { state in
      state.number += 1
      return state.number
    }
    return await withTaskCancellationHandler {
      await withCheckedContinuation { resume in
        let isWaiting: Bool
        let permit: UploadPermit?
        (isWaiting, permit) = state.withLock { state in
          if state.enters(client) { return (false, UploadPermit(self, client.network)) }
          guard !Task.isCancelled,
            state.places.enter(client.network, percent: client.percent) == nil
          else { return (false, nil) }
          state.waiting.append(Waiting(number: number, client: client, since: .now, resume: resume))
          return (true, nil)
        }
        guard isWaiting else { return resume.resume(returning: permit) }
        Task {
          try? await Task.sleep(for: patience)
          leave(number)
        }
      }
    } onCancel: {
      leave(number)
    }
  }

  /// How many wait for a permit.
  var waitingCount: Int { state.withLock { $0.waiting.count } }

  /// Writes measurements: what is read, and what waits for that.
  func write(to metrics: inout MetricsText) {
    let now = ContinuousClock.now
    let (reading, bytes, waiting, oldest) = state.withLock { state in
      (
        state.reading.taken, state.bytes, state.waiting.count,
        state.waiting.first.map { $0.since.duration(to: now) / .seconds(1) }
      )
    }
    metrics.add(
      "freshet_jobs_uploads",
      .gauge,
      "Requests with the input of a job, by whether they are read or wait for that",
      [
        (labels: [("state", "reading")], value: Double(reading)),
        (labels: [("state", "waiting")], value: Double(waiting)),
      ]
    )
    metrics.add(
      "freshet_jobs_upload_bytes",
      .gauge,
      "Input of jobs that is in memory because its request is not over",
      Double(bytes)
    )
    metrics.add(
      "freshet_jobs_uploads_oldest_waiting_seconds",
      .gauge,
      "How long the oldest request with input has waited to be read; 0 if none waits",
      oldest ?? 0
    )
  }

  /// Ends a wait.
  private func leave(_ number: Int) {
    let left = state.withLock { state -> Waiting? in
      guard let place = state.waiting.firstIndex(where: { $0.number == number }) else { return nil }
      let left = state.waiting.remove(at: place)
      state.places.leave(left.client.network)
      return left
    }
    left?.resume.resume(returning: nil)
  }

  fileprivate func reserve(_ bytes: Int) -> Bool {
    state.withLock { state in
      guard state.bytes + bytes <= mostBytes else { return false }
      state.bytes += bytes
      return true
    }
  }

  fileprivate func giveBack(_ bytes: Int, of network: ClientNetwork?) {
    let next = state.withLock { state -> [(Waiting, UploadPermit)] in
      state.bytes -= bytes
      state.reading.leave(network)
      var next: [(Waiting, UploadPermit)] = []
      while let waiting = state.next() {
        next.append((waiting, UploadPermit(self, waiting.client.network)))
      }
      return next
    }
    for (waiting, permit) in next { waiting.resume.resume(returning: permit) }
  }
}

/// The permit of one request; released when the last reference to it goes away.
final class UploadPermit: Sendable {
  private let permits: UploadPermits
  private let network: ClientNetwork?
  private let bytes = Atomic(0)

  fileprivate init(_ permits: UploadPermits, _ network: ClientNetwork?) {
    self.permits = permits
    self.network = network
  }

  deinit { permits.giveBack(bytes.load(ordering: .relaxed), of: network) }

  /// Takes room for bytes that came; `false` if all requests together have too much of it.
  func reserve(_ count: Int) -> Bool {
    guard permits.reserve(count) else { return false }
    bytes.add(count, ordering: .relaxed)
    return true
  }
}
