import Testing

@testable import Books

@Suite struct NameListTests {
  @Test(arguments: [
    ["Martin Luther King, Jr."], ["O'Brien, Jr., Pat", "A"], ["A; B;;C|D;", ";;", "x;"], [],
    [";", "; y"], ["Frank Herbert", "Brian Herbert"],
  ])
  func `names with separators in them come back`(names: [String]) {
    let cell = NameList.text(names, separator: NameList.authors)
    #expect(NameList.names(cell, separator: NameList.authors) == names)
  }

  @Test func `a cell that a person has edited has no empty names`() {
    #expect(NameList.names(" A ;  B; ; ", separator: NameList.authors) == ["A", "B"])
  }
}
