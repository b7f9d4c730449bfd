import Testing

@testable import TerminalText

@Suite struct TerminalTextTests {
  /// Text that must never reach a terminal from untrusted sources.
  static let hostile = [
    "\u{1B}[31mred", "\u{9B}31mred", "bell\u{7}", "\u{1B}]0;title\u{7}", "a\rb", "a\nb", "a\tb",
    "\u{202E}desrever", "\u{2066}x\u{2069}", "a\u{2028}b", "\u{0}", "\u{7F}", "a\u{200B}b",
    "\u{1B}P1$r0m\u{1B}\\", "e" + String(repeating: "\u{301}", count: 5_000),
  ]

  private func isHarmless(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
      switch scalar.properties.generalCategory {
      case .control, .format, .lineSeparator, .paragraphSeparator: false
      default: true
      }
    }
  }

  @Test(arguments: hostile)
  func `No text of others carries control or direction characters`(_ text: String) {
    #expect(isHarmless(TerminalText.plain(text)))
    #expect(isHarmless(TerminalText.line(text)))
    for width in [0, 1, 2, 3, 10, 80] {
      let fitted = TerminalText.fit(text, width)
      #expect(isHarmless(fitted))
      #expect(TerminalText.width(of: fitted) == width)
      // A stack of combining marks is not text.
      #expect(fitted.unicodeScalars.count <= 16 * max(width, 1))
      #expect(TerminalText.wrapped(text, width).allSatisfy { isHarmless($0) })
    }
  }

  @Test func `Characters that reorder a text are shown, and others are not`() {
    #expect(TerminalText.plain("rm \u{202E}cod.exe") == "rm <U+202E>cod.exe")
    #expect(TerminalText.line("\u{2066}a\u{2069}") == "<U+2066>a<U+2069>")
    #expect(TerminalText.fit("\u{202D}x", 10) == "<U+202D>x ")
    // Direction marks reorder nothing after them.
    #expect(TerminalText.plain("a\u{200E}b\u{200F}") == "ab")
  }

  @Test func `Wide letters, emoji, flags and marks take the columns they take`() {
    for (text, width) in [
      ("abc", 3), ("漢字", 4), ("é", 1), ("e\u{301}", 1), ("✅", 2), ("🚏", 2), ("🇨🇭", 2), ("⚠", 1),
      ("▶", 1), ("", 0), ("한", 2), ("…", 1),
    ] {
      #expect(TerminalText.width(of: text) == width, "\(text)")
    }
  }

  @Test func `A text is cut or filled to exactly its columns`() {
    #expect(TerminalText.fit("abc", 5) == "abc  ")
    #expect(TerminalText.fit("abc", 5, atEnd: true) == "  abc")
    #expect(TerminalText.fit("abcdef", 4) == "abc…")
    #expect(TerminalText.fit("abcd", 4) == "abcd")
    #expect(TerminalText.fit("漢字漢字", 5) == "漢字…")
    #expect(TerminalText.fit("漢字漢字", 4) == "漢… ")
    #expect(TerminalText.fit("abc", 0) == "")
  }

  @Test func `Lines are broken at spaces, and in words that are too long`() {
    #expect(TerminalText.wrapped("one two three", 7) == ["one two", "three"])
    #expect(TerminalText.wrapped("abcdefgh", 3) == ["abc", "def", "gh"])
    #expect(TerminalText.wrapped("a\n\n\n\nb", 9) == ["a", "", "b"])
    #expect(TerminalText.wrapped("", 9) == [])
    #expect(TerminalText.wrapped("one two three four", 5, most: 2) == ["one", "two…"])
    #expect(TerminalText.wrapped("abcdefghijkl", 3, most: 2) == ["abc", "d…"])
    let cut = TerminalText.wrapped("漢字漢字漢字", 5, most: 1)
    #expect(cut.allSatisfy { TerminalText.width(of: $0) <= 5 })
  }

  @Test func `A line has single spaces, and as much of the text as requested`() {
    #expect(TerminalText.line("  a\t\tb\r\nc  ") == "a b c")
    #expect(TerminalText.line("abcdef", longest: 3) == "abc")
    #expect(TerminalText.trimmed("a b  ") == "a b")
  }

  @Test func `Only rows that are different are drawn`() {
    var drawing = ScreenDrawing()
    let (begin, end) = ("\u{1B}[?2026h", "\u{1B}[?2026l")
    #expect(
      drawing.update(["a", "b"])
        == begin + "\u{1B}[2J\u{1B}[1;1H\u{1B}[Ka\u{1B}[2;1H\u{1B}[Kb" + end
    )
    #expect(drawing.update(["a", "c"]) == begin + "\u{1B}[2;1H\u{1B}[Kc" + end)
    #expect(drawing.update(["a", "c"]).isEmpty)
    #expect(drawing.update(["a"]).hasPrefix(begin + "\u{1B}[2J"))
    drawing.forget()
    #expect(drawing.update(["a"]).hasPrefix(begin + "\u{1B}[2J"))
  }

  @Test func `The environment says how many colours there are`() {
    #expect(ColourDepth(environment: [:]) == .sixteen)
    #expect(ColourDepth(environment: ["TERM": "screen-256color"]) == .indexed)
    #expect(ColourDepth(environment: ["TERM": "xterm", "COLORTERM": "truecolor"]) == .full)
    #expect(ColourDepth.none.paint("1", "a") == "a")
    #expect(ColourDepth.sixteen.paint("1", "a") == "\u{1B}[1ma\u{1B}[0m")
    #expect(ColourDepth.sixteen.paint("0", "a") == "a")
  }

  @Test func `Of sixteen colours the dark ones stand behind a text`() {
    for (color, behind, front) in [
      (0xEB0000, "41", "91"), (0xFFFFFF, "47", "97"), (0x000000, "40", "30"),
      (0xFFD800, "43", "93"), (0x2D327D, "44", "34"),
    ] as [(UInt32, String, String)] {
      #expect(ColourDepth.sixteen.parameters(color, isBackground: true) == behind)
      #expect(ColourDepth.sixteen.parameters(color, isBackground: false) == front)
    }
  }

  @Test func `Keys are named as far as there is room, and a sign says that there are more`() {
    let hints = [("?", "help"), ("q", "quit"), ("/", "stop")]
    #expect(KeyHints.line(hints, 24) == "? help   q quit   / stop")
    #expect(KeyHints.line(hints, 23) == "? help   q quit …")
    #expect(KeyHints.line(hints, 16) == "? help …")
    #expect(KeyHints.line(hints, 6) == "? help")
    #expect(KeyHints.line([], 10).isEmpty)
  }
}

