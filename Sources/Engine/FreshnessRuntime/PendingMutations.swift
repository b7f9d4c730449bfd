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
  /// While `send` runs and until a response to a later request has arrived, observers see the copy
  /// with the change applied, labeled as local (R38). Responses that arrive before that stay
  /// underneath. If `send` throws, the change is taken back: observers see the server's copy with
  /// the age that it has. Mutations of one resource may overlap; each is taken back by itself.
  ///
  /// After a success the resource is refreshed, a burst begins (R13), and the resources with the
  /// given tags are refreshed.
  ///
  /// - Parameters:
  ///   - resource: The resource that is shown. If nobody has observed it, only `send` runs.
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
    let number = begin(change, of: resource)
    let result: Result
    do throws(Problem) {
      result = try await send()
    } catch {
      if let number { takeBack(number, of: resource) }
      // A request without an answer may have been carried out.
      refreshAll(resource, tags)
      throw error
    }
    if let number { sent(number, of: resource) }
    acted(on: resource)
    refreshAll(resource, tags)
    return result
  }

  /// Refreshes the observed resources with a tag; others are requested when they are next observed.
  public func invalidate(tag: String) {
    withLedger { ledger in
      for key in ledger.keys {
        guard let entry = ledger.entries[key], entry.tags.contains(tag), !entry.observers.isEmpty
        else { continue }
        handle(.wished(.change), for: key, in: &ledger)
      }
    }
  }

  private func refreshAll<R: FreshResource>(_ resource: R, _ tags: Set<String>) {
    refresh(resource, .change)
    for tag in tags.sorted() { invalidate(tag: tag) }
  }

  /// Shows a change; returns its number, or `nil` if the resource is not registered.
  private func begin<R: FreshResource>(
    _ change: @escaping @Sendable (inout R.Value) -> Void,
    of resource: R
  ) -> Int64? {
    withLedger { $0.cell(of: resource) }.map { $0.begin(change) }
  }

  private func takeBack<R: FreshResource>(_ number: Int64, of resource: R) {
    withLedger { $0.cell(of: resource) }?.takeBack(number)
  }

  /// Records that the server has accepted a change: a response to a later request confirms it.
  private func sent<R: FreshResource>(_ number: Int64, of resource: R) {
    withLedger { ledger in
      guard let key = ledger.key(of: resource), let cell = ledger.cell(of: resource) else { return }
      cell.sent(number, after: ledger.entries[key]?.generation ?? 0, at: clock.now())
    }
  }
}

/// A response that may confirm mutations.
struct Confirmation: Sendable {
  /// The generation of its request.
  var generation: Int64
  /// How long ago a cache made it, at most; `nil` if it is no copy of a cache.
  var stored: Timespan?

  /// Creates a confirmation by a response.
  init(generation: Int64, marks: FreshnessMetadata, delay: Timespan?) {
    self.generation = generation
    // `Age` counts whole seconds (RFC 9111 section 5.1).
    if marks.transit > .zero { stored = marks.transit + .seconds(1) + (delay ?? .zero) }
  }
}

/// The mutations of a resource that no response has confirmed.
struct PendingMutations<Value: Sendable>: Sendable {
  private struct Mutation {
    var number: Int64
    var change: @Sendable (inout Value) -> Void
    /// The last request that was sent before the server accepted the mutation.
    var generation: Int64?
    /// When the server accepted the mutation.
    var acceptedAt = Moment(milliseconds: 0)
  }

  /// The maximum number; beyond it, the oldest expected result is not shown any more.
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

  /// Records that the server accepted a mutation at an instant.
  mutating func sent(_ number: Int64, after generation: Int64, at now: Moment) {
    guard let index = mutations.firstIndex(where: { $0.number == number }) else { return }
    mutations[index].generation = generation
    mutations[index].acceptedAt = now
  }

  /// Removes the mutations that a response confirms; returns whether there were any.
  ///
  /// One that a cache made before the server accepted a mutation does not show it.
  mutating func confirm(by response: Confirmation, at now: Moment) -> Bool {
    let count = mutations.count
    let servedAt = response.stored.map { now - $0 }
    mutations.removeAll { mutation in
      guard let generation = mutation.generation, generation < response.generation else {
        return false
      }
      return servedAt.map { $0 >= mutation.acceptedAt } ?? true
    }
    return mutations.count < count
  }

  /// Removes all.
  mutating func removeAll() { mutations = [] }
}
