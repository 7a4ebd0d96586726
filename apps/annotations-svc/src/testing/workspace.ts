import { text } from 'node:stream/consumers'
import type { AnnotationSet } from '@reticle/contracts/rest/annotations'
import type { JobRange, LabelSet } from '@reticle/contracts/rest/facts'
import type { Label } from '@reticle/contracts/rest/labels'
import { attributeOf, factsOf, labelOf } from '@reticle/contracts/testing/records'
import { type BytesAnswer, forbidden, notFound } from '@reticle/kit'
import { silentLog } from '@reticle/kit/observe/log'
import { createKeyedQueue } from '@reticle/kit/scheduling/keyed-queue'
import { cutBytes } from '@reticle/kit/testing/bytes'
import { callAs } from '@reticle/kit/testing/call'
import { createDeliverer } from '@reticle/kit/testing/events'
import type { Kysely } from 'kysely'
import { annotationHandlers } from '../annotations/rpc.ts'
import { readConfig } from '../config.ts'
import { idBlocks } from '../db/ids.ts'
import type { AnnotationsDb } from '../db/schema.ts'
import type { Deps, Handlers, Neighbours } from '../deps.ts'
import { eventHandler } from '../events/consumer.ts'
import type { SetQuery } from '../queries/annotation-query.ts'

/** Fake state of one task in projects-svc, with the calls that it received. */
export interface FakeWorkspace {
  task_id: number
  jobs: JobRange[]
  /** Ground-truth job and its frames; its annotations are not part of the task. */
  truth?: JobRange & { frames: number[] }
  labels: LabelSet
  /** Label events that have to be handled before annotations are read. */
  label_events: string[]
  /** Project of the task. */
  project_id: number | null
  /** Width and height of every frame in pixels. */
  frame: { width: number; height: number }
  dimension: '2d' | '3d'
  deleted_frames: number[]
  /** Users without permissions. */
  strangers: number[]
  /** Received `annotationsChanged` calls. */
  notifications: Parameters<Neighbours['tasks']['annotationsChanged']>[0]['body'][]
}

/** Creates a task with three jobs of five frames; job ids are ten times the task id plus 1, 2, 3. */
export function createWorkspace(task_id: number): FakeWorkspace {
  const jobs = [0, 1, 2].map((n) => jobRange(task_id * 10 + n + 1, n * 5, n * 5 + 4))
  const labels = { labels_revision: 1, labels: exampleLabels() }
  return {
    ...{ task_id, jobs, labels, dimension: '2d', deleted_frames: [], label_events: [] },
    ...{ frame: { width: 100, height: 80 }, strangers: [8], notifications: [], project_id: null },
  }
}

export function jobRange(id: number, start_frame: number, stop_frame: number): JobRange {
  return { id, start_frame, stop_frame }
}

export function exampleLabels(): Label[] {
  const attributes = [
    attributeOf({ ...choice, id: 90, name: 'color', values: ['red', 'blue'] }),
    attributeOf({ id: 91, name: 'make' }),
    attributeOf({
      ...choice,
      id: 92,
      name: 'parked',
      input_type: 'checkbox',
      default_value: 'false',
    }),
  ]
  const sublabels = [part(42, 'head'), part(43, 'foot')]
  return [
    labelOf({ id: 40, name: 'car', attributes }),
    labelOf({ id: 41, name: 'person', type: 'skeleton', sublabels }),
  ]
}

const choice = { mutable: true, input_type: 'select' } as const

/** Returns the label of a joint. */
export const part = (id: number, name: string) => labelOf({ id, name, has_parent: true })

function jobsOf({ jobs, truth }: FakeWorkspace): JobRange[] {
  if (!truth) return jobs
  const { id, start_frame, stop_frame } = truth
  return [...jobs, { id, start_frame, stop_frame }]
}

