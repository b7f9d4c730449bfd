import Foundation

/// Errors of the system as sentences, without the names of types and domains.
package enum ErrorText {
  /// Returns the reason of an error, after the path if the error names one: `/srv/x: Not a directory`.
  ///
  /// - Parameters:
  ///   - error: The error; its own description is returned if neither Foundation, the system nor a decoder made it.
  ///   - showsPath: Whether the path is part of the text.
  /// - Returns: The text.
  package static func of(_ error: any Error, showsPath: Bool = true) -> String {
    if let error = error as? DecodingError { return problem(of: error) }
    guard isOfSystem(error) else { return "\(error)" }
    let (code, facts) = ((error as NSError).code, (error as NSError).userInfo)
    if (error as NSError).domain == NSPOSIXErrorDomain {
      return String(cString: strerror(Int32(truncatingIfNeeded: code)))
    }
    let cause = facts[NSUnderlyingErrorKey] as? any Error
    let reason = cause.map { of($0, showsPath: false) } ?? error.localizedDescription
    guard showsPath else { return reason }
    let path =
      facts[NSFilePathErrorKey] as? String
      ?? (facts[NSURLErrorKey] as? URL)?.path(
        percentEncoded: false
      )
    return path.map { "\($0): \(reason)" } ?? reason
  }

  /// Whether Foundation or the system made an error.
  package static func isOfSystem(_ error: any Error) -> Bool {
    // The types of such errors differ by platform.
    [NSCocoaErrorDomain, NSPOSIXErrorDomain].contains((error as NSError).domain)
  }

  /// What is wrong with a text of JSON, by the member if the decoder says which.
  private static func problem(of error: DecodingError) -> String {
    switch error {
    case .keyNotFound(let key, _): return "it has no \(key.stringValue)"
    case .typeMismatch(_, let place), .valueNotFound(_, let place):
      let member = place.codingPath.map(\.stringValue).joined(separator: ".")
      return member.isEmpty ? "it is not a JSON object" : "\(member) has another type than expected"
    default: return "it is not valid JSON, or is cut off"
    }
  }
}
