/// A title from which the series that Goodreads puts behind it has been taken: `Dune (Dune, #1)`.
package struct SeriesTitle: Hashable, Sendable {
  /// The title alone.
  package var title: String
  /// The name of the series.
  package var series: String?
  /// The number in the series, as written.
  package var number: String?

  /// Takes a title apart; brackets without `#` and a number belong to the title.
  package init(_ text: String) {
    title = text
    guard text.last == ")", let open = text.lastIndex(of: "("), open > text.startIndex else {
      return
    }
    let inner = text[text.index(after: open)...].dropLast()
    guard let mark = inner.lastIndex(of: "#") else { return }
    let number = CellText.trimmed(inner[inner.index(after: mark)...])
    guard number.first?.isNumber == true else { return }
    var series = CellText.trimmed(inner[..<mark])
    if series.last == "," { series = CellText.trimmed(series.dropLast()) }
    let title = CellText.trimmed(text[..<open])
    guard !title.isEmpty, !series.isEmpty else { return }
    self.title = String(title)
    self.series = String(series)
    self.number = String(number)
  }
}
