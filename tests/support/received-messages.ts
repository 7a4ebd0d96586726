import { createHash } from 'node:crypto'
import type { Received, TestReceiver } from '@reticle/kit/testing/receiver'
import type { AnyJson } from './client.ts'

/** A message that webhooks received once or several times, without its body, as there may be tens of thousands. */
export interface ReceivedMessage {
  /** `webhook-id` header. */
  id: string
  webhook_id: number
  sequence: number
  event: string
  /** The change as services record it: `factOf`. */
  fact: string
  /** Marks by which an acknowledged change is found: `comment 7 hello`. */
  marks: string[]
  hash: string
  /** Position of its first arrival among all messages. */
  nth: number
}

export interface MessageLog {
  /** Returns the messages of this webhook in the order of arrival, without repeats. */
  of: (webhook_id: number) => readonly ReceivedMessage[]
  /** Number of deliveries that repeated an earlier message. */
  repeats: () => number
  /** Ids that arrived with two different bodies. */
  contradicted: string[]
}

/** Makes `receiver` answer 200 to everything, and records a summary of each message. */
export function recordMessages(receiver: TestReceiver): MessageLog {
  const all = new Map<string, ReceivedMessage>()
  const byWebhook = new Map<number, ReceivedMessage[]>()
  const contradicted: string[] = []
  let count = 0
  receiver.answer((given) => {
    receiver.received.length = 0
    const message = read(given, ++count)
    const known = all.get(message.id)
    if (known && known.hash !== message.hash) contradicted.push(message.id)
    if (known) return {}
    all.set(message.id, message)
    const own = byWebhook.get(message.webhook_id) ?? []
    byWebhook.set(message.webhook_id, own)
    own.push(message)
    return {}
  })
  return {
    of: (webhook_id) => byWebhook.get(webhook_id) ?? [],
    repeats: () => count - all.size,
    contradicted,
  }
}

function read({ headers, body }: Received, nth: number): ReceivedMessage {
  const payload: AnyJson = JSON.parse(body.toString('utf8'))
  const { event, webhook_id, webhook_sequence: sequence, created_date } = payload
  return {
    ...{ id: String(headers['webhook-id']), webhook_id, sequence, event, nth },
    fact: factOf(event, payload, created_date),
    marks: marksOf(payload),
    hash: createHash('sha256').update(body).digest('base64'),
  }
}

/** Returns the event, record and time of a change, equal for an event in an outbox and a payload. */
export function factOf(event: string, data: AnyJson, occurred_date: string): string {
  const resource = event.startsWith('completed:request') ? 'request' : event.replace(/^.*:/, '')
  return `${event} ${data[resource]?.id} ${occurred_date}`
}

function marksOf({ event, project, task, job, comment, request, annotations }: AnyJson): string[] {
  if (event === 'update:project') return [markOf.name(project.id, project.name)]
  if (event === 'create:comment') return [markOf.comment(comment.id, comment.message)]
  if (event === 'create:task' || event === 'delete:task') return [markOf.task(task.id)]
  if (event.startsWith('completed:request')) return [markOf.request(request)]
  if (event !== 'update:job' || !annotations) return []
  const shapes: number[] = annotations.ids?.shapes ?? []
  return [markOf.revision(job.id, annotations.revision), ...shapes.map(markOf.shape)]
}

/** Marks of changes in payloads. */
export const markOf = {
  name: (project_id: number, name: string) => `project ${project_id} ${name}`,
  comment: (id: number, message: string) => `comment ${id} ${message}`,
  task: (id: number) => `task ${id}`,
  request: ({ id, created_date }: AnyJson) => `request ${id} ${created_date}`,
  revision: (job_id: number, revision: number) => `job ${job_id} at ${revision}`,
  shape: (id: number) => `shape ${id}`,
}
