import Testing

/// Expects two values to be equal; unlike `#expect` it takes calls that change something.
func expectSame<Value: Equatable>(
  _ found: Value,
  _ expected: Value,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(found == expected, sourceLocation: sourceLocation)
}
