import StationboardServer
import Testing

/// How far a server has read, as a value.
struct PublicationCursorTests {
  private func mark(_ position: Int64, _ source: String, fence: Int64 = 1) -> PublicationCursor.Mark
  {
    PublicationCursor.Mark(position: position, source: source, fence: fence)
  }

  @Test("The first read and each gap are read, and one read at a time")
  func readsGaps() {
    var cursor = PublicationCursor()
    #expect(cursor.begin() == 0)
    #expect(cursor.begin() == nil)
    #expect(cursor.read([mark(2, "b"), mark(1, "a")], upTo: 2) == [mark(1, "a"), mark(2, "b")])
    finish(&cursor, [mark(1, "a"), mark(2, "b")], upTo: 2)
    #expect(cursor.complete == 2 && cursor.begin() == nil)
    cursor.noticed(2)
    #expect(cursor.begin() == nil)
    cursor.missed()
    #expect(cursor.begin() == 2)
    // What is announced meanwhile is read afterwards.
    cursor.noticed(3)
    #expect(cursor.read([], upTo: 2) == [])
    cursor.applied(upTo: 2)
    #expect(cursor.begin() == 2)
    cursor.failed()
    #expect(cursor.begin() == 2)
  }

  @Test("A position that is announced and does not exist is looked for once")
  func forgetsWhatIsNotThere() {
    var cursor = PublicationCursor()
    cursor.noticed(.max)
    #expect(cursor.begin() == 0)
    #expect(cursor.read([mark(1, "a")], upTo: 1)?.count == 1)
    finish(&cursor, [mark(1, "a")], upTo: 1)
    #expect(cursor.isCurrent && cursor.begin() == nil)
    cursor.noticed(2)
    #expect(cursor.begin() == 1)
  }

  @Test("All publications of a source are applied, and not again after a read that failed")
  func appliesAll() {
    var cursor = PublicationCursor()
    _ = cursor.begin()
    let found = [mark(3, "a"), mark(1, "a"), mark(2, "b")]
    #expect(cursor.read(found, upTo: 3)?.map(\.position) == [1, 2, 3])
    cursor.progressed(to: mark(1, "a"))
    cursor.progressed(to: mark(2, "b"))
    cursor.failed()
    #expect(cursor.begin() == 2)
    #expect(cursor.read(found, upTo: 3)?.map(\.position) == [3])
  }

  @Test("A position counts when each source that is read has something of what the database kept")
  func countsWhatWasRemoved() {
    var cursor = PublicationCursor()
    _ = cursor.begin()
    // The database has removed what "b" published before 40.
    let found = [mark(7, "a"), mark(10, "a"), mark(40, "b"), mark(41, "b")]
    #expect(cursor.read(found, upTo: 41)?.map(\.position) == [7, 10, 40, 41])
    cursor.progressed(to: found[0])
    #expect(cursor.complete == 0)
    // After a failure nothing is applied again, and nothing counts that did not before.
    cursor.failed()
    #expect(cursor.begin() == 0)
    #expect(cursor.read(found, upTo: 41)?.map(\.position) == [10, 40, 41])
    cursor.progressed(to: found[1])
    #expect(cursor.complete == 0)
    cursor.progressed(to: found[2])
    #expect(cursor.complete == 40)
    cursor.progressed(to: found[3])
    cursor.applied(upTo: 41)
    #expect(cursor.complete == 41 && cursor.isSettled)
  }

  @Test("After a read that failed, what was removed meanwhile is missing until newer is applied")
  func countsWhatWasRemovedMeanwhile() {
    var cursor = PublicationCursor()
    _ = cursor.begin()
    _ = cursor.read([mark(10, "a"), mark(11, "b")], upTo: 11)
    cursor.progressed(to: mark(10, "a"))
    cursor.failed()
    #expect(cursor.begin() == 0)
    // "a" has published more, of which the database keeps what follows 14.
    let found = [mark(14, "b"), mark(15, "a"), mark(16, "a")]
    #expect(cursor.read(found, upTo: 16)?.count == 3)
    cursor.progressed(to: found[0])
    #expect(cursor.complete == 0)
    cursor.progressed(to: found[1])
    #expect(cursor.complete == 15)
    // A database that was restored is read from the beginning, also if only a part was applied.
    cursor.failed()
    #expect(cursor.begin() == 15)
    _ = cursor.read([mark(16, "a"), mark(17, "b")], upTo: 17)
    cursor.progressed(to: mark(16, "a"))
    cursor.failed()
    _ = cursor.begin()
    #expect(cursor.read([mark(3, "a")], upTo: 15) == nil)
    #expect(cursor.begin() == 0)
  }

  @Test("What newer publications replaced during a read is missing until they are applied")
  func readsWhatReplaced() {
    var cursor = PublicationCursor()
    _ = cursor.begin()
    #expect(cursor.read([mark(1, "a"), mark(2, "b")], upTo: 2)?.count == 2)
    cursor.progressed(to: mark(1, "a"))
    cursor.replaced(mark(2, "b"))
    cursor.applied(upTo: 2)
    #expect(cursor.complete == 0 && !cursor.isSettled)
    #expect(cursor.begin() == 0)
    let newer = [mark(1, "a"), mark(6, "a"), mark(7, "b")]
    #expect(cursor.read(newer, upTo: 7)?.map(\.position) == [6, 7])
    cursor.progressed(to: newer[1])
    #expect(cursor.complete == 0)
    cursor.progressed(to: newer[2])
    #expect(cursor.complete == 7)
    // A source that is gone holds nothing up.
    cursor.applied(upTo: 7)
    cursor.noticed(8)
    _ = cursor.begin()
    #expect(cursor.read([mark(8, "b")], upTo: 8)?.count == 1)
    cursor.replaced(mark(8, "b"))
    cursor.applied(upTo: 8)
    #expect(cursor.begin() == 7)
    #expect(cursor.read([], upTo: 8) == [])
    cursor.applied(upTo: 8)
    #expect(cursor.complete == 8 && cursor.isSettled)
  }

  /// Applies publications, and ends their read.
  private func finish(
    _ cursor: inout PublicationCursor,
    _ marks: [PublicationCursor.Mark],
    upTo end: Int64
  ) {
    for mark in marks { cursor.progressed(to: mark) }
    cursor.applied(upTo: end)
  }

  @Test("A publication of an older fence is not applied after one of a newer fence")
  func comparesFences() {
    var cursor = PublicationCursor()
    _ = cursor.begin()
    #expect(cursor.read([mark(4, "a", fence: 3)], upTo: 4)?.count == 1)
    finish(&cursor, [mark(4, "a", fence: 3)], upTo: 4)
    cursor.noticed(6)
    _ = cursor.begin()
    let found = [mark(5, "a", fence: 2), mark(6, "b", fence: 1)]
    #expect(cursor.read(found, upTo: 6) == [mark(6, "b", fence: 1)])
  }

  @Test("A database whose numbers begin again is read from the beginning")
  func beginsAgain() {
    var cursor = PublicationCursor()
    _ = cursor.begin()
    _ = cursor.read([mark(9, "a", fence: 5)], upTo: 9)
    finish(&cursor, [mark(9, "a", fence: 5)], upTo: 9)
    cursor.missed()
    #expect(cursor.begin() == 9)
    #expect(cursor.read([], upTo: 2) == nil)
    #expect(cursor.begin() == 0)
    #expect(cursor.read([mark(2, "a")], upTo: 2) == [mark(2, "a")])
  }
}
