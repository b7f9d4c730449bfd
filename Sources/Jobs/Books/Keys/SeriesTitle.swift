/// A title from which the series that Goodreads puts behind it has been taken: `Dune (Dune, #1)`.
///
/// Of several series, `Dune (Dune, #1; Dune Chronicles, #3)`, the first one counts.
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
    guard text.last == ")", let open = Self.opening(of: text), open > text.startIndex else {
      return
    }
    let inner = text[text.index(after: open)...].dropLast()
    let title = CellText.trimmed(text[..<open])
    guard !title.isEmpty, let (series, number) = Self.first(in: inner) else { return }
    self.title = String(title)
    self.series = String(series)
    self.number = String(number)
  }

  /// The bracket that the last one closes: the name of a series may have brackets of its own.
  private static func opening(of text: String) -> String.Index? {
    var depth = 0
    for index in text.indices.reversed() {
      if text[index] == ")" { depth += 1 }
      guard text[index] == "(" else { continue }
      depth -= 1
      if depth == 0 { return index }
    }
    return nil
  }

  /// The first series with a number, which ends at a semicolon or at the end.
  private static func first(in inner: Substring) -> (series: Substring, number: Substring)? {
    let ends = inner.indices.filter { inner[$0] == ";" } + [inner.endIndex]
    for end in ends {
      guard let mark = inner[..<end].lastIndex(of: "#") else { continue }
      let number = CellText.trimmed(inner[inner.index(after: mark)..<end])
      var series = CellText.trimmed(inner[..<mark])
      if series.last == "," { series = CellText.trimmed(series.dropLast()) }
      if number.first?.isNumber == true, !series.isEmpty { return (series, number) }
    }
    return nil
  }
}
