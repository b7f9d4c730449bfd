/// A catalogue of books made of Open Library's dump files, whichever database keeps it.
package protocol CatalogueStore: BookProvider {
  /// Where it is, for people.
  var place: String { get }

  /// How much it has.
  ///
  /// - Returns: The counts; `nil` if there is no catalogue.
  /// - Throws: ``ProviderError``.
  func counts() async throws(ProviderError) -> CatalogueCounts?

  /// Replaces the catalogue by a new one, at once when that is whole.
  ///
  /// Until then, and if it fails, the one that is there serves. A catalogue is made by one import at a time: others wait
  /// for it, whichever processes they are of.
  ///
  /// - Parameters:
  ///   - fill: Fills the new one.
  ///   - telling: Called before each thing that is done besides filling.
  /// - Throws: What `fill` throws; ``LibraryError``; an error of the database.
  func replace(
    _ fill: (any CatalogueDraft) async throws -> Void,
    telling: (CatalogueImport.Progress.Phase) -> Void
  ) async throws
}

/// A catalogue that is being filled and is not read yet.
package protocol CatalogueDraft: Sendable {
  /// Adds what lines of dumps say; of an author, a work or an edition that comes again, the last line counts.
  func add(_ batch: CatalogueBatch) async throws
}

/// How much a catalogue has.
package struct CatalogueCounts: Hashable, Sendable {
  /// Works.
  package var works: Int
  /// Editions.
  package var editions: Int
  /// Authors.
  package var authors: Int
}
