import Foundation
import Testing

@testable import WorktreeWatch

@Suite struct NestedRepositoriesTests {
  @Test func `Repositories are found however deep and hidden they are`() async throws {
    let repository = TemporaryRepository()
    try await repository.begin()
    try repository.write("main/a/.b/c/d/e/f/g/h/.git", "gitdir: /nowhere\n")
    try repository.write("main/bare/HEAD")
    try repository.write("main/bare/objects/pack/x")
    try repository.write("main/bare/refs/heads/x")
    try repository.write("main/bare/modules/inner/HEAD")
    try repository.write("main/bare/modules/inner/objects/x")
    try repository.write("main/bare/modules/inner/refs/x")
    try repository.write("main/no/HEAD")
    try FileManager.default.createSymbolicLink(
      atPath: repository.path("main/link"),
      withDestinationPath: repository.path("main/bare")
    )
    let found = await NestedRepositories.find(in: repository.path("main"))
    #expect(!found.isCut)
    #expect(
      found.folders
        == ["main/a/.b/c/d/e/f/g/h", "main/bare", "main/bare/modules/inner"].map(repository.path)
    )
    let cut = await NestedRepositories.find(in: repository.path("main"), most: 2)
    #expect(cut.isCut)
  }

  @Test func `What tools make again is told by its name or its mark`() throws {
    for path in ["node_modules/", "a/build/x.txt", "a.o", ".build", "x/.DS_Store"] {
      #expect(RemadeFolders.contains(path), "\(path)")
    }
    for path in [".env", "scratch/", "builds/", "my.build/x", "o"] {
      #expect(!RemadeFolders.contains(path), "\(path)")
    }
    let repository = TemporaryRepository()
    try repository.write("it/CACHEDIR.TAG", "Signature: 8a477f597d28d172789f06886806bc55\n# text\n")
    #expect(RemadeFolders.isMarked(repository.path("it")))
    #expect(!RemadeFolders.isMarked(repository.root))
  }
}
