import { z } from 'zod'
import { integer, link, text, timestamp } from './common.ts'
import { label, labelWrite } from './labels.ts'
import { listFields, listOf } from './lists.ts'
import { storage, storageWrite } from './storage.ts'
import { basicUser } from './users.ts'

/** Projects. See docs/spec/workspace.md#projects. */

export const statuses = ['annotation', 'validation', 'completed'] as const

export const project = z
  .object({
    url: link,
    id: z.int(),
    name: z.string(),
    owner: basicUser.nullable(),
    assignee: basicUser.nullable(),
    assignee_updated_date: timestamp.nullable(),
    status: z.enum(statuses),
    labels: z.array(label),
    bug_tracker: z.string(),
    guide_id: z.int().nullable(),
    task_subsets: z.array(z.string()),
    dimension: z.enum(['2d', '3d']).nullable(),
    created_date: timestamp,
    updated_date: timestamp,
    /** Increased by every change of the record itself, but not by changes of its children. */
    revision: z.int().optional(),
    organization: z.int().nullable(),
    organization_id: z.int().nullable(),
    source_storage: storage.nullable(),
    target_storage: storage.nullable(),
    tasks: z.object({ count: z.int(), url: link }).meta({ id: 'TasksSummary' }),
  })
  .meta({ id: 'Project' })

/** Address that is shown as a link: empty, or http(s). */
export const bugTracker = z.preprocess(
  (given) => (given === null ? '' : given),
  z
    .string()
    .trim()
    .max(2000)
    .refine((given) => given === '' || isWebAddress(given), { error: 'Enter a valid URL.' }),
)

function isWebAddress(given: string): boolean {
  return /^https?:\/\/\S+$/i.test(given) && URL.canParse(given)
}

const writable = {
  name: text(256, 1),
  owner_id: integer.nullable(),
  assignee_id: integer.nullable(),
  labels: z.array(labelWrite),
  bug_tracker: bugTracker,
  source_storage: storageWrite,
  target_storage: storageWrite,
}

export const projectCreate = z
  .object(writable)
  .partial()
  .required({ name: true })
  .meta({ id: 'ProjectCreate' })

export const projectPatch = z
  .object({
    ...writable,
    status: z.enum(statuses),
    /** Another workspace, to which the project moves; null is the personal workspace of the caller. */
    organization_id: integer.nullable(),
  })
  .partial()
  .strict()
  .meta({ id: 'ProjectPatch' })

/** Fields of the list of projects. */
export const projectFields = listFields({
  equal: { id: 'integer', name: 'text', owner: 'text', assignee: 'text', status: statuses },
  more: { created_date: 'date', updated_date: 'date' },
  search: ['name', 'owner', 'assignee', 'status'],
  order: '-id',
})
export const projectList = listOf(projectFields)

export type Project = z.infer<typeof project>
export type ProjectCreate = z.infer<typeof projectCreate>
export type ProjectPatch = z.infer<typeof projectPatch>
