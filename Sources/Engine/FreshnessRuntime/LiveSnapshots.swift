import Freshness

/// The snapshots of one resource, of which only the newest is buffered.
///
/// Each iteration is a separate observer. It observes from its first `next()` until its iterator is
/// released or its task is canceled.
public struct LiveSnapshots<R: FreshResource>: AsyncSequence, Sendable {
  /// A snapshot.
  public typealias Element = LiveSnapshot<R.Value>
  /// The sequence does not fail; snapshots carry failures.
  public typealias Failure = Never

  let client: FreshnessClient
  let resource: R
  let interval: Instant.Duration?

  /// Begins an iteration.
  public func makeAsyncIterator() -> Iterator { Iterator(sequence: self) }

  /// One observer.
  public struct Iterator: AsyncIteratorProtocol, Sendable {
    /// A snapshot.
    public typealias Element = LiveSnapshot<R.Value>

    let sequence: LiveSnapshots
    private var observation: ResourceObservation<R>?
    private var isOver = false

    init(sequence: LiveSnapshots) { self.sequence = sequence }

    /// Waits for a snapshot that this observer has not seen.
    ///
    /// - Returns: The newest one, or `nil` once the task is canceled.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Never) -> LiveSnapshot<R.Value>? {
      guard !isOver else { return nil }
      let observation =
        observation
        ?? ResourceObservation(sequence.client, sequence.resource, every: sequence.interval)
      self.observation = observation
      if let snapshot = await observation.resourceEntry.next(observation.number) { return snapshot }
      isOver = true
      self.observation = nil
      return nil
    }
  }
}

/// One observer of a resource, for the lifetime of this object.
final class ResourceObservation<R: FreshResource>: Sendable {
  let client: FreshnessClient
  let resourceEntry: ResourceEntry<R>
  let key: MachineSchedule.Key
  let number: Int64

  init(_ client: FreshnessClient, _ resource: R, every interval: Instant.Duration?) {
    self.client = client
    (resourceEntry, key, number) = client.join(resource, every: interval)
  }

  deinit { client.leave(number, resourceEntry: resourceEntry, key: key) }
}
