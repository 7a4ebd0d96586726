import { z } from 'zod'
import { defineEvent } from './define.ts'

/** A label as it was when it was deleted. */
const deletedLabel = z.object({ id: z.int(), name: z.string() })

/** An id that annotations hold, and the one that takes its place. */
const replacement = z.object({ from: z.int(), to: z.int() })

/**
 * Labels of a project or a task changed: annotations of the deleted ones go, attributes have to be completed. A task that
 * moved into a project uses the project's labels from then on: `replaced_labels` and `replaced_specs` say which is which.
 */
export const labelsChanged = defineEvent('labels.changed', {
  key: (data) => (data.project_id === null ? `task:${data.task_id}` : `project:${data.project_id}`),
  data: z.object({
    project_id: z.int().nullable(),
    task_id: z.int().nullable(),
    task_ids: z.array(z.int()),
    labels_revision: z.int(),
    deleted_label_ids: z.array(z.int()),
    /**
     * Top-level labels among `deleted_label_ids`, with their names; only the first ones if there are very many. Older versions
     * do not send them.
     */
    deleted_labels: z.array(deletedLabel).optional(),
    deleted_spec_ids: z.array(z.int()),
    /**
     * Labels that stay, but whose objects read otherwise from now on: attributes came, went or have another default, sublabels
     * went. Absent in events of older programs: maybe all.
     */
    affected_label_ids: z.array(z.int()).optional(),
    replaced_labels: z.array(replacement).default([]),
    replaced_specs: z.array(replacement).default([]),
    /** Ids of earlier changes of the same tasks that were emitted under another key, so they may arrive later than this one. */
    follows: z.array(z.string()).optional(),
  }),
})
