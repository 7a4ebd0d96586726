import { setTimeout as sleep } from 'node:timers/promises'
import { webhookEvents } from '@reticle/contracts/events/webhook-events'
import { type Answer, type Client, type Json, rqIdOf, type Sent } from './client.ts'
import { jobsOf, rectangle, taskWithMedia } from './factories.ts'
import { markOf } from './heard.ts'
import { pictures } from './pictures.ts'

/** Changes at every owner of events, made by writers who go on whatever happens, and three webhooks that ask for them. */

/** Somebody was told that this is done: webhooks have to be told of it under that name. */
export interface Acknowledged {
  event: string
  mark: string
  project_id: number
}

interface Ground {
  project: Json
  /** Of the same organization; its own webhooks, if it had any, would hear nothing of `project`. */
  elsewhere: Json
  /** Each with four jobs and an issue. */
  tasks: { task: Json; jobs: Json[]; issue: Json }[]
  webhooks: Webhook[]
}

export interface Webhook {
  id: number
  /** Null: it is the organization's, of which everything here is. */
  project_id: number | null
  events: string[]
}

export interface Flow {
  acknowledged: Acknowledged[]
  /** Events of acknowledged changes that the last webhook, which asked for the fewest, is owed. */
  events: () => number
  done: Promise<void>
}

export interface FlowOptions {
  apis: () => readonly Client[]
  ground: Ground
  /** Asked with `Flow.events`: writers begin nothing more. */
  isEnough: (events: number) => boolean
  /** Asked with `Flow.events`: writers wait, as too much of what was done is yet to be told. */
  isAhead: (events: number) => boolean
}

const exported = 'completed:request[export:annotations]'
const ofTasks = ['create:task', 'update:task', 'delete:task', 'create:job', 'delete:job']
const fewest = ['update:project', 'update:job', 'create:comment', exported]
const everything = [...fewest, ...ofTasks, 'create:issue', 'completed:request[create:task]']

/** A new organization, its webhooks and what is written to. */
export async function prepareGround(
  api: Client,
  target_url: string,
  count: number,
): Promise<Ground> {
  const { slug } = await api.done('POST', '/organizations', { json: { slug: 'flow' } })
  const newProject = (name: string) =>
    api.done('POST', `/projects?org=${slug}`, { json: { name, labels: [{ name: 'car' }] } })
  const [project, elsewhere] = [await newProject('flow'), await newProject('elsewhere')]
  const newWebhook = async (events: string[], project_id: number | null): Promise<Webhook> => {
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
  const files = await pictures(4)
  const tasks = []
  for (let made = 0; made < count; made++) {
    const task = await taskWithMedia(api, { files, project_id: project.id, segment_size: 1 })
    const jobs = await jobsOf(api, task.id)
    const json = { job: jobs[0]?.id, frame: 0, position: [1, 2], message: 'look' }
    tasks.push({ task, jobs, issue: await api.done('POST', '/issues', { json }) })
  }
  return { project, elsewhere, tasks, webhooks }
}

/** One change; answers what was acknowledged, nothing where nobody knows. */
type Write = (call: Call, nth: number) => Promise<Omit<Acknowledged, 'project_id'>[]>
/** Undefined: refused for now, or cut. */
type Call = (method: string, path: string, sent?: Sent) => Promise<Answer | undefined>

/** Writers of every kind, each one call after the other, until it is enough. */
export function startFlow({ apis, ground, isEnough, isAhead }: FlowOptions): Flow {
  const acknowledged: Acknowledged[] = []
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

/** Of those that the last webhook asked for; each shape is drawn in a job of its own, which is one event. */
const eventsOf = (done: Pick<Acknowledged, 'event'>[]) =>
  done.filter(({ event }) => fewest.includes(event)).length

const drawOn =
  ({ task, jobs }: Ground['tasks'][number], { labels }: Json): Write =>
  async (call) => {
    const shapes = jobs.map(({ start_frame }) => rectangle(labels[0].id, start_frame))
    const path = `/tasks/${task.id}/annotations/?action=create`
    const answer = await call('PATCH', path, { json: { shapes } })
    const made: Json[] = answer?.body.shapes ?? []
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
  ({ id }: Json): Write =>
  async (call, nth) => {
    const json = { name: `flow ${nth}` }
    const answer = await call('PATCH', `/projects/${id}`, { json })
    return answer ? [{ event: 'update:project', mark: markOf.name(id, json.name) }] : []
  }

/** Made and, where that is known, removed. */
const taskIn =
  ({ id: project_id }: Json): Write =>
  async (call, nth) => {
    const made = await call('POST', '/tasks', { json: { name: `empty ${nth}`, project_id } })
    if (!made) return []
    const mark = markOf.task(made.body.id)
    const gone = await call('DELETE', `/tasks/${made.body.id}`)
    const removed = gone ? [{ event: 'delete:task', mark }] : []
    return [{ event: 'create:task', mark }, ...removed]
  }

/** An export is seen to its end. */
const exportOf =
  ({ task }: Ground['tasks'][number]): Write =>
  async (call) => {
    const asked = await call('POST', `/tasks/${task.id}/dataset/export?format=COCO%201.0`)
    if (!asked) return []
    const path = `/requests/${encodeURIComponent(rqIdOf(asked.body))}?wait=10`
    for (;;) {
      const { body: request } = (await call('GET', path)) ?? {}
      if (['finished', 'failed'].includes(request?.status))
        return [{ event: exported, mark: markOf.request(request) }]
      await sleep(100)
    }
  }
