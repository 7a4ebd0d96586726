import { createHash } from 'node:crypto'
import type { Received, Receiver } from '@reticle/kit/testing/receiver'
import type { Json } from './client.ts'

/** A message as webhooks were told it, however often: without its body, of which there may be tens of thousands. */
export interface Heard {
  /** `webhook-id` */
  id: string
  webhook_id: number
  sequence: number
  event: string
  /** What was told of, as the services know it: `factOf`. */
  fact: string
  /** By which a change is known that somebody was told is made: `comment 7 hello`. */
  marks: string[]
  hash: string
  /** When it came first: messages are counted. */
  nth: number
}

export interface Hearing {
  /** What this webhook was told, each message once, as they came. */
  of: (webhook_id: number) => readonly Heard[]
  /** Requests that brought a message which was there before. */
  repeats: () => number
  /** Ids that came with two different bodies. */
  contradicted: string[]
}

/** Has `receiver` answer 200 to everything, and keeps of it only what it was. */
export function hear(receiver: Receiver): Hearing {
  const all = new Map<string, Heard>()
  const byWebhook = new Map<number, Heard[]>()
  const contradicted: string[] = []
  let count = 0
  receiver.answer((given) => {
    receiver.received.length = 0
    const told = read(given, ++count)
    const known = all.get(told.id)
    if (known && known.hash !== told.hash) contradicted.push(told.id)
    if (known) return {}
    all.set(told.id, told)
    const own = byWebhook.get(told.webhook_id) ?? []
    byWebhook.set(told.webhook_id, own)
    own.push(told)
    return {}
  })
  return {
    of: (webhook_id) => byWebhook.get(webhook_id) ?? [],
    repeats: () => count - all.size,
    contradicted,
  }
}

function read({ headers, body }: Received, nth: number): Heard {
  const payload: Json = JSON.parse(body.toString('utf8'))
  const { event, webhook_id, webhook_sequence: sequence, created_date } = payload
  return {
    ...{ id: String(headers['webhook-id']), webhook_id, sequence, event, nth },
    fact: factOf(event, payload, created_date),
    marks: marksOf(payload),
    hash: createHash('sha256').update(body).digest('base64'),
  }
}

/** What happened to which record when: the same of an event in an outbox and of a payload. */
export function factOf(event: string, data: Json, occurred_date: string): string {
  const resource = event.startsWith('completed:request') ? 'request' : event.replace(/^.*:/, '')
  return `${event} ${data[resource]?.id} ${occurred_date}`
}

function marksOf({ event, project, task, job, comment, request, annotations }: Json): string[] {
  if (event === 'update:project') return [markOf.name(project.id, project.name)]
  if (event === 'create:comment') return [markOf.comment(comment.id, comment.message)]
  if (event === 'create:task' || event === 'delete:task') return [markOf.task(task.id)]
  if (event.startsWith('completed:request')) return [markOf.request(request)]
  if (event !== 'update:job' || !annotations) return []
  const shapes: number[] = annotations.ids?.shapes ?? []
  return [markOf.revision(job.id, annotations.revision), ...shapes.map(markOf.shape)]
}

/** How changes are known in payloads. */
export const markOf = {
  name: (project_id: number, name: string) => `project ${project_id} ${name}`,
  comment: (id: number, message: string) => `comment ${id} ${message}`,
  task: (id: number) => `task ${id}`,
  request: ({ id, created_date }: Json) => `request ${id} ${created_date}`,
  revision: (job_id: number, revision: number) => `job ${job_id} at ${revision}`,
  shape: (id: number) => `shape ${id}`,
}
