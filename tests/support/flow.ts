import { setTimeout as sleep } from 'node:timers/promises'
import { webhookEvents } from '@reticle/contracts/events/webhook-events'
import {
  type AnyJson,
  type ApiClient,
  type ApiRequestInit,
  type ApiResponse,
  rqIdOf,
} from './client.ts'
import { jobsOf, rectangle, taskWithMedia } from './factories.ts'
import { createImages } from './pictures.ts'
import { markOf } from './received-messages.ts'

/** An acknowledged change, whose event webhooks must receive. */
export interface AcknowledgedChange {
  event: string
  mark: string
  project_id: number
}

interface Ground {
  project: AnyJson
  /** A project of the same organization, whose webhooks would not receive events of `project`. */
  elsewhere: AnyJson
  /** Tasks with four jobs and an issue each. */
  tasks: { task: AnyJson; jobs: AnyJson[]; issue: AnyJson }[]
  webhooks: FlowWebhook[]
}

export interface FlowWebhook {
  id: number
  /** Null for webhooks of the organization. */
  project_id: number | null
  events: string[]
}

export interface Flow {
  acknowledged: AcknowledgedChange[]
  /** Number of events from acknowledged changes for the last webhook, which subscribes to the fewest. */
  events: () => number
  done: Promise<void>
}

export interface FlowOptions {
  apis: () => readonly ApiClient[]
  ground: Ground
  /** Called with `Flow.events`: writers start nothing new once it returns true. */
  isEnough: (events: number) => boolean
  /** Called with `Flow.events`: writers wait while too many events are undelivered. */
  isAhead: (events: number) => boolean
}

const exported = 'completed:request[export:annotations]'
const ofTasks = ['create:task', 'update:task', 'delete:task', 'create:job', 'delete:job']
const fewest = ['update:project', 'update:job', 'create:comment', exported]
const everything = [...fewest, ...ofTasks, 'create:issue', 'completed:request[create:task]']

/** Creates an organization, its webhooks and the objects that are changed. */
export async function prepareGround(
  api: ApiClient,
  target_url: string,
  count: number,
): Promise<Ground> {
  const { slug } = await api.done('POST', '/organizations', { json: { slug: 'flow' } })
  const newProject = (name: string) =>
    api.done('POST', `/projects?org=${slug}`, { json: { name, labels: [{ name: 'car' }] } })
  const [project, elsewhere] = [await newProject('flow'), await newProject('elsewhere')]
  const newWebhook = async (events: string[], project_id: number | null): Promise<FlowWebhook> => {
    const type = project_id === null ? 'organization' : 'project'
    const json = { type, target_url, events, ...(project_id !== null && { project_id }) }
    const { id } = await api.done('POST', `/webhooks?org=${slug}`, { json })
    return { id, project_id, events }
  }
  const webhooks = [
    await newWebhook(everything, null),
    await newWebhook(
      everything.filter((event) => webhookEvents[event]?.includes('project') && event !== exported),
      project.id,
    ),
    await newWebhook(fewest, project.id),
  ]
  const files = await createImages(4)
  const tasks = []
  for (let made = 0; made < count; made++) {
    const task = await taskWithMedia(api, { files, project_id: project.id, segment_size: 1 })
    const jobs = await jobsOf(api, task.id)
    const json = { job: jobs[0]?.id, frame: 0, position: [1, 2], message: 'look' }
    tasks.push({ task, jobs, issue: await api.done('POST', '/issues', { json }) })
  }
  return { project, elsewhere, tasks, webhooks }
}

/** Makes one change; returns the acknowledged changes, or nothing if the result is unknown. */
type Write = (call: Call, nth: number) => Promise<Omit<AcknowledgedChange, 'project_id'>[]>
/** Returns undefined if the call was refused temporarily or cut. */
type Call = (
  method: string,
  path: string,
  sent?: ApiRequestInit,
) => Promise<ApiResponse | undefined>

