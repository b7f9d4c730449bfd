public import ConditionalHTTP
public import Foundation
public import Freshness
public import FreshnessRuntime
public import Observation
public import Stationboard

/// Everything a departure-board app shows: search, the open stop and its live board, favourites and problems, as
/// observable properties.
///
/// ```swift
/// let model = try BoardModel(server: "https://example.org", exchange: exchange, streaming: exchange)
/// model.query = "lausanne"                 // model.matches follows
/// model.open(model.matches[0])             // model.board follows, for as long as the stop is open
/// ```
///
/// The engine keeps the open board fresh (``FreshnessRuntime/FreshnessClient``): another stop replaces the old one at
/// once (R4); a failure is shown beside the board and never clears it (R22).
@MainActor
@Observable
public final class BoardModel {
  /// The wait after a letter before a search begins (mesdeparts.md 4.1).
  public static let debounce = Duration.milliseconds(180)
  /// The fewest letters that are searched for.
  public static let fewestLetters = 2
  /// The most stops that a search gives.
  public static let mostMatches = 10

  /// The text of the search field.
  public var query = "" { didSet { if query != oldValue { search() } } }
  /// The stops that fit ``query``, best first.
  public private(set) var matches: [StopMatch] = []
  /// Whether a search is under way.
  public private(set) var isSearching = false
  /// What went wrong with the last search.
  public private(set) var searchMessage: BoardMessage?

  /// The stop whose board is open.
  public private(set) var stop: FavouriteStop?
  /// The stops that the person saved.
  public private(set) var favourites: FavouriteStops

  /// The language of names and messages.
  public var language: BoardLanguage {
    didSet {
      guard language != oldValue else { return }
      if let stop { open(stop) }
      search()
    }
  }

  /// The most departures of a board.
  public let limit: Int

  private var live: LiveValue<BoardCopy>?
  @ObservationIgnored private var resource: BoardResource?
  @ObservationIgnored private let stops: BoardClient
  @ObservationIgnored private let client: FreshnessClient
  @ObservationIgnored private let policy: Policy
  @ObservationIgnored private let store: CopyStore?
  @ObservationIgnored private let defaults: UserDefaults?
  @ObservationIgnored private var searching: Task<Void, Never>?

  /// Creates a model with no stop open.
  ///
  /// - Parameters:
  ///   - server: The server's address, such as `https://example.org`.
  ///   - exchange: Sends the requests.
  ///   - streaming: Opens streams; without it the board is polled only.
  ///   - policy: The constants of the engine.
  ///   - language: The language of names and messages.
  ///   - limit: The most departures of a board.
  ///   - defaults: Where favourites are saved; `nil` to not save them.
  ///   - store: Keeps the newest boards between runs (R38).
  ///   - clock: The time.
  /// - Throws: ``StationboardFailure`` if the address is invalid.
  public init(
    server: String,
    exchange: any HTTPExchange,
    streaming: (any HTTPStreaming)? = nil,
    policy: Policy = .departuresLive,
    language: BoardLanguage = .en,
    limit: Int = 20,
    defaults: UserDefaults? = nil,
    store: CopyStore? = nil,
    clock: HostClock = .device()
  ) throws(StationboardFailure) {
    stops = try BoardClient(server: server, exchange: exchange)
    client = FreshnessClient(
      exchange: exchange,
      streaming: streaming,
      policy: policy,
      clock: clock
    )
    self.policy = policy
    self.language = language
    self.limit = limit
    self.defaults = defaults
    self.store = store
    favourites = defaults.map { FavouriteStops(savedIn: $0) } ?? FavouriteStops()
  }

  deinit { searching?.cancel() }

  // MARK: The open stop

