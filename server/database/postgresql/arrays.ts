// Statements for any number of rows, with one array per column or parameter: planned once, whatever the number.

/** A query with texts as parameters that runs once for each place of the arrays, which its rows begin with. */
export function queryForEach(query: string): string {
  const parameters = new Set<string>()
  const inside = query.replace(/\$(\d+)/g, (_, number) => {
    parameters.add(number)
    return `given.p${number}`
  })
  const numbers = [...parameters].sort((one, other) => Number(one) - Number(other))
  const arrays = numbers.map((number) => `cast($${number} as text[])`)
  const names = [...numbers.map((number) => `p${number}`), 'place']
  // The rows of each place keep their order: those of a lateral query come from a loop over it.
  return `select given.place, found.* from unnest(${arrays}) with ordinality as given(${names})
    cross join lateral (${inside}) found`
}

/** One array for each column of rows that have the same columns. */
export function arraysOf(rows: readonly unknown[][]): string[] {
  return (rows[0] ?? []).map((_, column) => arrayOf(rows.map((row) => textElement(String(row[column])))))
}

export function arrayOf(elements: string[]): string {
  return `{${elements.join(',')}}`
}

export function textElement(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}
