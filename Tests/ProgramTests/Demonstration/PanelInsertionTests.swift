import Demonstration
import Testing

@Suite struct PanelInsertionTests {
  private let insertion = PanelInsertion(origin: "http://127.0.0.1:8079")

  @Test func `The script comes first in the head, and nothing else changes`() {
    let page = "<!doctype html>\n<html><head>\n<title>A</title></head><body>é</body></html>"
    let script = "<script src=\"http://127.0.0.1:8079/insert.js\"></script>"
    #expect(
      insertion.page(page)
        == "<!doctype html>\n<html><head>\(script)\n<title>A</title></head><body>é</body></html>"
    )
    #expect(insertion.page("no page") == "no page")
  }

  @Test func `The policy allows the panel and keeps every other rule`() {
    let policy =
      "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; frame-ancestors 'none'"
    #expect(
      insertion.policy(policy)
        == "default-src 'none'; script-src 'self' 'wasm-unsafe-eval' http://127.0.0.1:8079; style-src 'self'; "
        + "frame-ancestors 'none'; frame-src http://127.0.0.1:8079"
    )
  }

  @Test func `Pages are known by their path, with any query`() {
    for target in ["/", "/?stop=1", "/workspaces", "/jobs?lang=de", "/status"] {
      #expect(PanelInsertion.isPage(target), "\(target)")
    }
    for target in ["/api/stationboard?stop_id=/", "/assets/board.js", "/jobs/1", "", "//"] {
      #expect(!PanelInsertion.isPage(target), "\(target)")
    }
  }

  @Test func `The panel of a page has its token and its origins`() {
    let panel = PanelFile.panel(
      of: .jobs,
      token: "abc",
      origins: ["http://a", "http://b"],
      books: 7
    )
    #expect(
      panel.text.contains(
        "data-page=\"jobs\" data-token=\"abc\" data-pages=\"http://a http://b\""
      )
    )
    #expect(panel.text.contains("Import 7 books"))
    #expect(!panel.text.contains("{"))
    for (books, shown) in [(999, "999"), (1_000, "1,000"), (10_000, "10,000"), (2_075, "2,075")] {
      let panel = PanelFile.panel(of: .jobs, token: "", origins: [], books: books)
      #expect(panel.text.contains("Import \(shown) books"))
    }
    #expect(PanelFile.panel(of: nil, token: "", origins: [], books: 1).text.contains("\"all\""))
  }
}
