/// Whose library and catalogue in a shared database they are.
///
/// Servers and commands with one owner share jobs and books; those with different owners share none.
package struct LibraryOwner: Hashable, Sendable, CustomStringConvertible {
  /// An error of a name.
  package struct Invalid: Error, Hashable, CustomStringConvertible {
    package let description =
      "expected 1 to \(LibraryLimits.ownerBytes) characters: letters a to z and A to Z, digits, and . _ - @ "
      + "behind the first one"
  }

  /// The owner where none is named.
  package static let usual = LibraryOwner(known: "default")

  /// The name, as the database has it.
  package let name: String

  package var description: String { name }

  private init(known name: String) { self.name = name }

  /// Checks a name.
  ///
  /// - Throws: ``Invalid`` for one that is too long or has other characters.
  package init(_ name: String) throws(Invalid) {
    let isPlain = { (byte: UInt8) in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
      default: false
      }
    }
    guard let first = name.utf8.first, isPlain(first),
      name.utf8.count <= LibraryLimits.ownerBytes,
      name.utf8.allSatisfy({ isPlain($0) || "._-@".utf8.contains($0) })
    else { throw Invalid() }
    self.name = name
  }
}
