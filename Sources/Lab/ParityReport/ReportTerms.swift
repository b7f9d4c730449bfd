/// What a report holds a recording to beside its own figures: what nobody who writes a file can choose.
package struct ReportTerms: Hashable, Sendable {
  /// The cadences that the client may have, in milliseconds: those of its preset; `nil` for any.
  package var cadences: Set<Int64>?
  /// The preset, in words.
  package var preset: String

  /// Creates terms.
  package init(cadences: Set<Int64>? = nil, preset: String = "any") {
    self.cadences = cadences
    self.preset = preset
  }
}
