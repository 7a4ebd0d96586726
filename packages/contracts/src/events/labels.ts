import { z } from 'zod'
import { defineEvent } from './define.ts'

/** Labels of a project or a task changed: annotations of the deleted ones go, attributes have to be completed. */
export const labelsChanged = defineEvent('labels.changed', {
  key: (data) => (data.project_id === null ? `task:${data.task_id}` : `project:${data.project_id}`),
  data: z.object({
    project_id: z.int().nullable(),
    task_id: z.int().nullable(),
    task_ids: z.array(z.int()),
    labels_revision: z.int(),
    deleted_label_ids: z.array(z.int()),
    deleted_spec_ids: z.array(z.int()),
  }),
})
