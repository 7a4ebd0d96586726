import type { Guide } from '@reticle/contracts/rest/guides'
import type { GuideRow } from '../db/schema.ts'

/** Converts a row to a guide record. */
export function toGuide(row: GuideRow): Guide {
  return {
    id: row.id,
    task_id: row.task_id,
    project_id: row.project_id,
    created_date: row.created_date.toISOString(),
    updated_date: row.updated_date.toISOString(),
    markdown: row.markdown,
  }
}
