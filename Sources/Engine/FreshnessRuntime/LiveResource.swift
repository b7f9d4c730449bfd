public import Freshness
public import Observation

/// A resource as an observable object, for views.
///
/// ```swift
/// @State private var board = LiveResource(resource, client: client)
/// // body: Text(board.value?.title ?? ""), .task { await board.observe() }
/// ```
///
/// It observes while ``observe()`` runs. A new ``resource`` replaces the old one at once: the old
/// copy is removed before the next view update (R4).
@MainActor
@Observable
public final class LiveResource<R: FreshResource> {
  /// The observed resource.
  public var resource: R {
    didSet {
      guard resource != oldValue else { return }
      show(client.snapshot(of: resource))
      switches += 1
      turn?.cancel()
    }
  }

  /// The current copy; `nil` before the first response.
  public private(set) var value: R.Value?
  /// The most recent failure, until the next success.
  public private(set) var failure: LiveFailure?
  /// Whether to show the loading hint (R25).
  public private(set) var isLoading = false
  /// The marker, the badge and the age, as of the last change.
  public private(set) var label: FreshnessLabel?

  @ObservationIgnored private let client: FreshnessClient
  @ObservationIgnored private var switches = 0
  @ObservationIgnored private var turn: Task<Void, Never>?

  /// Creates an object that does not observe yet.
  ///
  /// - Parameters:
  ///   - resource: The resource to observe.
  ///   - client: The client that keeps it fresh.
  public init(_ resource: R, client: FreshnessClient) {
    self.resource = resource
    self.client = client
    show(client.snapshot(of: resource))
  }

  /// Observes until the task is canceled.
  public func observe() async {
    while !Task.isCancelled {
      let seen = switches
      let turn = Task { [weak self, client, resource] in
        for await snapshot in client.snapshots(of: resource) {
          guard let self, self.switches == seen else { return }
          self.show(snapshot)
        }
      }
      self.turn = turn
      await withTaskCancellationHandler {
        await turn.value
      } onCancel: {
        turn.cancel()
      }
    }
  }

  /// How fresh the resource is now; for a label that counts the seconds (R27, R28).
  public var freshness: FreshnessReport? { client.freshness(of: resource) }

  /// Requests a refresh on behalf of the user.
  public func refresh(_ wish: RefreshRequest = .person) { client.refresh(resource, wish) }

  private func show(_ snapshot: LiveSnapshot<R.Value>?) {
    value = snapshot?.value
    failure = snapshot?.failure
    isLoading = snapshot?.isLoading ?? false
    label = snapshot?.label
  }
}
