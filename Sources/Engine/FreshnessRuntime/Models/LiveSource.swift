public import Freshness

/// What a ``LiveValue`` observes: a resource of a client, or anything else with snapshots and an age.
public struct LiveSource<Value: Sendable>: Sendable {
  /// Passes a snapshot to the model.
  public typealias Show = @MainActor @Sendable (LiveSnapshot<Value>) -> Void

  /// The clock by which the age grows.
  let clock: HostClock
  let snapshot: @Sendable () -> LiveSnapshot<Value>?
  let freshness: @Sendable () -> FreshnessReport?
  let refresh: @Sendable (RefreshRequest) -> Void
  let observe: nonisolated(nonsending) @Sendable (@escaping Show) async -> Void

  /// Creates a source.
  ///
  /// - Parameters:
  ///   - clock: The clock by which the age grows.
  ///   - snapshot: Returns the current snapshot, if any.
  ///   - freshness: Returns how fresh the current copy is.
  ///   - refresh: Requests a refresh.
  ///   - observe: Passes on snapshots until its task is canceled.
  public init(
    clock: HostClock,
    snapshot: @escaping @Sendable () -> LiveSnapshot<Value>?,
    freshness: @escaping @Sendable () -> FreshnessReport?,
    refresh: @escaping @Sendable (RefreshRequest) -> Void,
    observe: nonisolated(nonsending) @escaping @Sendable (@escaping Show) async -> Void
  ) {
    self.clock = clock
    self.snapshot = snapshot
    self.freshness = freshness
    self.refresh = refresh
    self.observe = observe
  }

  /// Creates a source from a resource of a client.
  public init<R: FreshResource>(_ resource: R, of client: FreshnessClient) where R.Value == Value {
    self.init(resource, of: client, keeper: nil)
  }

  /// Creates a source from a resource of a client, whose newest copy is kept between runs (R38).
  public init<R: FreshResource>(
    _ resource: R,
    of client: FreshnessClient,
    keptIn store: CopyStore
  ) where R.Value == Value, Value: Codable {
    self.init(resource, of: client, keeper: CopyKeeper(resource, of: client, in: store))
  }

  private init<R: FreshResource>(
    _ resource: R,
    of client: FreshnessClient,
    keeper: CopyKeeper<R>?
  ) where R.Value == Value {
    self.init(
      clock: client.clock,
      snapshot: { client.snapshot(of: resource) },
      freshness: { client.freshness(of: resource) },
      refresh: { client.refresh(resource, $0) },
      observe: { show in
        await keeper?.restore()
        for await snapshot in client.snapshots(of: resource) {
          await show(snapshot)
          await keeper?.keep(snapshot)
        }
      }
    )
  }
}