/** Returns a fake of projects-svc for some tasks. */
export function neighboursOf(workspaces: readonly FakeWorkspace[]): Neighbours {
  const find = (isWanted: (one: FakeWorkspace) => boolean) => {
    const found = workspaces.find(isWanted)
    if (!found) throw notFound()
    return found
  }
  const of = {
    project: (id: number) => find((one) => one.project_id === id),
    task: (id: number) => find((one) => one.task_id === id),
    job: (id: number) => find((one) => jobsOf(one).some((job) => job.id === id)),
  }
  return {
    tasks: {
      authorize: async ({ target, id }, { principal }) => {
        const workspace = of[target](id)
        if (workspace.strangers.includes(principal?.user_id ?? 0)) throw forbidden()
        const { task_id, truth } = workspace
        const own = jobsOf(workspace).find((one) => one.id === id)
        const jobs = target === 'job' && own ? [own] : workspace.jobs
        return factsOf({
          ...{ target, task_id, job_id: target === 'job' ? id : null, jobs },
          frames: target === 'job' && truth?.id === id ? truth.frames : [],
          labels_revision: workspace.labels.labels_revision,
          label_events: workspace.label_events,
          dimension: workspace.dimension,
          size: Math.max(0, ...jobs.map((one) => one.stop_frame + 1)),
        })
      },
      annotationsChanged: async ({ body }) => {
        of.task(body.change.task_id).notifications.push(body)
      },
    },
    labels: {
      getLabelSet: async ({ target, id }) => of[target](id).labels,
    },
    media: {
      listExtents: async ({ target, id, after = 0 }, { principal }) => {
        const own = target === 'job' ? [of.job(id)] : workspaces
        const found = own.filter((one) => {
          if (target === 'task') return one.task_id === id
          return target === 'job' || (one.project_id === id && one.task_id > after)
        })
        const [first, second] = found
        if (!first) throw notFound()
        if (first.strangers.includes(principal?.user_id ?? 0)) throw forbidden()
        const { task_id, dimension, deleted_frames, truth } = first
        const jobs = target === 'job' ? jobsOf(first).filter((one) => one.id === id) : first.jobs
        const size = Math.max(0, ...first.jobs.map((one) => one.stop_frame + 1))
        const frames = target === 'job' && truth?.id === id ? truth.frames : []
        const deleted = deleted_frames.map((frame) => ({ start: frame, stop: frame }))
        const tasks = [{ task_id, size, dimension, jobs, frames, deleted }]
        return {
          labels_revision: first.labels.labels_revision,
          label_events: first.label_events,
          tasks,
          next: second ? task_id : null,
        }
      },
      getFrameSizes: async ({ task_id }) => ({
        runs: [{ count: 1000, ...of.task(task_id).frame }],
      }),
      getDeletedFrames: async ({ task_id }) => ({ frames: of.task(task_id).deleted_frames }),
    },
  }
}

/** Returns dependencies of the handlers with a real database. */
export function depsOf(db: Kysely<AnnotationsDb>, workspaces: readonly FakeWorkspace[]): Deps {
  return {
    db,
    bulk: db,
    ids: idBlocks(db),
    turns: createKeyedQueue(),
    log: silentLog,
    settings: readConfig({}),
    services: neighboursOf(workspaces),
  }
}

/** Splits a body into chunks of any size. */
export const bodyOf = (given: unknown, size = 1000) =>
  cutBytes(typeof given === 'string' ? given : JSON.stringify(given), size)

/** Reads a response into its set and entity tag. */
export async function readAnswer(answer: Promise<BytesAnswer>) {
  const { head, chunks } = await answer
  const set: AnnotationSet = JSON.parse(await text(chunks))
  return { set, etag: head.etag ?? '', length: head.length }
}

/** Query of a GET for the whole set. */
export const whole: SetQuery = { frames: [], label_id: [] }

export const user = () => callAs({ user_id: 7 })

/** Returns calls on one job by a permitted user, for tests about sets. */
export function openJob(service: Handlers, id: number) {
  return {
    get: (query?: Partial<SetQuery>) =>
      readAnswer(service.getJobAnnotations({ id, ...whole, ...query }, user())),
    put: (set: unknown, if_match?: string) =>
      readAnswer(service.replaceJobAnnotations({ id, body: bodyOf(set), if_match }, user())),
    patch: (action: string | undefined, set: unknown, if_match?: string) => {
      const input = { id, action, body: bodyOf(set), if_match }
      return readAnswer(service.updateJobAnnotations(input, user()))
    },
    clear: (if_match?: string) => service.deleteJobAnnotations({ id, if_match }, user()),
  }
}

/** Like `openJob`, for a task. */
function openTask(service: Handlers, id: number) {
  return {
    get: (query?: Partial<SetQuery>) =>
      readAnswer(service.getTaskAnnotations({ id, ...whole, ...query }, user())),
    put: (set: unknown, if_match?: string) =>
      readAnswer(service.replaceTaskAnnotations({ id, body: bodyOf(set), if_match }, user())),
    patch: (action: string | undefined, set: unknown, if_match?: string) => {
      const input = { id, action, body: bodyOf(set), if_match }
      return readAnswer(service.updateTaskAnnotations(input, user()))
    },
    clear: (if_match?: string) => service.deleteTaskAnnotations({ id, if_match }, user()),
  }
}

/** Creates separate tasks for the tests of a file; one service knows them all. */
export function openWorkspaces() {
  const workspaces: FakeWorkspace[] = []
  const add = () => {
    const workspace = createWorkspace(100 + workspaces.length)
    workspaces.push(workspace)
    return workspace
  }
  return { workspaces, add }
}

/**
 * Creates handlers with a real database, called in this process, with a new workspace per test and a way to deliver
 * events.
 */
export function openService(db: Kysely<AnnotationsDb>) {
  const { workspaces, add } = openWorkspaces()
  const deps = depsOf(db, workspaces)
  const service = annotationHandlers(deps)
  const setUp = () => openWorkspace(service, add)
  const handle = eventHandler(() => undefined, { historyDays: 90 })
  return { deps, service, workspaces, setUp, receive: createDeliverer(db, handle) }
}

/** Creates a task, with calls on it and its jobs. */
export function openWorkspace(service: Handlers, add: () => FakeWorkspace) {
  const workspace = add()
  const { task_id, jobs } = workspace
  const [first = 0, second = 0] = jobs.map((one) => one.id)
  return {
    workspace,
    task_id,
    job_id: first,
    task: openTask(service, task_id),
    job: openJob(service, first),
    second: openJob(service, second),
  }
}
