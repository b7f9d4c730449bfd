import Foundation

/// Finds what was meant by a word that is not known.
package enum Spelling {
  /// Words longer than this are not compared.
  package static let mostCharacters = 64

  /// Returns the word that was probably meant.
  ///
  /// - Parameters:
  ///   - word: The word that is not known.
  ///   - known: The known words.
  /// - Returns: The nearest of the known words, the first of several; `nil` if none is near.
  package static func nearest(to word: String, in known: [String]) -> String? {
    let near = known.map { (word: $0, distance: distance(word, $0)) }
      .filter { $0.distance <= tolerance(word) }
    return near.min { $0.distance < $1.distance }?.word
  }

  /// Returns how many mistakes a word may have: one of four characters, two of six, three of nine or more.
  package static func tolerance(_ word: String) -> Int { min(3, max(1, word.count / 3)) }

  /// Returns how many characters have to be inserted, removed, replaced or swapped with their neighbor to make one
  /// word of the other; case and accents do not matter.
  package static func distance(_ left: String, _ right: String) -> Int {
    let (left, right) = (folded(left), folded(right))
    guard left.count <= mostCharacters, right.count <= mostCharacters else { return .max }
    // The rows of the matrix: two before this one, the one before, this one.
    var (older, old) = ([Int](), Array(0...right.count))
    for row in left.indices {
      var new = [row + 1]
      for column in right.indices {
        let isSame = left[row] == right[column]
        var least = min(old[column] + (isSame ? 0 : 1), old[column + 1] + 1, new[column] + 1)
        if row > 0, column > 0, left[row] == right[column - 1], left[row - 1] == right[column] {
          least = min(least, older[column - 1] + 1)
        }
        new.append(least)
      }
      (older, old) = (old, new)
    }
    return old[right.count]
  }

  private static func folded(_ word: String) -> [Character] {
    Array(word.folding(options: [.caseInsensitive, .diacriticInsensitive], locale: nil))
  }
}
