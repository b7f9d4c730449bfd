import Foundation
import Testing

@testable import Books

@Suite struct KeyTests {
  @Test(arguments: [
    ("The Hobbit", "hobbit"), ("Les Misérables", "les miserables"), ("A", "a"),
    ("Pride & Prejudice", "pride and prejudice"), ("Surely You’re Joking!", "surely youre joking"),
    ("Straße", "strasse"), ("Łódź", "lodz"), ("Война и мир", "воина и мир"), ("!!!", "!!!"),
    ("Don't Look Now", "dont look now"), ("ÅNGSTRÖM", "angstrom"), ("1984", "1984"),
    ("Οδύσσεια", "οδυσσεια"), ("ΟΔΥΣΣΕΙΑ", "οδυσσεια"), ("ΛΌΓΟΣ", "λογοσ"), ("λόγος", "λογοσ"),
    ("कुल", "कुल"), ("कूल", "कूल"), ("ปลา", "ปลา"), ("ปล่า", "ปล่า"), ("がくせい", "か\u{3099}くせい"),
    ("한국", "한국"), ("שָׁלוֹם", "שלום"), ("كِتَاب", "كتاب"), ("Ёлка", "елка"), ("5\u{301}", "5"),
    ("❤\u{FE0F} Love", "love"),
    ("Cafe\u{301}", "cafe"), ("  Dune  ", "dune"), ("The", "the"),
  ])
  func `titles are compared without case, marks and articles`(title: String, key: String) {
    #expect(BookKey.title(title) == key)
  }

  @Test func `composed and decomposed letters have one key`() throws {
    var count = 0
    for value in UInt32(0x80)..<0x2FA20 {
      guard let scalar = Unicode.Scalar(value) else { continue }
      let letter = String(scalar)
      let decomposed = letter.decomposedStringWithCanonicalMapping
      guard !decomposed.unicodeScalars.elementsEqual(letter.unicodeScalars) else { continue }
      count += 1
      for base in ["x", "ก"] {
        let keys = [letter, decomposed].map { Array(BookKey.title("\(base)\($0)\(base)").utf8) }
        #expect(keys[0] == keys[1], "\(String(value, radix: 16))")
      }
    }
    #expect(count > 13_000)
  }

  @Test func `the order in which marks were typed does not count`() {
    let texts = ["ก\u{E48}\u{E38}", "ก\u{E38}\u{E48}"].map { Array(BookKey.title($0).utf8) }
    #expect(texts[0] == texts[1])
  }

  @Test(arguments: [
    ("Dune (Dune, #1)", "Dune", "Dune", "1"),
    ("Dune (Dune, #1; Chronicles, #3)", "Dune", "Dune", "1"),
    ("Gate (Steins;Gate, #2; Gates, #7)", "Gate", "Steins;Gate", "2"),
    ("Tears (No. #1 Agency, #2)", "Tears", "No. #1 Agency", "2"),
    ("Both (Foo; Bar, #0.5)", "Both", "Foo; Bar", "0.5"),
  ])
  func `of several series the first one counts`(
    text: String,
    title: String,
    series: String,
    number: String
  ) {
    let parts = SeriesTitle(text)
    #expect(parts.title == title)
    #expect(parts.series == series)
    #expect(parts.number == number)
  }

  @Test(arguments: [
    "J.R.R. Tolkien", "J. R. R. Tolkien", "J R R Tolkien", "Tolkien, J. R. R.", "Tolkien, J.R.R.",
    "J.R.R. TOLKIEN",
  ])
  func `an author has one key however the name is written`(name: String) {
    #expect(BookKey.author(name) == "jrr tolkien")
  }

  @Test(arguments: [
    ("Д. С. Лихачёв", "дс лихачев"), ("X", "x"), ("Malcolm X", "malcolm x"),
    ("J. Æ. van der Berg", "j ae van der berg"), ("\u{301}", ""), ("a \u{301} b", "ab"),
    ("Simon & Schuster", "simon and schuster"), ("O’Brien,  Flann", "flann obrien"),
  ])
  func `initials stand together and everything else apart`(name: String, key: String) {
    #expect(BookKey.author(name) == key)
  }

  @Test func `words have no whitespace around them`() {
    #expect(BookKey.words(" &Sons & 'Co' \u{301} ") == ["and", "sons", "and", "co"])
    #expect(BookKey.words("…") == [])
  }

  @Test func `what follows a comma may be no given name`() {
    #expect(BookKey.author("Kurt Vonnegut, Jr.") == "kurt vonnegut jr")
    #expect(BookKey.inOrder("Plato,") == "Plato")
    #expect(BookKey.inOrder("a, b, c") == "a, b, c")
  }

  @Test func `confidence is certain for the same book and low for another`() {
    func confidence(_ title: String, _ author: String?) -> Double {
      BookMatch.confidence(
        title: title,
        author: author,
        ofTitle: "The Left Hand of Darkness",
        authors: ["Ursula K. Le Guin"]
      )
    }
    #expect(confidence("The Left Hand of Darkness", "Ursula K. Le Guin") == 1)
    #expect(confidence("left hand of darkness", "Le Guin, Ursula K.") == 1)
    #expect(confidence("Left Hand of Darknes", "U. K. Le Guin") > BookMatch.usualThreshold)
    #expect(confidence("The Left Hand of Darkness", nil) == 0.75)
    #expect(confidence("The Left Hand of Darkness", "Frank Herbert") < BookMatch.usualThreshold)
    #expect(confidence("The Dispossessed", "Ursula K. Le Guin") < BookMatch.floor)
    #expect(confidence("", "Ursula K. Le Guin") < BookMatch.floor)
  }

  @Test func `a subtitle may be missing`() {
    let confidence = BookMatch.confidence(
      title: "Sapiens",
      author: "Yuval Noah Harari",
      ofTitle: "Sapiens: A Brief History of Humankind",
      authors: ["Yuval Noah Harari"]
    )
    #expect(confidence > 0.95 && confidence < 1)
  }

  @Test func `similarity is symmetric and between 0 and 1`() {
    let texts = ["", "a", "ab", "dune", "dune messiah", "messiah dune", "война"]
    for left in texts {
      for right in texts {
        let similarity = BookMatch.similarity(left, right)
        #expect(similarity == BookMatch.similarity(right, left))
        #expect(0...1 ~= similarity)
        #expect((similarity == 1) == (left == right && !left.isEmpty))
      }
    }
  }
}
