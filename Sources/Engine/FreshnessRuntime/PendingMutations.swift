import Freshness

extension FreshnessClient {
  /// Changes a resource on the server, and shows the expected result until the server confirms it.
  ///
  /// ```swift
  /// try await client.mutate(todos) { $0[3].isDone = true } sending: {
  ///   try await api.complete(todo)
  /// }
  /// ```
  ///
  /// While `send` runs and until a response that the server made later has arrived, observers see the copy
  /// with the change applied, labeled as local (R38). Responses that arrive before that stay
  /// underneath. If `send` throws, the change is taken back: observers see the server's copy with
  /// the age that it has. Mutations of one resource may overlap; each is taken back by itself.
  ///
  /// After a success the resource is refreshed, a burst begins (R13), and the resources with the
  /// given tags are refreshed.
  ///
  /// - Parameters:
  ///   - resource: The resource that is shown. If it has no observers, only `send` runs.
  ///   - tags: The tags of other resources that the change affects.
  ///   - change: Applies the expected result. It is called again for each new copy, on any thread.
  ///   - send: Carries out the change on the server.
  /// - Returns: What `send` returns.
  /// - Throws: What `send` throws, once the change is taken back.
  public func mutate<R: FreshResource, Result, Problem: Error>(
    _ resource: R,
    invalidating tags: Set<String> = [],
    _ change: @escaping @Sendable (inout R.Value) -> Void,
    sending send: nonisolated(nonsending) () async throws(Problem) -> Result
  ) async throws(Problem) -> Result {
    let resourceEntry = withRegistry { $0.resourceEntry(of: resource) }
    let number = resourceEntry?.begin(change)
    let result: Result
    do throws(Problem) {
      result = try await send()
    } catch {
      if let number { resourceEntry?.takeBack(number) }
      // A request without an answer may have been carried out.
      refreshAll(resource, tags)
      throw error
    }
    if let resourceEntry, let number { accepted(number, in: resourceEntry) }
    acted(on: resource)
    refreshAll(resource, tags)
    return result
  }

  /// Refreshes the observed resources with a tag; others are requested when they are next observed.
  public func invalidate(tag: String) {
    withRegistry { registry in invalidate([tag], besides: nil, in: &registry) }
  }

  private func invalidate(
    _ tags: Set<String>,
    besides other: MachineSchedule.Key?,
    in registry: inout ClientRegistry
  ) {
    for key in registry.keys where key != other {
      guard let entry = registry.entries[key], !tags.isDisjoint(with: entry.tags),
        !entry.observers.isEmpty
      else { continue }
      handle(.refreshRequested(.change), for: key, in: &registry)
    }
  }

  private func refreshAll<R: FreshResource>(_ resource: R, _ tags: Set<String>) {
    refresh(resource, .change)
    withRegistry { registry in
      invalidate(tags, besides: registry.key(of: resource), in: &registry)
    }
  }

  /// Records that the server has accepted a change: a response that it made later confirms it.
  ///
  /// The entry may have been removed and opened again meanwhile; then the change is not shown.
  private func accepted<R: FreshResource>(_ number: Int64, in resourceEntry: ResourceEntry<R>) {
    withRegistry { registry in
      let key = registry.key(of: resourceEntry.resource)
      resourceEntry.accepted(
        number,
        at: clock.now(),
        during: key.flatMap { registry.schedule[$0]?.outstanding }
      )
    }
  }
}

/// The mutations of a resource that no response has confirmed.
struct PendingMutations<Value: Sendable>: Sendable {
  private struct Mutation {
    var number: Int64
    var change: @Sendable (inout Value) -> Void
    /// When the server had accepted the mutation, if it has.
    var acceptedAt: Instant?
    /// The request that was then in flight.
    var outstanding: Ticket?
  }

  /// The maximum number; beyond it, the oldest expected result is no longer shown.
  static var most: Int { 256 }

  private var mutations: [Mutation] = []
  private var numbers: Int64 = 0

  /// Whether no mutation is pending.
  var isEmpty: Bool { mutations.isEmpty }

  /// The changes in the order in which they began.
  var changes: [@Sendable (inout Value) -> Void] { mutations.map(\.change) }

  /// Adds a mutation and returns its number.
  mutating func begin(_ change: @escaping @Sendable (inout Value) -> Void) -> Int64 {
    numbers += 1
    mutations.append(Mutation(number: numbers, change: change))
    mutations.removeFirst(max(mutations.count - Self.most, 0))
    return numbers
  }

  /// Removes a mutation; returns whether it was there.
  mutating func remove(_ number: Int64) -> Bool {
    let count = mutations.count
    mutations.removeAll { $0.number == number }
    return mutations.count < count
  }

  /// Records that the server has accepted a mutation by an instant.
  ///
  /// The response to the request that is then in flight does not confirm it, in whichever
  /// millisecond it was sent.
  mutating func accepted(_ number: Int64, at now: Instant, during outstanding: Ticket?) {
    guard let index = mutations.firstIndex(where: { $0.number == number }) else { return }
    mutations[index].acceptedAt = now
    mutations[index].outstanding = outstanding
  }

  /// Removes the mutations that a copy as of an instant shows (R38), by the response to a request or
  /// by the stream.
  ///
  /// - Returns: Whether there were any.
  mutating func confirm(asOf made: Instant, by request: Ticket?) -> Bool {
    let count = mutations.count
    mutations.removeAll { mutation in
      guard let acceptedAt = mutation.acceptedAt, acceptedAt <= made else { return false }
      return request == nil || request != mutation.outstanding
    }
    return mutations.count < count
  }

  /// Removes all.
  mutating func removeAll() { mutations = [] }
}
