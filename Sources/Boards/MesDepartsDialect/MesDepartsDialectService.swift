/// The API of MesDeparts, as a view of the boards; it has no state of its own.
package struct MesDepartsDialectService: Sendable {
  package init() {}
}
