import { z } from 'zod'
import { backupProject } from './backups.ts'
import { labelSet } from './facts.ts'
import { labelWrite } from './labels.ts'

/**
 * Drafts of imports and restores, for calls between services. The objects of a draft become visible all at once or not at all.
 */

export const openDraft = z
  .object({
    draft_id: z.string(),
    /** Existing project for its tasks. */
    project_id: z.int().optional(),
    /** New project for its tasks; without either, they have no project. */
    project: backupProject.omit({ guide: true }).meta({ id: 'NewProject' }).optional(),
    /** Labels of the new project, or labels to add to the existing one. */
    labels: z.array(labelWrite),
  })
  .meta({ id: 'OpenDraft' })

/** The project of the draft, existing or new, and the labels that it will have. */
export const openedDraft = labelSet
  .extend({ project_id: z.int().nullable() })
  .meta({ id: 'OpenedDraft' })

export const publishedDraft = z
  .object({ project_id: z.int().nullable(), task_ids: z.array(z.int()) })
  .meta({ id: 'PublishedDraft' })

export type OpenDraft = z.infer<typeof openDraft>
export type OpenedDraft = z.infer<typeof openedDraft>
export type PublishedDraft = z.infer<typeof publishedDraft>
