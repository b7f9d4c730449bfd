// The models and clients over URLSession, which every platform has.

extension FreshnessClient {
  /// Creates a client over URLSession.
  ///
  /// ```swift
  /// let client = FreshnessClient()
  /// for await board in client.values(of: url, as: Board.self) {
  ///   show(board.value, age: board.age, state: board.state)
  /// }
  /// ```
  ///
  /// - Parameter policy: The constants of resources that do not have their own; every 15 s by
  ///   default.
  public convenience init(policy: Policy = Policy(every: .seconds(15))) {
    let exchange = URLSessionExchange()
    self.init(exchange: exchange, streaming: exchange, policy: policy)
  }
}

extension BoardModel {
  /// Creates a model over URLSession with no stop open.
  ///
  /// - Parameters:
  ///   - server: The server's address, such as `https://example.org`.
  ///   - language: The language of names and messages.
  ///   - store: Keeps the newest boards between runs (R38).
  /// - Throws: `StationboardFailure` if the address is not valid.
  public convenience init(
    server: String,
    language: BoardLanguage = .en,
    store: CopyStore? = nil
  ) throws(StationboardFailure) {
    let exchange = URLSessionExchange()
    try self.init(
      server: server,
      exchange: exchange,
      streaming: exchange,
      language: language,
      store: store
    )
  }
}

extension WorktreesModel {
  /// Creates a model over URLSession that does not observe yet.
  ///
  /// - Parameters:
  ///   - server: The server's address, such as `http://127.0.0.1:8080`.
  ///   - token: The server's bearer token.
  /// - Throws: `HTTPAddress.Invalid` if the address is not valid.
  public convenience init(server: String, token: String? = nil) throws(HTTPAddress.Invalid) {
    let address = try HTTPAddress(server)
    self.init(WorkspaceClient(server: address, transport: URLSessionExchange(), token: token))
  }
}

extension JobModel {
  /// Creates a model over URLSession without a job.
  ///
  /// - Parameter server: The server's address, such as `http://127.0.0.1:8080`.
  /// - Throws: `HTTPAddress.Invalid` if the address is not valid.
  public convenience init(server: String) throws(HTTPAddress.Invalid) {
    self.init(JobClient(server: try HTTPAddress(server), transport: URLSessionExchange()))
  }
}
