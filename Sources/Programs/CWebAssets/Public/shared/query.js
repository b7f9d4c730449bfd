// Makes the query of an address.

/**
 * Returns the parameters as a query.
 *
 * @param {Record<string, string | number>} parameters
 */
export function queryOf(parameters) {
  return new URLSearchParams(Object.entries(parameters).map(([name, value]) => [name, String(value)]));
}
