import { arrayOf, type RowKind } from '@reticle/contracts/row-lines'
import { invalid } from '@reticle/kit'
import { readFields, readId } from '../validation/fields.ts'
import { assertClean, complain, newReport } from '../validation/report.ts'
import type { Batch } from './body.ts'

/**
 * Reads the ids by which an update or a deletion names its objects, batch by batch.
 *
 * @param missing what stands for an object that has none
 * @throws DomainError invalid for an id that is given twice
 */
export function openIdReader<M>(missing: () => M): (batch: Batch) => (number | M)[] {
  const seen: Record<RowKind, Set<number>> = { tag: new Set(), shape: new Set(), track: new Set() }

  return ({ kind, items, first }) => {
    const report = newReport()
    const ids = items.flatMap((item, index): (number | M)[] => {
      report.path = [arrayOf[kind], first + index]
      const fields = readFields(report, item)
      if (!fields) return []
      if (fields.id === undefined || fields.id === null) return [missing()]
      const id = readId(report, fields) ?? 0
      if (seen[kind].has(id)) complain(report, 'invalid', `${id} is given twice`, 'id')
      seen[kind].add(id)
      return [id]
    })
    assertClean(report)
    return ids
  }
}

/** @throws DomainError invalid */
export function refuseMissing(): never {
  throw invalid({ id: 'must be present and not null' })
}

/**
 * Watches that no object is named by two ids: one of a task has an id in each of its jobs.
 *
 * @param first the index of the first of `ids` in the request
 * @throws DomainError invalid
 */
export function openOnce() {
  const seen: Record<RowKind, Set<number>> = { tag: new Set(), shape: new Set(), track: new Set() }

  return (
    kind: RowKind,
    ids: readonly (number | null)[],
    first: number,
    found: ReadonlyMap<number, { id: number }>,
  ): void => {
    const report = newReport()
    for (const [index, id] of ids.entries()) {
      const object = id === null ? undefined : found.get(id)
      if (!object) continue
      report.path = [arrayOf[kind], first + index]
      if (seen[kind].has(object.id)) complain(report, 'invalid', `${id} is given twice`, 'id')
      seen[kind].add(object.id)
    }
    assertClean(report)
  }
}
