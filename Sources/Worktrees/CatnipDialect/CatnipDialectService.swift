/// The API of catnip, as a view of the worktrees; it has no state of its own.
package struct CatnipDialectService: Sendable {
  package init() {}
}
