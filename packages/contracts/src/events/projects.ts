import { z } from 'zod'
import { project } from '../rest/projects.ts'
import { defineEvent } from './define.ts'

const key = (data: { project: { id: number } }) => `project:${data.project.id}`
/** Old values of the changed fields, by the names of the record. */
const before = project.omit({ labels: true }).partial()

export const projectCreated = defineEvent('create:project', { key, data: z.object({ project }) })
export const projectUpdated = defineEvent('update:project', {
  key,
  data: z.object({ project, before_update: before }),
})
/** The record as it was. What hung on it (tasks, jobs, annotations, objects) follows by this event. */
export const projectDeleted = defineEvent('delete:project', {
  key,
  data: z.object({ project, task_ids: z.array(z.int()) }),
})
