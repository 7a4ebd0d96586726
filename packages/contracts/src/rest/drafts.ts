import { z } from 'zod'
import { backupProject } from './backups.ts'
import { labelSet } from './facts.ts'
import { labelWrite } from './labels.ts'

/** What imports and restores make, which is seen all at once or never (`reliability.md` 6.3), as services tell each other of it. */

export const openDraft = z
  .object({
    draft_id: z.string(),
    /** The project that its tasks will be in. */
    project_id: z.int().optional(),
    /** Instead of that, a new one; without either they are in none. */
    project: backupProject.omit({ guide: true }).meta({ id: 'NewProject' }).optional(),
    /** Of the new project, or what is added to those of the other one. */
    labels: z.array(labelWrite),
  })
  .meta({ id: 'OpenDraft' })

/** The project that there is or will be, and the labels that it will have. */
export const openedDraft = labelSet
  .extend({ project_id: z.int().nullable() })
  .meta({ id: 'OpenedDraft' })

export const publishedDraft = z
  .object({ project_id: z.int().nullable(), task_ids: z.array(z.int()) })
  .meta({ id: 'PublishedDraft' })

export type OpenDraft = z.infer<typeof openDraft>
export type OpenedDraft = z.infer<typeof openedDraft>
export type PublishedDraft = z.infer<typeof publishedDraft>