@Suite struct KeyTests {
  @Test func `Keys are read from what a terminal sends`() {
    let cases: [(String, [Key])] = [
      ("a", [.character("a")]), ("é✓", [.character("é"), .character("✓")]), ("\r", [.enter]),
      ("\u{1B}", [.escape]), ("\u{1B}[A\u{1B}[B", [.up, .down]),
      ("\u{1B}OC\u{1B}OD", [.right, .left]), ("\u{1B}[5~\u{1B}[6~", [.pageUp, .pageDown]),
      ("\u{1B}[H\u{1B}[F\u{1B}[1~\u{1B}[4~", [.home, .end, .home, .end]),
      ("\t\u{1B}[Z", [.tab, .backtab]), ("\u{3}", [.control("c")]), ("\u{7F}", [.backspace]),
      ("\u{1B}[1;5A", [.up]), ("\u{1B}[3~", [.other]),
      ("\u{1B}[6;2~x", [.pageDown, .character("x")]),
    ]
    for (text, keys) in cases {
      var reader = KeyReader()
      #expect(reader.keys(text.utf8) == keys, "\(text.debugDescription)")
    }
  }

  @Test func `A letter may come in pieces, and nonsense fills no memory`() {
    var reader = KeyReader()
    let bytes = Array("é".utf8)
    #expect(reader.keys([bytes[0]]) == [])
    #expect(reader.keys([bytes[1]]) == [.character("é")])
    var other = KeyReader()
    _ = other.keys([0x1B, 0x5B] + [UInt8](repeating: 0x30, count: 100_000))
    #expect(other.keys([0x71]).contains(.character("q")))
  }

  @Test func `What is pasted is text, in whatever pieces it comes`() {
    let keys: [Key] = [.pasted("D"), .pasted("y"), .character("q")]
    let text = Array("\u{1B}[200~D\r\u{1B}[Ay\u{1B}[201~q".utf8)
    var whole = KeyReader()
    #expect(whole.keys(text) == keys)
    for cut in [3, 6, 7, 8] {
      var reader = KeyReader()
      #expect(reader.keys(text[..<cut]) + reader.keys(text[cut...]) == keys, "\(cut)")
    }
  }
}
