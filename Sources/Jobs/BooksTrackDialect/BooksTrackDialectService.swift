/// The API of BooksTrack, as a view of the jobs; it has no state of its own.
package struct BooksTrackDialectService: Sendable {
  package init() {}
}
