import Testing

@testable import Git

@Suite struct DiffTests {
  static let text = """
    diff --git a/one.txt b/one.txt
    index 1..2 100644
    --- a/one.txt
    +++ b/one.txt
    @@ -1 +1,2 @@
    -diff --git a/x b/x
    ++++ b/not a name
    +diff --cc trap
    diff --git a/old name b/new name
    similarity index 90%
    rename from old name
    rename to new name
    --- a/old name\t
    +++ b/new name\t
    @@ -1 +1 @@
    -a
    +b
    diff --git a/gone b/gone
    deleted file mode 100644
    --- a/gone
    +++ /dev/null
    @@ -1 +0,0 @@
    -x
    diff --git "a/t\\tab \\303\\244" "b/t\\tab \\303\\244"
    new file mode 100644
    --- /dev/null
    +++ "b/t\\tab \\303\\244"
    @@ -0,0 +1 @@
    +x
    diff --git a/pic b/pic
    index 1..2 100644
    Binary files a/pic and b/pic differ
    diff --git a/mode only b/mode only
    old mode 100644
    new mode 100755
    * Unmerged path torn
    diff --cc torn
    index 1,2..3
    --- a/torn
    +++ b/torn
    @@@ -1,1 -1,1 +1,5 @@@
    ++<<<<<<<
    """

  @Test func `A diff is cut into its files, whatever their content says`() {
    let files = UnifiedDiff.files(Array(Self.text.utf8))
    #expect(
      files.map(\.path) == [
        "one.txt", "new name", "gone", "t\tab ä", "pic", "mode only", "torn",
      ]
    )
    #expect(files.map(\.isBinary) == [false, false, false, false, true, false, false])
    #expect(files[0].text.contains("+diff --cc trap"))
    #expect(files[5].text.hasSuffix("new mode 100755\n"))
  }

  @Test func `A new file is shown as added lines`() {
    let whole = UnifiedDiff.addition(of: "a", content: Array("x\ny\n".utf8))
    #expect(whole?.lines == 2)
    #expect(whole?.text.hasSuffix("@@ -0,0 +1,2 @@\n+x\n+y\n") == true)
    let open = UnifiedDiff.addition(of: "a", content: Array("x".utf8))
    #expect(open?.text.hasSuffix("+x\n\\ No newline at end of file\n") == true)
    #expect(UnifiedDiff.addition(of: "a", content: [UInt8]())?.lines == 0)
    #expect(UnifiedDiff.addition(of: "a", content: [0x61, 0x00]) == nil)
  }
}
