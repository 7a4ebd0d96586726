import { formats } from '@reticle/formats/registry'
import { markOf } from '@reticle/tests/support/received-messages'
import { drawShapes } from './draw.ts'
import { type DayProject, type DayTask, incrementCount } from './ledger.ts'
import { checkLists } from './lists.ts'
import { ways } from './media.ts'
import { backUpAndRestore, intoProject, outAndIn } from './movements.ts'
import type { Worker } from './worker.ts'

export const labels = [
  { name: 'car', color: '#ff0000' },
  { name: 'sign', color: '#00ff00' },
]
/** Number of projects that a user keeps. Older ones are deleted, because data would grow without limit. */
const mostKept = 2
const names = formats.map(({ name }) => name)

/** Creates a project, works on it and deletes an older one; each shift uses other formats. */
export async function workShift(worker: Worker, nth: number): Promise<void> {
  const { ledger, caller, isOver } = worker
  const project = await newProject(worker, nth)
  const task = await newTask(worker, project, nth)
  await rename(worker, project, nth)
  await drawShapes(worker, task)
  await discuss(worker, task)
  await checkLists(worker, project)
  const perShift = Math.ceil(names.length / 3)
  for (let at = 0; at < perShift && !isOver(); at++) {
    const format = formats[(nth * perShift + at) % formats.length]
    if (format) await outAndIn(worker, task, format)
  }
  if (!isOver()) await intoProject(worker, task)
  if (!isOver()) await backUpAndRestore(worker, task)
  const own = ledger.projects.filter(({ owner }) => owner === caller)
  for (const old of own.slice(0, -mostKept)) await remove(worker, old)
}

async function newProject({ caller, ledger }: Worker, nth: number): Promise<DayProject> {
  const name = `${caller.username} ${nth}`
  const { id } = await caller.done('POST', '/projects', { json: { name, labels } })
  const project = { id, name, owner: caller, tasks: [] }
  ledger.projects.push(project)
  return project
}

/** Creates a task from one of the media sources. Starts again if an interrupted attempt has an unknown result. */
async function newTask(worker: Worker, project: DayProject, nth: number): Promise<DayTask> {
  const { caller, ledger, webhook } = worker
  const every = Object.entries(ways)
  for (let at = nth; ; at++) {
    const name = `${project.name} task ${at}`
    const json = { name, project_id: project.id, segment_size: 2 }
    const { id } = await caller.done('POST', '/tasks', { json })
    ledger.expectedMessages.push({ webhook, mark: markOf.task(id) })
    const [way, bring] = every[at % every.length] ?? []
    const request = await bring?.(caller, id, worker)
    if (request?.status === 'finished') return taken(worker, project, id, way ?? '')
    if (request) incrementCount(ledger.interrupted, `media ${way}: ${request.message}`)
    await caller.done('DELETE', `/tasks/${id}`)
    ledger.deleted.push({ path: `/tasks/${id}`, owner: caller })
  }
}

async function taken(
  worker: Worker,
  project: DayProject,
  id: number,
  way: string,
): Promise<DayTask> {
  const { caller, ledger, pictures } = worker
  const { name, size } = await caller.done('GET', `/tasks/${id}`)
  if (size !== pictures.length)
    incrementCount(ledger.wrong, `${way}: a task of ${size} frames instead of ${pictures.length}`)
  const { results: jobs } = await caller.done('GET', `/jobs?task_id=${id}&sort=id&page_size=100`)
  const known = await caller.done('GET', `/labels?project_id=${project.id}`)
  const label_id = known.results[0].id
  const task = { id, name, frames: size, jobs, label_id, boxes: new Map(), comments: new Map() }
  project.tasks.push(task)
  incrementCount(ledger.imports, `pictures ${way}`)
  return task
}

async function rename({ caller, ledger, webhook }: Worker, project: DayProject, nth: number) {
  const name = `${project.name} renamed ${nth}`
  await caller.done('PATCH', `/projects/${project.id}`, { json: { name } })
  project.name = name
  ledger.expectedMessages.push({ webhook, mark: markOf.name(project.id, name) })
}

async function discuss({ caller, ledger, webhook, random }: Worker, task: DayTask): Promise<void> {
  const [job] = task.jobs
  const json = { job: job?.id, frame: job?.start_frame, position: [1, 2], message: 'look' }
  const issue = await caller.done('POST', '/issues', { json })
  for (let nth = 2 + random.below(4); nth > 0; nth--) {
    const message = `said ${nth} of ${task.name}`
    const { id } = await caller.done('POST', '/comments', { json: { issue: issue.id, message } })
    task.comments.set(id, message)
    ledger.expectedMessages.push({ webhook, mark: markOf.comment(id, message) })
  }
}

/** Deletes a project and checks that its objects are deleted too. */
async function remove({ caller, ledger }: Worker, project: DayProject): Promise<void> {
  await caller.done('DELETE', `/projects/${project.id}`)
  ledger.projects.splice(ledger.projects.indexOf(project), 1)
  const paths = [`/projects/${project.id}`, ...project.tasks.map(({ id }) => `/tasks/${id}`)]
  ledger.deleted.push(...paths.map((path) => ({ path, owner: caller })))
}
