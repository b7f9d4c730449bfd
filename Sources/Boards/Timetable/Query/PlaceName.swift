import Foundation

/// Decides whether two names name the same place.
package enum PlaceName {
  /// A name without accents, case and punctuation: "Lausanne, Motté" becomes "lausanne motte".
  package static func folded(_ name: String) -> String {
    var result = ""
    var isPending = false
    let isPlain = name.utf8.allSatisfy { $0 < 0x80 }
    let scalars =
      isPlain ? name.unicodeScalars : name.decomposedStringWithCompatibilityMapping.unicodeScalars
    for scalar in scalars {
      switch scalar.properties.generalCategory {
      case .nonspacingMark, .spacingMark, .enclosingMark: continue
      default: break
      }
      guard scalar.properties.isAlphabetic || scalar.properties.numericType != nil else {
        isPending = !result.isEmpty
        continue
      }
      if isPending {
        result.append(" ")
        isPending = false
      }
      result += scalar.properties.lowercaseMapping
    }
    return result
  }
}
