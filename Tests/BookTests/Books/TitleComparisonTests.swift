import Testing

@testable import Books

@Suite struct TitleComparisonTests {
  /// Books that were taken for others of the same author, and why they are others.
  static let others: [(asked: String, found: String, author: String, why: TitleComparison)] = [
    ("Saga, Volume 5", "Saga, Volume 1", "Brian K. Vaughan", .otherNumber),
    ("Naruto 67", "Naruto 63", "Masashi Kishimoto", .otherNumber),
    (
      "Naruto, Vol. 67: An Opening", "Naruto, Vol. 63: World of Dreams", "M. Kishimoto",
      .otherSubtitle
    ),
    ("Preacher 1", "Preacher 2", "Garth Ennis", .otherNumber),
    ("Preacher, Volume 1", "Preacher, Volume 2: Until the End", "Garth Ennis", .otherNumber),
    ("Transmetropolitan 1", "Transmetropolitan 8", "Warren Ellis", .otherNumber),
    ("Maus II", "Maus I", "Art Spiegelman", .otherNumber),
    (
      "Maus II: And Here My Troubles Began", "Maus: A Survivor's Tale", "Art Spiegelman",
      .otherSubtitle
    ),
    ("Batman: Year One", "Batman: The Dark Knight Returns", "Frank Miller", .otherSubtitle),
    ("The Sandman: Overture", "The Sandman: Brief Lives", "Neil Gaiman", .otherSubtitle),
    ("The Sandman: Overture", "The Sandman, Vol. 7: Brief Lives", "Neil Gaiman", .otherSubtitle),
    ("Children of Time", "Children of Memory", "Adrian Tchaikovsky", .otherTitle),
    ("Second Foundation", "Foundation", "Isaac Asimov", .otherNumber),
    ("Foundation", "Foundation and Empire", "Isaac Asimov", .otherTitle),
    ("Endymion", "The Rise of Endymion", "Dan Simmons", .otherTitle),
    ("Dune (Dune, #1)", "Dune (Dune, #2)", "Frank Herbert", .otherNumber),
    ("Saga (Saga, #5)", "Saga, Volume 1", "Brian K. Vaughan", .otherNumber),
    ("Saga", "Saga, Volume 1", "Brian K. Vaughan", .otherNumber),
    ("Henry IV, Part One", "Henry IV, Part 2", "William Shakespeare", .otherNumber),
    ("Henry VI", "Henry IV", "William Shakespeare", .otherNumber),
    ("Fables, Vol. 1: Legends", "Fables, Vol. 10: Legends", "Bill Willingham", .otherNumber),
    ("Berserk Band 3", "Berserk Band 13", "Kentaro Miura", .otherNumber),
    ("Best Stories 2015", "Best Stories 2016", "Various", .otherNumber),
    ("Selected Poems", "Collected Poems", "Seamus Heaney", .otherTitle),
    ("Mistborn: The Final Empire", "Mistborn: The Hero of Ages", "B. Sanderson", .otherSubtitle),
    ("The Bonesetter's Daughter", "The Bonesetter's Daughters", "Amy Tan", .otherTitle),
    ("Dune", "Dune Messiah", "Frank Herbert", .otherTitle),
    ("Hyperion", "The Fall of Hyperion", "Dan Simmons", .otherTitle),
    ("Batman: The Dark Knight", "Batman: The Dark Knight Returns", "Frank Miller", .otherSubtitle),
    ("The Second Sex", "The Third Sex", "Simone de Beauvoir", .otherNumber),
    ("Kingdom of Ash", "Kingdom of Sand", "Sarah J. Maas", .otherTitle),
    ("Summary of Sapiens", "Sapiens", "Yuval Noah Harari", .otherTitle),
  ]