/** Starts writers of every kind, each making one call after the other, until `isEnough`. */
export function startFlow({ apis, ground, isEnough, isAhead }: FlowOptions): Flow {
  const acknowledged: AcknowledgedChange[] = []
  let events = 0
  let turn = 0
  const call: Call = async (method, path, sent) => {
    const all = apis()
    const answer = await all[turn++ % all.length]?.call(method, path, sent).catch(() => undefined)
    if (!answer || answer.status === 503) return undefined
    if (answer.status >= 300 && answer.status !== 409)
      throw new Error(`${method} ${path}: ${answer.status} ${answer.text}`)
    return answer.status === 409 ? undefined : answer
  }
  const writer = async (write: Write, { restMs = 10, project_id = ground.project.id } = {}) => {
    for (let nth = 1; !isEnough(events); nth++) {
      while (isAhead(events) && !isEnough(events)) await sleep(20)
      const done = await write(call, nth)
      acknowledged.push(...done.map((one) => ({ ...one, project_id })))
      if (project_id === ground.project.id) events += eventsOf(done)
      await sleep(done.length > 0 ? restMs : 10 * restMs)
    }
  }
  const { project, elsewhere, tasks } = ground
  const running = [
    ...tasks.flatMap((one) => [writer(drawOn(one, project)), writer(commentOn(one))]),
    ...tasks.slice(0, 2).map((one) => writer(exportOf(one), { restMs: 200 })),
    writer(rename(project), { restMs: 50 }),
    writer(rename(elsewhere), { restMs: 500, project_id: elsewhere.id }),
    writer(taskIn(project), { restMs: 500 }),
  ]
  return {
    acknowledged,
    events: () => events,
    done: Promise.all(running).then(() => undefined),
  }
}

/** Counts events that the last webhook subscribes to. Each shape is drawn in a different job, which sends one event. */
const eventsOf = (done: Pick<AcknowledgedChange, 'event'>[]) =>
  done.filter(({ event }) => fewest.includes(event)).length

const drawOn =
  ({ task, jobs }: Ground['tasks'][number], { labels }: AnyJson): Write =>
  async (call) => {
    const shapes = jobs.map(({ start_frame }) => rectangle(labels[0].id, start_frame))
    const path = `/tasks/${task.id}/annotations/?action=create`
    const answer = await call('PATCH', path, { json: { shapes } })
    const made: AnyJson[] = answer?.body.shapes ?? []
    return made.map(({ id }) => ({ event: 'update:job', mark: markOf.shape(id) }))
  }

const commentOn =
  ({ issue }: Ground['tasks'][number]): Write =>
  async (call, nth) => {
    const json = { issue: issue.id, message: `said ${nth}` }
    const answer = await call('POST', '/comments', { json })
    if (!answer) return []
    return [{ event: 'create:comment', mark: markOf.comment(answer.body.id, json.message) }]
  }

const rename =
  ({ id }: AnyJson): Write =>
  async (call, nth) => {
    const json = { name: `flow ${nth}` }
    const answer = await call('PATCH', `/projects/${id}`, { json })
    return answer ? [{ event: 'update:project', mark: markOf.name(id, json.name) }] : []
  }

/** Creates a task, and deletes it if its id is known. */
const taskIn =
  ({ id: project_id }: AnyJson): Write =>
  async (call, nth) => {
    const made = await call('POST', '/tasks', { json: { name: `empty ${nth}`, project_id } })
    if (!made) return []
    const mark = markOf.task(made.body.id)
    const deletion = await call('DELETE', `/tasks/${made.body.id}`)
    const removed = deletion ? [{ event: 'delete:task', mark }] : []
    return [{ event: 'create:task', mark }, ...removed]
  }

/** Waits for the end of the export. */
const exportOf =
  ({ task }: Ground['tasks'][number]): Write =>
  async (call) => {
    const started = await call('POST', `/tasks/${task.id}/dataset/export?format=COCO%201.0`)
    if (!started) return []
    const path = `/requests/${encodeURIComponent(rqIdOf(started.body))}?wait=10`
    for (;;) {
      const { body: request } = (await call('GET', path)) ?? {}
      if (['finished', 'failed'].includes(request?.status))
        return [{ event: exported, mark: markOf.request(request) }]
      await sleep(100)
    }
  }
