public import Foundation
public import Freshness

/// The copies of a resource, each with its freshness, of which only the newest is buffered.
///
/// Elements begin with the first copy. A new one follows when the copy, its failure or its label
/// changes. A first request that fails has no copy to show: ``FreshnessClient/snapshots(of:every:)``
/// reports it. Each iteration is a separate observer, from its first `next()` until its iterator is
/// released or its task is canceled.
public struct LiveValues<R: FreshResource>: AsyncSequence, Sendable {
  /// A copy with its freshness.
  public typealias Element = Fresh<R.Value>
  /// The sequence does not fail; elements carry failures.
  public typealias Failure = Never

  let snapshots: LiveSnapshots<R>
  let keeper: CopyKeeper<R>?

  /// Begins an iteration.
  public func makeAsyncIterator() -> Iterator {
    Iterator(snapshots: snapshots.makeAsyncIterator(), keeper: keeper)
  }

  /// One observer.
  public struct Iterator: AsyncIteratorProtocol, Sendable {
    /// A copy with its freshness.
    public typealias Element = Fresh<R.Value>

    var snapshots: LiveSnapshots<R>.Iterator
    let keeper: CopyKeeper<R>?
    private var isRestored = false
    private var last: Appearance?

    init(snapshots: LiveSnapshots<R>.Iterator, keeper: CopyKeeper<R>?) {
      self.snapshots = snapshots
      self.keeper = keeper
    }

    /// What makes an element worth delivering.
    private struct Appearance: Equatable {
      var copy: Int64
      var failure: LiveFailure?
      var label: FreshnessLabel
    }

    /// Waits for a copy, a failure or a label that this observer has not seen.
    ///
    /// - Returns: The newest one, or `nil` once the task is canceled.
    public mutating func next(
      isolation actor: isolated (any Actor)?
    ) async throws(Never) -> Fresh<R.Value>? {
      if !isRestored, let keeper { await keeper.restore() }
      isRestored = true
      while let snapshot = await snapshots.next(isolation: actor) {
        guard let value = snapshot.value else { continue }
        await keeper?.keep(snapshot)
        var label = snapshot.label
        label.age = nil
        let seen = Appearance(copy: snapshot.copy, failure: snapshot.failure, label: label)
        guard seen != last else { continue }
        last = seen
        let (client, resource) = (snapshots.sequence.client, snapshots.sequence.resource)
        return Fresh(
          value,
          failure: snapshot.failure,
          label: snapshot.label,
          clock: client.clock
        ) { [copy = snapshot.copy] in
          client.reading(of: resource).flatMap { $0.copy == copy ? $0.report : nil }
        }
      }
      return nil
    }

    /// Waits for a copy, a failure or a label that this observer has not seen.
    public mutating func next() async -> Fresh<R.Value>? { await next(isolation: #isolation) }
  }
}

extension FreshnessClient {
  /// Returns the copies of a resource as they change, each with its freshness.
  ///
  /// - Parameters:
  ///   - resource: The resource to keep fresh.
  ///   - interval: The interval that this observer requests instead of the policy's.
  /// - Returns: A sequence that observes the resource while it is iterated.
  public func values<R: FreshResource>(
    of resource: R,
    every interval: Duration? = nil
  )
    -> LiveValues<R>
  {
    LiveValues(
      snapshots: snapshots(of: resource, every: interval.map { Instant.Duration($0) }),
      keeper: nil
    )
  }

  /// Returns the copies of a resource as they change, beginning with the stored one (R38).
  ///
  /// - Parameters:
  ///   - resource: The resource to keep fresh.
  ///   - store: Keeps the newest copy from the server between runs.
  ///   - interval: The interval that this observer requests instead of the policy's.
  /// - Returns: A sequence that observes the resource while it is iterated.
  public func values<R: FreshResource>(
    of resource: R,
    keptIn store: CopyStore,
    every interval: Duration? = nil
  ) -> LiveValues<R> where R.Value: Codable {
    LiveValues(
      snapshots: snapshots(of: resource, every: interval.map { Instant.Duration($0) }),
      keeper: CopyKeeper(resource, of: self, in: store)
    )
  }

  /// Returns the documents of a URL as they change, each with its freshness.
  ///
  /// ```swift
  /// let client = FreshnessClient(exchange: URLSessionExchange(), policy: Policy(every: .seconds(15)))
  /// for await board in client.values(of: url, as: Board.self) {
  ///   show(board.value, age: board.age, state: board.state)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - url: An http or https URL.
  ///   - type: The type of the document.
  ///   - policy: The constants; `nil` uses those of the client.
  /// - Returns: A sequence that observes the document while it is iterated.
  public func values<Value: Decodable & Equatable & Sendable>(
    of url: URL,
    as type: Value.Type,
    policy: Policy? = nil
  ) -> LiveValues<JSONResource<Value>> {
    values(of: JSONResource(url, as: type, policy: policy))
  }
}

extension Instant.Duration {
  /// Creates a length from a `Duration`, rounded down to whole milliseconds.
  init(_ duration: Duration) { self.init(milliseconds: duration.wholeMilliseconds) }
}
