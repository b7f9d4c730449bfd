public import HTTPTypes

/// The value of a Cache-Control field: directives for caches (RFC 9111 section 5.2).
///
/// Unknown directives are kept, in their place. Of a directive that stands several times the first
/// counts. An element that is not a directive is left out; the others stay.
public struct CacheControl: Hashable, Sendable, CustomStringConvertible {
  /// One directive.
  public struct Directive: Hashable, Sendable, CustomStringConvertible {
    /// The name, in small letters.
    public var name: String
    /// The value behind `=`, without quotes.
    public var argument: String?

    /// Creates a directive.
    ///
    /// - Parameters:
    ///   - name: A token; capitals become small.
    ///   - argument: The value behind `=`, without quotes.
    public init(_ name: String, _ argument: String? = nil) {
      self.name = FieldSyntax.lowercased(name)
      self.argument = argument
    }

    /// The directive as it stands in a field.
    public var description: String {
      guard let argument else { return name }
      // RFC 9111 sections 5.2.2.4 and 5.2.2.7: lists of field names stand in quotes.
      if name == "no-cache" || name == "private", FieldSyntax.isToken(argument) {
        return name + "=\"" + argument + "\""
      }
      return name + "=" + FieldSyntax.word(argument)
    }
  }

  /// The directives, in the order they stand.
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
      scanner.skipBlanks()
      if let pair, scanner.isAtEnd || scanner.next == UInt8(ascii: ",") {
        directives.append(Directive(pair.name, pair.value))
      }
      scanner.skipElement()
      scanner.skipListSeparators()
    }
  }

  /// Reads the Cache-Control fields of a message; without one there are no directives.
  public init(fields: HTTPFields) {
    self.init(parsing: fields[.cacheControl] ?? "")
  }

  /// The value as it stands in a field; empty without directives.
  public var description: String { directives.map(\.description).joined(separator: ", ") }

  /// The first directive of a name.
  public func directive(_ name: String) -> Directive? {
    let name = FieldSyntax.lowercased(name)
    return directives.first { $0.name == name }
  }

  /// Puts a directive in the place of those with its name, or at the end.
  public mutating func set(_ directive: Directive) {
    let index = directives.firstIndex { $0.name == directive.name } ?? directives.endIndex
    directives.removeAll { $0.name == directive.name }
    directives.insert(directive, at: index)
  }

  /// Removes the directives of a name.
  public mutating func remove(_ name: String) {
    let name = FieldSyntax.lowercased(name)
    directives.removeAll { $0.name == name }
  }

  /// The value of a directive in seconds.
  ///
  /// - Returns: Nothing if the directive is missing; 0 if its value is not a number, so that an
  ///   unreadable lifetime counts as none (RFC 9111 section 4.2.1).
  public func seconds(_ name: String) -> Int64? {
    directive(name).map { $0.argument.flatMap { DeltaSeconds.parse($0) } ?? 0 }
  }
}

extension CacheControl {
  /// How long the answer is fresh, seconds (RFC 9111 section 5.2.2.1).
  public var maxAge: Int64? {
    get { seconds("max-age") }
    set { setSeconds("max-age", newValue) }
  }

  /// How long the answer is fresh in a shared cache, seconds (RFC 9111 section 5.2.2.10).
  public var sharedMaxAge: Int64? {
    get { seconds("s-maxage") }
    set { setSeconds("s-maxage", newValue) }
  }

  /// How long the answer may be used beyond its lifetime while a new one is fetched, seconds
  /// (RFC 5861 section 3).
  public var staleWhileRevalidate: Int64? {
    get { seconds("stale-while-revalidate") }
    set { setSeconds("stale-while-revalidate", newValue) }
  }

  /// How long the answer may be used beyond its lifetime if there is no new one, seconds
  /// (RFC 5861 section 4).
  public var staleIfError: Int64? {
    get { seconds("stale-if-error") }
    set { setSeconds("stale-if-error", newValue) }
  }

  /// Whether nothing of the message may be stored (RFC 9111 sections 5.2.1.5 and 5.2.2.5).
  public var isNoStore: Bool {
    get { directive("no-store") != nil }
    set { setFlag("no-store", newValue) }
  }

  /// Whether the origin has to be asked before use (RFC 9111 sections 5.2.1.4 and 5.2.2.4).
  ///
  /// True also if the directive is limited to some fields; its argument names them.
  public var isNoCache: Bool {
    get { directive("no-cache") != nil }
    set { setFlag("no-cache", newValue) }
  }

  /// Whether the answer may not be used once it is stale (RFC 9111 section 5.2.2.2).
  public var mustRevalidate: Bool {
    get { directive("must-revalidate") != nil }
    set { setFlag("must-revalidate", newValue) }
  }

  /// Whether only caches of one person may store the answer (RFC 9111 section 5.2.2.7).
  ///
  /// True also if the directive is limited to some fields; its argument names them.
  public var isPrivate: Bool {
    get { directive("private") != nil }
    set { setFlag("private", newValue) }
  }

  /// Whether any cache may store the answer (RFC 9111 section 5.2.2.9).
  public var isPublic: Bool {
    get { directive("public") != nil }
    set { setFlag("public", newValue) }
  }

  /// How long the answer is fresh by its directives, seconds (RFC 9111 section 4.2.1).
  ///
  /// - Parameter isShared: Whether the cache serves more than one person.
  /// - Returns: Nothing if no directive says so; 0 if the answer may not be used unasked.
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
