/** The two tickets or customers of a move. */
interface Pair<Of> {
  from: Of
  into: Of
}

/** Locks two rows in the order of their ids, so that no two units wait for each other. */
export async function lockPair<Row>(
  { from, into }: Pair<string>,
  lock: (id: string) => Promise<Row>,
): Promise<Pair<Row>> {
  const isInOrder = from < into
  const first = await lock(isInOrder ? from : into)
  const second = await lock(isInOrder ? into : from)
  return isInOrder ? { from: first, into: second } : { from: second, into: first }
}
