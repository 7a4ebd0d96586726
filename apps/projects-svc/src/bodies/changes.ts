/** Returns the defined values that differ from the row. */
export function changesTo<R extends object>(row: R, wanted: Partial<R>): Partial<R> {
  const changes: Partial<R> = { ...wanted }
  for (const key of keysOf(wanted))
    if (wanted[key] === undefined || wanted[key] === row[key]) delete changes[key]
  return changes
}

export const isEmpty = (changes: object) => Object.keys(changes).length === 0

/**
 * Returns the old values of the top-level fields that differ, except labels and the revision: `before_update` of
 * events. Records are plain JSON.
 */
export function fieldsBefore<R extends object>(before: R, after: R): Partial<R> {
  const changed: Partial<R> = { ...before }
  for (const key of keysOf(before))
    if (notCompared.has(key) || isSame(before[key], after[key])) delete changed[key]
  return changed
}

const notCompared: ReadonlySet<PropertyKey> = new Set(['labels', 'revision'])

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other)

function keysOf<R extends object>(record: R): (keyof R)[] {
  const keys: (keyof R)[] = []
  for (const key in record) keys.push(key)
  return keys
}

/** Pairs records after a change with their old values: data of update events. Both lists have the same order. */
export function pairUpdates<R extends object>(before: readonly R[], after: readonly R[]) {
  return after.flatMap((record, index) => {
    const was = before[index]
    return was ? [{ record, before_update: fieldsBefore(was, record) }] : []
  })
}
