/// Several names in one cell of a table that a library has exported, so that each comes back as it was.
///
/// Names are separated by a separator and a space; a separator that is part of a name is doubled: with `;` the names
/// `King, Jr.` and `A;B` are `King, Jr.; A;;B`.
package enum NameList {
  /// The separator of authors.
  package static let authors: Character = ";"
  /// The separator of shelves.
  package static let shelves: Character = ","

  /// Names as one cell.
  ///
  /// - Parameters:
  ///   - names: Names without whitespace at their ends.
  ///   - separator: An ASCII character.
  /// - Returns: The cell.
  package static func text(_ names: [String], separator: Character) -> String {
    let mark = String(separator)
    return names.map { name in
      String(name.flatMap { $0 == separator ? [separator, separator] : [$0] })
    }.joined(separator: mark + " ")
  }

  /// The names of a cell, without empty ones.
  package static func names(_ cell: String, separator: Character) -> [String] {
    var names: [String] = []
    var name = ""
    var rest = cell[...]
    func close() {
      let text = CellText.onOneLine(String(CellText.trimmed(name[...])))
      if !text.isEmpty { names.append(text) }
      name = ""
    }
    while let character = rest.popFirst() {
      if character != separator {
        name.append(character)
      } else if rest.first == separator {
        rest.removeFirst()
        name.append(separator)
      } else {
        close()
      }
    }
    close()
    return names
  }
}
