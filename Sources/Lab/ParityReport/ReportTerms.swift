/// The terms that a recording is checked against, which the author of a file cannot choose.
package struct ReportTerms: Hashable, Sendable {
  /// The allowed cadences of the client, in milliseconds: those of its preset; `nil` for any.
  package var cadences: Set<Int64>?
  /// The preset, in words.
  package var preset: String

  /// Creates terms.
  package init(cadences: Set<Int64>? = nil, preset: String = "any") {
    self.cadences = cadences
    self.preset = preset
  }
}
