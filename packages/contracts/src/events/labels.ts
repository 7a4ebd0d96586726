import { z } from 'zod'
import { defineEvent } from './define.ts'

/** Label at the time of its deletion. */
const deletedLabel = z.object({ id: z.int(), name: z.string() })

/** An id that annotations refer to, and its replacement. */
const replacement = z.object({ from: z.int(), to: z.int() })

/**
 * Change of the labels of a project or a task: annotations with deleted labels are removed, and attributes are
 * completed. A task that moved into a project uses the labels of the project from then on; `replaced_labels` and
 * `replaced_specs` map the old ids to the new ones.
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
     * Top-level labels among `deleted_label_ids`, with their names; truncated if there are very many. Absent in events
     * of older versions.
     */
    deleted_labels: z.array(deletedLabel).optional(),
    deleted_spec_ids: z.array(z.int()),
    /**
     * Labels that remain, but whose objects read differently from now on: an attribute was added or removed or has
     * another default, or a sublabel was removed. Absent in events of older versions: possibly all.
     */
    affected_label_ids: z.array(z.int()).optional(),
    replaced_labels: z.array(replacement).default([]),
    replaced_specs: z.array(replacement).default([]),
    /**
     * Ids of earlier changes of the same tasks that were emitted under
     * another key, so that they may arrive later than this one.
     */
    follows: z.array(z.string()).optional(),
  }),
})
