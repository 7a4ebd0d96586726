import { expect, vi } from 'vitest'
import type { Client, Json } from './client.ts'
import { eventsIn, type Listener, resourceOf } from './listener.ts'

/** Payloads compared with what GET answers: `spec/api-annotations.md` 4.4. */

/** An event, and where the record that it tells is read; of what is made the answer of the call may have to say it. */
export type Fact = readonly [event: string, url: Place]
type Place = string | ((answer: Json) => string | Promise<string>)

interface Told {
  /** The webhooks that are told, all of them the same. */
  names: readonly string[]
  facts: readonly Fact[]
  /** Who did it, by default who reads. */
  sender?: Json
}

export type Telling = ReturnType<typeof telling>

/**
 * Does something and sees that webhooks are told exactly these facts of it, once each: with the record that GET answers
 * afterwards (before, of what goes), the old values of what changed and nothing else, and who did it.
 *
 * @param given the webhooks, and who reads the records
 */
export function telling(given: { listener: Listener; api: Client; sender: Json }) {
  const { listener, api } = given
  const read = async (url: Place, answer?: Json) => {
    const { key, ...record } = await api.done(
      'GET',
      typeof url === 'function' ? await url(answer) : url,
    )
    return record // the key of an invitation is a credential, which nobody is told
  }

  const readAll = async (facts: readonly Fact[], verbs: RegExp, answer?: Json): Promise<Json[]> => {
    const records: Json[] = []
    for (const [event, url] of facts)
      records.push(verbs.test(event) ? await read(url, answer) : undefined)
    return records
  }

  return async <A>(
    { names, facts, sender = given.sender }: Told,
    act: () => Promise<A>,
  ): Promise<{ answer: A; payloads: Json[] }> => {
    const before = await readAll(facts, /^(update|delete):/)
    const answer = await act()
    const told: Json[][] = []
    for (const name of names) told.push(await listener.take(name, facts.length))
    const after = await readAll(facts, /^(create|update|completed):/, answer)
    for (const payloads of told) {
      expect(eventsIn(payloads).sort()).toEqual(facts.map(([event]) => event).sort())
      facts.forEach(([event], index) => {
        expectExact(payloads, event, { before: before[index], after: after[index], sender })
      })
    }
    return { answer, payloads: told[0] ?? [] }
  }
}

interface States {
  /** Undefined: it was not there. */
  before: Json | undefined
  /** Undefined: it is gone. */
  after: Json | undefined
  sender?: Json
}

/** Finds the payload about a record among those of an event and compares all of it. */
export function expectExact(payloads: Json[], event: string, { before, after, sender }: States) {
  const resource = resourceOf(event)
  const record = after ?? before
  const about = payloads.filter((one) => one.event === event)
  const payload = about.find((one) => one[resource]?.id === record.id)
  const isPast = payload?.[resource]?.revision === undefined
  expect([event, payload?.[resource]]).toEqual([event, isPast ? withoutRevision(record) : record])
  const { before_update, changes, annotations, reason, ...rest } = payload
  expect([event, before_update, changes]).toEqual([event, ...changeOf(before, after)])
  const isNobodys = event.startsWith('completed:')
  expect([event, rest.sender]).toEqual([event, isNobodys ? undefined : sender])
  const envelope = ['event', 'webhook_id', 'webhook_sequence', 'delivery_id', 'created_date']
  const keys = [...envelope, resource, ...(isNobodys ? [] : ['sender'])]
  expect([event, Object.keys(rest).sort()]).toEqual([event, keys.sort()])
}

/** Of something that left an organization, the record as it was there has no revision. */
const withoutRevision = ({ revision: _, ...record }: Json): Json => record

/** Members that may differ without being named among the old values. */
const notCompared: ReadonlySet<string> = new Set(['labels', 'revision'])

/** `before_update` and `changes` of what was updated; what a record did not have before has no old value. */
function changeOf(before: Json | undefined, after: Json | undefined) {
  if (!before || !after) return [undefined, undefined]
  const changed = Object.keys(before).filter(
    (key) => !notCompared.has(key) && JSON.stringify(before[key]) !== JSON.stringify(after[key]),
  )
  expect(changed).toEqual(
    'updated_date' in before ? expect.arrayContaining(['updated_date']) : changed,
  )
  return [
    Object.fromEntries(changed.map((key) => [key, before[key]])),
    Object.fromEntries(changed.map((key) => [key, { from: before[key], to: after[key] }])),
  ]
}

/** A person as they are told to receivers, with the names that others see and the address. */
export async function senderOf(api: Client, id: number): Promise<Json> {
  const { url, username, first_name, last_name, email } = await api.done('GET', `/users/${id}`)
  return { url, id, username, first_name, last_name, email }
}

/** Waits until a project has followed its tasks, whose changes move its date a moment later: until then it is not as it stays. */
export function untilFollowed(api: Client, project_id: number): Promise<void> {
  return vi.waitFor(async () => {
    const { results } = await api.done('GET', `/tasks?project_id=${project_id}&sort=-updated_date`)
    const { updated_date } = await api.done('GET', `/projects/${project_id}`)
    expect(results.filter((task: Json) => task.updated_date > updated_date)).toEqual([])
  }, 20_000)
}
