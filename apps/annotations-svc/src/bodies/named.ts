import { arrayOf, type RowKind } from '@reticle/contracts/row-lines'
import { readFields, readId } from '../validation/fields.ts'
import {
  assertClean,
  createValidationReport,
  reportProblem,
  type ValidationReport,
} from '../validation/report.ts'
import type { Batch } from './body.ts'

/**
 * Returns a reader of the ids in an update or deletion, batch by batch.
 *
 * @throws DomainError invalid for an object without an id, or an id that occurs twice
 */
export function openIdReader(): (batch: Batch) => number[] {
  const read = openOptionalIdReader((report) => {
    reportProblem(report, 'invalid', 'must be present and not null', 'id')
  })
  return (batch) => read(batch).filter((id) => id !== null)
}

/**
 * Returns a reader like `openIdReader`, but with null for an object without an id.
 *
 * @param onMissing is called for each object without an id
 */
export function openOptionalIdReader(
  onMissing: (report: ValidationReport) => void = () => undefined,
): (batch: Batch) => (number | null)[] {
  const seen: Record<RowKind, Set<number>> = { tag: new Set(), shape: new Set(), track: new Set() }

  return ({ kind, items, first }) => {
    const report = createValidationReport()
    const ids = items.flatMap((item, index): (number | null)[] => {
      report.path = [arrayOf[kind], first + index]
      const fields = readFields(report, item)
      if (!fields) return []
      if (fields.id === undefined || fields.id === null) {
        onMissing(report)
        return [null]
      }
      const id = readId(report, fields) ?? 0
      if (seen[kind].has(id)) reportProblem(report, 'invalid', `${id} is given twice`, 'id')
      seen[kind].add(id)
      return [id]
    })
    assertClean(report)
    return ids
  }
}

/**
 * Returns a check that no object is named by two ids. An object of a task has a different id in each of its jobs.
 *
 * @param first index of the first of `ids` in the request
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
    const report = createValidationReport()
    for (const [index, id] of ids.entries()) {
      const object = id === null ? undefined : found.get(id)
      if (!object) continue
      report.path = [arrayOf[kind], first + index]
      if (seen[kind].has(object.id)) reportProblem(report, 'invalid', `${id} is given twice`, 'id')
      seen[kind].add(object.id)
    }
    assertClean(report)
  }
}
