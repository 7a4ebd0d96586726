import { z } from 'zod'
import { project } from '../rest/projects.ts'
import { defineEvent } from './define.ts'

const key = (data: { project: { id: number } }) => `project:${data.project.id}`
const organization = (data: { project: { organization_id: number | null } }) =>
  data.project.organization_id
const projectOf = (data: { project: { id: number } }) => data.project.id
/** Old values of the changed fields, by the names of the record. */
const before = project.omit({ labels: true }).partial()

export const projectCreated = defineEvent('create:project', {
  key,
  organization,
  project: projectOf,
  data: z.object({ project }),
})
export const projectUpdated = defineEvent('update:project', {
  key,
  organization,
  project: projectOf,
  data: z.object({ project, before_update: before }),
})
/**
 * Record before the deletion. Consumers of this event delete the dependent objects (tasks, jobs, annotations, files).
 */
export const projectDeleted = defineEvent('delete:project', {
  key,
  organization,
  project: projectOf,
  data: z.object({ project, task_ids: z.array(z.int()) }),
})

/** A project moved with all its content to another workspace. For services that store only the location of objects. */
export const projectMoved = defineEvent('project.moved', {
  key: (data) => `project:${data.project_id}`,
  data: z.object({ project_id: z.int(), organization_id: z.int().nullable() }),
})
