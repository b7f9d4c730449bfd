import Testing

@testable import AgentWatch

@Suite struct MountMapTests {
  private static let outer = """
    22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/a rw
    23 22 0:20 / /proc rw - proc proc rw
    24 22 8:3 / /home rw - ext4 /dev/c rw
    25 22 8:4 /@data /srv/my\\040data rw - btrfs /dev/d rw
    """
  private static let inner = """
    90 1 0:50 / / rw - overlay overlay rw
    91 90 8:3 /me/code /workspaces rw - ext4 /dev/c rw
    92 90 8:3 /me/code/other /workspaces/app/vendor rw - ext4 /dev/c rw
    93 90 8:4 /@data/sets /data rw - btrfs /dev/d rw
    94 90 8:9 / /volume rw - ext4 /dev/v rw
    """

  @Test(arguments: [
    ("/workspaces/app", "/home/me/code/app"), ("/workspaces", "/home/me/code"),
    ("/workspaces/app/vendor/x", "/home/me/code/other/x"),
    ("/data/a", "/srv/my data/sets/a"),
  ])
  func `a path of a container is the one that is bound into it`(inner: String, here: String) {
    #expect(MountMap(inner: Self.inner, outer: Self.outer).path(of: inner) == here)
  }

  @Test(arguments: ["/tmp/x", "/volume/x", "/workspacesx", "relative", ""])
  func `what is in the container alone is nowhere here`(path: String) {
    #expect(MountMap(inner: Self.inner, outer: Self.outer).path(of: path) == nil)
  }

  @Test func `lines that are not mounts are passed`() {
    let map = MountMap(inner: "x\n\n1 2 3\n" + Self.inner, outer: "?\n" + Self.outer)
    #expect(map.path(of: "/workspaces") == "/home/me/code")
    #expect(MountMap(inner: "", outer: "").path(of: "/") == nil)
  }
}
