public import HTTPTypes

/// The value of an Accept-Encoding field: the content codings that a client accepts (RFC 9110
/// section 12.5.3).
public struct AcceptEncoding: Hashable, Sendable {
  /// The weight of each named coding, in thousandths; names in lowercase.
  private var weights: [String: Int] = [:]
  /// Whether the field was present.
  private let isPresent: Bool

  /// Reads the value of a field; never fails.
  ///
  /// Of a repeated coding the first counts. An invalid weight is 0: a client whose field cannot be
  /// read gets a response without a coding.
  ///
  /// - Parameter field: The value, or `nil` if the request has no such field.
  public init(parsing field: String?) {
    isPresent = field != nil
    guard let field else { return }
    var scanner = FieldScanner(field)
    scanner.skipListSeparators()
    while !scanner.isAtEnd {
      if let name = scanner.token().map({ FieldSyntax.lowercased($0) }) {
        let weight = Self.weight(&scanner)
        if weights[name] == nil { weights[name] = weight }
      }
      scanner.skipElement()
      scanner.skipListSeparators()
    }
  }

  /// Reads the Accept-Encoding fields of a request.
  public init(fields: HTTPFields) { self.init(parsing: fields[.acceptEncoding]) }

  /// Returns the coding with the highest weight among those that are accepted and preferred at least
  /// as much as no coding.
  ///
  /// A coding that only `*` accepts comes behind every named one: clients that send `*` often decode
  /// no more than gzip.
  ///
  /// - Parameter codings: Registered names in lowercase; of equal weights the first wins.
  /// - Returns: The coding; `nil` for a response without one.
  public func preferred(among codings: [String]) -> String? {
    var best: (coding: String, weight: Int)?
    for coding in codings where prefers(coding) {
      let weight = weights[coding] ?? (coding == "gzip" ? weights["x-gzip"] : nil) ?? 0
      if best.map({ weight > $0.weight || (weight == $0.weight && weight == 0 && coding == "gzip") }
      )
        ?? true
      {
        best = (coding, weight)
      }
    }
    return best?.coding
  }

  /// Returns whether a coding is accepted and preferred at least as much as no coding.
  ///
  /// A request without the field gets a response without a coding: the RFC allows any, but a client
  /// that does not ask for one often cannot decode it.
  ///
  /// - Parameter coding: The registered name in lowercase: `gzip` (`x-gzip` is the same).
  /// - Returns: Whether the response should be encoded.
  public func prefers(_ coding: String) -> Bool {
    guard isPresent else { return false }
    let named = weights[coding] ?? (coding == "gzip" ? weights["x-gzip"] : nil)
    let weight = named ?? weights["*"] ?? 0
    // "identity" has the highest weight unless the field says otherwise, but a coding is named
    // because it is wanted.
    return weight > 0 && weight >= (weights["identity"] ?? 0)
  }

  /// Reads `;q=0.5`, in thousandths (RFC 9110 section 12.4.2); 1,000 without it.
  private static func weight(_ scanner: inout FieldScanner) -> Int {
    scanner.skipWhitespace()
    while scanner.skip(";") {
      scanner.skipWhitespace()
      guard let pair = scanner.pair() else { return 0 }
      if FieldSyntax.lowercased(pair.name) == "q" { return thousandths(pair.value ?? "") }
      scanner.skipWhitespace()
    }
    return 1_000
  }

  private static func thousandths(_ text: String) -> Int {
    let parts = text.split(separator: ".", maxSplits: 1, omittingEmptySubsequences: false)
    guard let whole = parts.first, whole == "0" || whole == "1" else { return 0 }
    let digits = parts.count > 1 ? parts[1] : ""
    guard digits.count <= 3, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return 0
    }
    let fraction = Int(digits + String(repeating: "0", count: 3 - digits.count)) ?? 0
    return min((whole == "1" ? 1_000 : 0) + fraction, 1_000)
  }
}
