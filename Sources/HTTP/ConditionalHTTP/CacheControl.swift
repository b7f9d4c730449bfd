public import HTTPTypes

/// The value of a Cache-Control field: directives for caches (RFC 9111 section 5.2).
///
/// Unknown directives are kept in their position. Of a repeated directive the first counts. An
/// element that is not a directive is dropped.
public struct CacheControl: Hashable, Sendable, CustomStringConvertible {
  /// One directive.
  public struct Directive: Hashable, Sendable, CustomStringConvertible {
    /// The name, in lowercase.
    public var name: String
    /// The value after `=`, without quotes.
    public var argument: String?

    /// Creates a directive.
    ///
    /// - Parameters:
    ///   - name: A token; converted to lowercase.
    ///   - argument: The value after `=`, without quotes.
    public init(_ name: String, _ argument: String? = nil) {
      self.name = FieldSyntax.lowercased(name)
      self.argument = argument
    }

    /// The directive as written in a field.
    public var description: String {
      guard let argument else { return name }
      // RFC 9111 sections 5.2.2.4 and 5.2.2.7: lists of field names are quoted.
      if name == "no-cache" || name == "private", FieldSyntax.isToken(argument) {
        return name + "=\"" + argument + "\""
      }
      return name + "=" + FieldSyntax.word(argument)
    }
  }

  /// The directives in order.
  public var directives: [Directive]

  /// Creates a value.
  public init(_ directives: [Directive] = []) {
    self.directives = directives
  }

  /// Reads the value of a field; never fails.
  public init(parsing field: some StringProtocol) {
    var scanner = FieldScanner(field)
    directives = []
    scanner.skipListSeparators()
    while !scanner.isAtEnd {
      let pair = scanner.pair()
      scanner.skipWhitespace()
      if let pair, scanner.isAtEnd || scanner.next == UInt8(ascii: ",") {
        directives.append(Directive(pair.name, pair.value))
      }
      scanner.skipElement()
      scanner.skipListSeparators()
    }
  }

  /// Reads the Cache-Control fields of a message; without one, the list of directives is empty.
  public init(fields: HTTPFields) {
    self.init(parsing: fields[.cacheControl] ?? "")
  }

  /// The value as written in a field; empty without directives.
  public var description: String { directives.map(\.description).joined(separator: ", ") }

  /// Returns the first directive with a name.
  public func directive(_ name: String) -> Directive? {
    let name = FieldSyntax.lowercased(name)
    return directives.first { $0.name == name }
  }

  /// Replaces the directives of the same name, or appends the directive.
  public mutating func set(_ directive: Directive) {
    let index = directives.firstIndex { $0.name == directive.name } ?? directives.endIndex
    directives.removeAll { $0.name == directive.name }
    directives.insert(directive, at: index)
  }

  /// Removes the directives with a name.
  public mutating func remove(_ name: String) {
    let name = FieldSyntax.lowercased(name)
    directives.removeAll { $0.name == name }
  }

  /// Returns the value of a directive in seconds.
  ///
  /// - Returns: `nil` if the directive is missing; 0 if its value is not a number, so that an
  ///   unreadable lifetime counts as zero (RFC 9111 section 4.2.1).
  public func seconds(_ name: String) -> Int64? {
    directive(name).map { $0.argument.flatMap { DeltaSeconds.parse($0) } ?? 0 }
  }
}

extension CacheControl {
  /// How long the response is fresh, in seconds (RFC 9111 section 5.2.2.1).
  public var maxAge: Int64? {
    get { seconds("max-age") }
    set { setSeconds("max-age", newValue) }
  }

  /// How long the response is fresh in a shared cache, in seconds (RFC 9111 section 5.2.2.10).
  public var sharedMaxAge: Int64? {
    get { seconds("s-maxage") }
    set { setSeconds("s-maxage", newValue) }
  }

  /// How long a stale response may be used while a new one is fetched, in seconds (RFC 5861 section
  /// 3).
  public var staleWhileRevalidate: Int64? {
    get { seconds("stale-while-revalidate") }
    set { setSeconds("stale-while-revalidate", newValue) }
  }

  /// How long a stale response may be used if there is no new one, in seconds (RFC 5861 section 4).
  public var staleIfError: Int64? {
    get { seconds("stale-if-error") }
    set { setSeconds("stale-if-error", newValue) }
  }

  /// Whether the message must not be stored (RFC 9111 sections 5.2.1.5 and 5.2.2.5).
  public var isNoStore: Bool {
    get { directive("no-store") != nil }
    set { setFlag("no-store", newValue) }
  }

  /// Whether the response must be revalidated before use (RFC 9111 sections 5.2.1.4 and 5.2.2.4).
  ///
  /// Also true if the directive is limited to some fields, named by its argument.
  public var isNoCache: Bool {
    get { directive("no-cache") != nil }
    set { setFlag("no-cache", newValue) }
  }

  /// Whether the response must not be used once it is stale (RFC 9111 section 5.2.2.2).
  public var mustRevalidate: Bool {
    get { directive("must-revalidate") != nil }
    set { setFlag("must-revalidate", newValue) }
  }

  /// Whether only private caches may store the response (RFC 9111 section 5.2.2.7).
  ///
  /// Also true if the directive is limited to some fields, named by its argument.
  public var isPrivate: Bool {
    get { directive("private") != nil }
    set { setFlag("private", newValue) }
  }

  /// Whether any cache may store the response (RFC 9111 section 5.2.2.9).
  public var isPublic: Bool {
    get { directive("public") != nil }
    set { setFlag("public", newValue) }
  }

  /// Returns how long the response is fresh by its directives, in seconds (RFC 9111 section 4.2.1).
  ///
  /// - Parameter isShared: Whether the cache is shared.
  /// - Returns: `nil` if there is no such directive; 0 if the response must be revalidated before
  ///   use.
  public func freshnessLifetime(isShared: Bool = false) -> Int64? {
    if isNoStore || directives.contains(Directive("no-cache")) { return 0 }
    return (isShared ? sharedMaxAge : nil) ?? maxAge
  }

  private mutating func setSeconds(_ name: String, _ seconds: Int64?) {
    if let seconds {
      set(Directive(name, String(DeltaSeconds.clamped(seconds))))
    } else {
      remove(name)
    }
  }

  private mutating func setFlag(_ name: String, _ isOn: Bool) {
    if isOn { set(Directive(name)) } else { remove(name) }
  }
}
