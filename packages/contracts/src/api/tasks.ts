import { z } from 'zod'
import { annotationsChange } from '../events/annotations.ts'
import { backupTarget, restoredTask } from '../rest/backups.ts'
import { bytes, idParams, ifMatch, nothing, page } from '../rest/common.ts'
import { openDraft, openedDraft, publishedDraft } from '../rest/drafts.ts'
import { authorizeQuery, facts } from '../rest/facts.ts'
import { partFacts } from '../rest/server.ts'
import { task, taskCreate, taskList, taskPatch } from '../rest/tasks.ts'
import { taskValidationLayout, validationLayoutPatch } from '../rest/validation.ts'
import { del, get, internal, operations, patch, post } from './operation.ts'

export const tasks = operations('TaskService', {
  listTasks: get('/tasks', { query: taskList, answers: { 200: page(task, 'TaskPage') } }),
  createTask: post('/tasks', { body: taskCreate, answers: { 201: task } }),
  getTask: get('/tasks/:id', { params: idParams, answers: { 200: task } }),
  updateTask: patch('/tasks/:id', {
    params: idParams,
    headers: ifMatch,
    body: taskPatch,
    busy: { target: 'task', when: 'organization_id' },
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
    summary: 'Choose the validation frames that do not count',
  }),
  /** What this service allows at most, and what it can do. */
  describe: internal({ answers: { 200: partFacts } }),
  /** May the caller do this, and what is there to know? One call a request (`design.md` 2). */
  authorize: internal({ query: authorizeQuery, answers: { 200: facts } }),
  /** Begins to make tasks that nobody sees yet: of a project that there is, of a new one, or of none. */
  openDraft: internal({ body: openDraft, answers: { 200: openedDraft } }),
  /** Its media is attached, its annotations and its guide are written as those of any task. */
  addDraftTask: internal({
    query: z.object({ draft_id: z.string(), name: z.string(), subset: z.string() }),
    answers: { 200: z.object({ task_id: z.int() }).meta({ id: 'DraftTask' }) },
  }),
  /** All of it is seen from now on. Publishing twice with one `call_id` is publishing once. */
  publishDraft: internal({
    query: z.object({ draft_id: z.string(), call_id: z.string() }),
    answers: { 200: publishedDraft },
  }),
  /** What was not published goes. */
  dropDraft: internal({ query: z.object({ draft_id: z.string() }), answers: { 200: nothing } }),
  /** Backup lines (`backup-lines.ts`) of a project or task that the caller may export. */
  describeBackup: internal({ query: backupTarget, answers: { 200: bytes } }),
  /** A task of a draft becomes what backup lines tell of one: its labels, media, jobs and issues. */
  restoreTask: internal({
    query: z.object({ task_id: z.int() }),
    body: bytes,
    answers: { 200: restoredTask },
  }),
  /** Moves dates and states before the event `annotations.changed` arrives; once per event (`spec/api-annotations.md` 1.11). */
  annotationsChanged: internal({
    body: z.object({ event_id: z.string(), change: annotationsChange }),
    answers: { 200: nothing },
  }),
})
