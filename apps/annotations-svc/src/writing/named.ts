import { arrayOf, type RowKind } from '@reticle/contracts/row-lines'
import { invalid } from '@reticle/kit'
import { readFields, readId } from '../validation/fields.ts'
import { assertClean, complain, newReport } from '../validation/report.ts'
import type { Batch } from './body.ts'

/**
 * Reads the ids by which an update or a deletion names its objects, batch by batch.
 *
 * @throws DomainError invalid for an object without id, or an id that is given twice
 */
export function openIdReader(): (batch: Batch) => number[] {
  const seen: Record<RowKind, Set<number>> = { tag: new Set(), shape: new Set(), track: new Set() }

  return ({ kind, items, first }) => {
    const report = newReport()
    const ids = items.flatMap((item, index) => {
      report.path = [arrayOf[kind], first + index]
      const fields = readFields(report, item)
      if (!fields) return []
      if (fields.id === undefined || fields.id === null) {
        throw invalid({ id: 'must be present and not null' })
      }
      const id = readId(report, fields) ?? 0
      if (seen[kind].has(id)) complain(report, 'invalid', `${id} is given twice`, 'id')
      seen[kind].add(id)
      return [id]
    })
    assertClean(report)
    return ids
  }
}