  /// The board of the open stop; `nil` before its first response.
  public var board: Board? { live?.value?.board }
  /// The problem of the open board; the board stays visible beside it.
  public var message: BoardMessage? {
    live?.failure.map { BoardMessage($0, in: language) }
  }
  /// Whether to show that a request is in flight (R25).
  public var isLoading: Bool { live?.isLoading ?? false }
  /// The marker, the badge and the age now (R26).
  public var label: FreshnessLabel? { live?.label }
  /// The basis of the board, for the label beside its age; `nil` if the marker of ``label`` is sufficient.
  public var realtimeLabel: RealtimeLabel? {
    guard let label, !label.isKept else { return nil }
    return RealtimeLabel(label.marker, of: board)
  }
  /// How fresh the board is now; it changes with time (R27, R28).
  public var freshness: FreshnessReport? { live?.freshness }
  /// How old the data is now, at most; `nil` without a board.
  public var age: Duration? { live?.age }
  /// The freshness in one word.
  public var state: LiveState { live?.state ?? .loading }

  /// Opens a stop that a search found.
  public func open(_ match: StopMatch) { open(FavouriteStop(match)) }

  /// Opens a stop; the board of the one before is gone at once (R4).
  public func open(_ stop: FavouriteStop) {
    self.stop = stop
    let resource = BoardResource(
      server: stops.server,
      stop: stop.id,
      limit: limit,
      language: language.rawValue,
      constants: policy
    )
    self.resource = resource
    if let live {
      live.follow(source(of: resource))
    } else {
      let live = LiveValue(source(of: resource))
      self.live = live
      live.start()
    }
  }

  private func source(of resource: BoardResource) -> LiveSource<BoardCopy> {
    store.map { LiveSource(resource, of: client, keptIn: $0) } ?? LiveSource(resource, of: client)
  }

  /// Closes the stop: no more requests are sent.
  public func close() {
    live?.stop()
    live = nil
    resource = nil
    stop = nil
  }

  /// Requests a new board on behalf of the user, as for pull to refresh.
  public func refresh() { live?.refresh() }

  /// Follows the lifecycle of the app and the network of the device while the result lives.
  public func observeDevice() -> DeviceObservation { client.observeDevice() }

  /// Reports that the application moved to the foreground or background (R11).
  public func lifecycle(_ lifecycle: Lifecycle) { client.lifecycle(lifecycle) }

  /// The network came, went or began to cost (R24).
  public func connectivity(_ connectivity: Connectivity) { client.connectivity(connectivity) }

  /// The newest requests for the open board, for diagnostics and export (R29).
  public var samples: [SampleRecord] {
    resource.map { client.samples(of: $0) } ?? []
  }

  // MARK: Favourites

  /// Whether the open stop is a favourite.
  public var isFavourite: Bool { stop.map { favourites.contains($0.id) } ?? false }

  /// Saves a stop, or removes it if it is saved.
  public func toggleFavourite(_ stop: FavouriteStop) {
    if favourites.contains(stop.id) { favourites.remove(stop.id) } else { favourites.add(stop) }
    if let defaults { favourites.save(in: defaults) }
  }

  // MARK: Search

  private func search() {
    searching?.cancel()
    searchMessage = nil
    let wanted = query.trimmingCharacters(in: .whitespacesAndNewlines)
    guard wanted.count >= Self.fewestLetters else {
      matches = []
      isSearching = false
      return
    }
    isSearching = true
    let (stops, language) = (stops, language)
    searching = Task { [weak self] in
      guard (try? await Task.sleep(for: Self.debounce)) != nil else { return }
      let answer = await Self.find(wanted, stops, language)
      // The response to an outdated search changes nothing (R3).
      guard !Task.isCancelled, let self else { return }
      self.isSearching = false
      switch answer {
      case .success(let found): self.matches = found
      case .failure(let failure): self.searchMessage = BoardMessage(failure, in: language)
      }
    }
  }

  private nonisolated static func find(
    _ wanted: String,
    _ stops: BoardClient,
    _ language: BoardLanguage
  ) async -> Result<[StopMatch], StationboardFailure> {
    do throws(StationboardFailure) {
      return .success(
        try await stops.stops(matching: wanted, limit: mostMatches, language: language.rawValue)
      )
    } catch {
      return .failure(error)
    }
  }
}