  @Test(arguments: others)
  func `another volume of a series is another book`(
    asked: String,
    found: String,
    author: String,
    why: TitleComparison
  ) {
    #expect(TitleComparison(asked, found) == why)
    #expect(TitleComparison(found, asked) == why)
    for (one, other) in [(asked, found), (found, asked)] {
      let confidence = BookMatch.confidence(
        title: one,
        author: author,
        ofTitle: other,
        authors: [author]
      )
      #expect(confidence < BookMatch.usualThreshold)
    }
  }

  @Test(arguments: [
    ("Saga, Volume 5", "Saga 5"), ("Saga, Vol. V", "Saga: Volume Five"), ("Maus II", "Maus 2"),
    ("Catch-22", "Catch 22"), ("Dune (Dune, #1)", "Dune"), ("Saga (Saga, #5)", "Saga, Volume 5"),
    ("The Left Hand of Darknes", "Left Hand of Darkness"), ("Dune: A Novel", "Dune"),
    ("Neuromancer (Deluxe Edition)", "Neuromancer"), ("Slaughterhouse-Five", "Slaughterhouse 5"),
    ("Neuromancer: 20th Anniversary Edition", "Neuromancer"), ("Les Misérables", "Les miserables"),
    ("Naruto, Vol. 63: World of Dreams", "Naruto: World of Dreams"), ("Nineteen 84", "Nineteen84"),
    ("Sapiens A Brief History of Humankind", "Sapiens: A Brief History of Humankind"),
    ("Harry Poter and the Philosphers Stone", "Harry Potter and the Philosopher's Stone"),
    ("The Bone Clocks", "The Boneclocks"), ("1984", "1984"), ("It", "IT"),
    ("2nd Foundation", "Second Foundation"),
    ("Book One of Two", "Book 1"), ("!!!", "!!!"),
  ])
  func `one title is written in many ways`(left: String, right: String) {
    #expect(TitleComparison(left, right) == .same)
    #expect(TitleComparison(right, left) == .same)
  }

  @Test(arguments: [
    ("Sapiens", "Sapiens: A Brief History of Humankind"),
    ("Preacher 1", "Preacher, Volume 1: Gone to Texas"),
    ("The Great War", "The Great War: Letters, 1914 to 1918"),
    ("Maus I: A Survivor's Tale", "Maus I: A Survivor's Tale: My Father Bleeds History"),
    ("Cod: A Biography of the Fish", "Cod: A Biography of the Fish That Changed the World"),
  ])
  func `a subtitle may be missing or cut`(left: String, right: String) {
    #expect(TitleComparison(left, right) == .sameStart)
    #expect(TitleComparison(right, left) == .sameStart)
  }

  @Test func `a slip of the pen is one wrong letter, two in a long word`() {
    #expect(TitleComparison.isMisspelled("darkness", "darknes"))
    #expect(TitleComparison.isMisspelled("neuromancer", "nueromacner"))
    #expect(!TitleComparison.isMisspelled("rings", "kings"))
    #expect(!TitleComparison.isMisspelled("rise", "rose"))
    #expect(!TitleComparison.isMisspelled("letters", "letter"))
    #expect(!TitleComparison.isMisspelled("daughter", "daughters"))
  }

  @Test func `the volume on a spine is that of the book`() {
    func confidence(_ spine: String, _ title: String) -> Double {
      BookMatch.spine(spine, title: title, authors: ["Art Spiegelman"])
    }
    #expect(confidence("MAUS II SPIEGELMAN", "Maus II") >= BookMatch.usualThreshold)
    #expect(confidence("MAUS 2 SPIEGELMAN", "Maus II") < BookMatch.usualThreshold)
    #expect(confidence("MAUS SPIEGELMAN", "Maus II") < BookMatch.usualThreshold)
    #expect(confidence("MAUS II SPIEGELMAN", "Maus III") < BookMatch.usualThreshold)
  }

  @Test func `brackets in the name of a series close where they open`() {
    let parts = SeriesTitle("Saga, Vol. 1 (Saga (Collected Editions), #1)")
    #expect(parts.title == "Saga, Vol. 1")
    #expect(parts.series == "Saga (Collected Editions)")
    #expect(parts.number == "1")
  }
}
