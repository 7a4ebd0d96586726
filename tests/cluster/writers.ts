import { setTimeout as sleep } from 'node:timers/promises'
import { annotationSets, tagOf } from '../support/annotations.ts'
import type { AnyJson, ApiClient, ApiResponse } from '../support/client.ts'
import { rectangle } from '../support/factories.ts'
import type { Random } from '../support/random.ts'

/** One PATCH as sent. Every object has its own `group`, which identifies it independently of its id. */
interface Write {
  key: string
  job: number
  action: 'create' | 'update' | 'delete'
  shapes: AnyJson[]
  /** Groups of the objects, in the order of `shapes`. */
  groups: number[]
}

/** A write with its answer. */
export interface AcknowledgedWrite extends Write {
  status: number
  /** Revision of the job after the write. */
  revision: number
  /** Number of times the write was sent. */
  attempts: number
}

interface Known {
  id: number
  job: number
  group: number
}

export interface Writing {
  acknowledged: AcknowledgedWrite[]
  /** Resolves when the requested number of writes is acknowledged. */
  done: Promise<void>
}

export interface WritingOptions {
  /** Clients, used in turn. */
  apis: readonly ApiClient[]
  jobs: readonly AnyJson[]
  label_id: number
  writers: number
  writes: number
  random: Random
}

/** Starts that many writers, each writing shapes to a few jobs one call after the other. */
export function startWriting({ apis, jobs, label_id, random, ...counts }: WritingOptions): Writing {
  const acknowledged: AcknowledgedWrite[] = []
  const known: Known[] = []
  let next = 0

  /** Most of these exist; some were deleted by another writer. */
  function chosen(): Known[] {
    const { job } = random.pick(known)
    const own = known.filter((one) => one.job === job)
    return [...new Set([random.pick(own), random.pick(own)])]
  }
  function newWrite(): Write {
    const nth = ++next
    const key = `write ${nth}`
    if (known.length < 10 || random.isTrue(0.5)) {
      const { id, start_frame } = random.pick(jobs)
      const groups = Array.from({ length: 1 + random.below(3) }, (_, index) => 10 * nth + index)
      const shapes = groups.map((group) => ({ ...rectangle(label_id, start_frame), group }))
      return { key, job: id, action: 'create', shapes, groups }
    }
    const some = chosen()
    const [job, groups] = [some[0]?.job ?? 0, some.map((one) => one.group)]
    if (random.isTrue(0.3)) {
      const shapes = some.map(({ id }) => ({ id }))
      return { key, job, action: 'delete', shapes, groups }
    }
    const shapes = some.map(({ id }) => ({ id, z_order: nth, points: [nth, 0, nth + 1, 1] }))
    return { key, job, action: 'update', shapes, groups }
  }
  function note(write: Write, { status, headers, body }: ApiResponse, attempts: number): void {
    const revision = Number(/-(\d+)"$/.exec(tagOf({ headers }))?.[1])
    acknowledged.push({ ...write, status, revision, attempts })
    if (write.action !== 'create' || !body.shapes) return
    for (const { id, group } of body.shapes) known.push({ id, group, job: write.job })
  }
  async function writer(index: number): Promise<void> {
    while (next < counts.writes) {
      const write = newWrite()
      for (let attempts = 1; ; attempts++) {
        const api = apis[(index + attempts) % apis.length]
        const answer = api && (await attempt(api, write))
        if (answer) {
          note(write, answer, attempts)
          break
        }
        await sleep(100)
      }
    }
  }
  const done = Promise.all(Array.from({ length: counts.writers }, (_, index) => writer(index)))
  return { acknowledged, done: done.then(() => undefined) }
}

/** Returns the answer, or undefined if the call must be repeated. */
async function attempt(
  api: ApiClient,
  { key, job, action, shapes }: Write,
): Promise<ApiResponse | undefined> {
  const sets = annotationSets(api, `/jobs/${job}/annotations/`)
  const headers = { 'idempotency-key': key }
  const answer = await sets.patch(action, { shapes }, { headers }).catch(() => undefined)
  if (!answer || answer.headers.has('retry-after')) return undefined
  const isFinal = answer.status === 200 || (action === 'update' && answer.status === 404)
  if (!isFinal) throw new Error(`${action} ${key}: ${answer.status} ${answer.text}`)
  return answer
}

/** A shape after a write. */
interface Shape {
  z_order: number
  points: number[]
}

/** Applies the acknowledged writes of one job in the order of their revisions. */
export function replayWrites(
  acknowledged: readonly AcknowledgedWrite[],
  job: number,
): Map<number, Shape> {
  const shapes = new Map<number, Shape>()
  const taken = acknowledged.filter((one) => one.job === job && one.status === 200)
  for (const write of taken.sort((a, b) => a.revision - b.revision))
    for (const [index, group] of write.groups.entries()) {
      const { z_order = 0, points } = write.shapes[index]
      if (write.action === 'delete') shapes.delete(group)
      else shapes.set(group, { z_order, points })
    }
  return shapes
}
