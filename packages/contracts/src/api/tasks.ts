import { z } from 'zod'
import { annotationsChange } from '../events/annotations.ts'
import { backupTarget, restoredTask } from '../rest/backups.ts'
import { bytes, idParams, ifMatch, nothing, page } from '../rest/common.ts'
import { openDraft, openedDraft, publishedDraft } from '../rest/drafts.ts'
import { authorizeQuery, facts } from '../rest/facts.ts'
import { partFacts } from '../rest/server.ts'
import { task, taskCreate, taskList, taskPatch } from '../rest/tasks.ts'
import { taskValidationLayout, validationLayoutPatch } from '../rest/validation.ts'
import { defineOperations, del, get, internal, patch, post } from './operation.ts'

export const tasks = defineOperations('TaskService', {
  listTasks: get('/tasks', { query: taskList, answers: { 200: page(task, 'TaskPage') } }),
  createTask: post('/tasks', { body: taskCreate, etag: 'revision', answers: { 201: task } }),
  getTask: get('/tasks/:id', { params: idParams, etag: 'revision', answers: { 200: task } }),
  updateTask: patch('/tasks/:id', {
    params: idParams,
    headers: ifMatch,
    body: taskPatch,
    busy: { target: 'task', when: 'organization_id' },
    etag: 'revision',
    answers: { 200: task },
  }),
  deleteTask: del('/tasks/:id', { params: idParams, headers: ifMatch, answers: { 204: nothing } }),
  getTaskValidationLayout: get('/tasks/:id/validation_layout', {
    params: idParams,
    answers: { 200: taskValidationLayout },
  }),
  updateTaskValidationLayout: patch('/tasks/:id/validation_layout', {
    params: idParams,
    body: validationLayoutPatch,
    answers: { 200: taskValidationLayout },
    summary: 'Select validation frames that are excluded',
  }),
  /** Returns the limits and capabilities of this service. */
  describe: internal({ answers: { 200: partFacts } }),
  /** Checks a permission of the caller, and returns the facts about the object in the same call. */
  authorize: internal({ query: authorizeQuery, answers: { 200: facts } }),
  /** Opens a draft for tasks that are not visible yet: in an existing project, in a new one, or in none. */
  openDraft: internal({ body: openDraft, answers: { 200: openedDraft } }),
  /** Adds a task to a draft. Its media, annotations and guide are then written as for any task. */
  addDraftTask: internal({
    query: z.object({ draft_id: z.string(), name: z.string(), subset: z.string() }),
    answers: { 200: z.object({ task_id: z.int() }).meta({ id: 'DraftTask' }) },
  }),
  /** Makes all tasks of a draft visible. Repeated calls with one `call_id` publish once. */
  publishDraft: internal({
    query: z.object({ draft_id: z.string(), call_id: z.string() }),
    answers: { 200: publishedDraft },
  }),
  /** Removes an unpublished draft. */
  dropDraft: internal({ query: z.object({ draft_id: z.string() }), answers: { 200: nothing } }),
  /** Returns backup lines (`backup-lines.ts`) of a project or task that the caller may export. */
  describeBackup: internal({ query: backupTarget, answers: { 200: bytes } }),
  /** Fills a task of a draft from backup lines of a task: its labels, media, jobs and issues. */
  restoreTask: internal({
    query: z.object({ task_id: z.int() }),
    body: bytes,
    answers: { 200: restoredTask },
  }),
  /** Updates dates and states before the event `annotations.changed` arrives, once per event. */
  annotationsChanged: internal({
    body: z.object({ event_id: z.string(), change: annotationsChange }),
    answers: { 200: nothing },
  }),
})
