import { expect, vi } from 'vitest'
import type { Client, Json } from './client.ts'
import { eventsIn, type Listener, resourceOf } from './listener.ts'

/** Payloads compared with the records that GET returns. See docs/spec/webhooks.md#payloads. */

/** An event with the address of its record. The address of a created object may depend on the answer of the call. */
export type Fact = readonly [event: string, url: Place]
type Place = string | ((answer: Json) => string | Promise<string>)

interface Told {
  /** Webhooks that receive the same messages. */
  names: readonly string[]
  facts: readonly Fact[]
  /** Expected sender, by default the reader. */
  sender?: Json
}

export type Telling = ReturnType<typeof telling>

/**
 * Returns a function that runs an action and checks that webhooks receive exactly the expected events, once each: with
 * the record that GET returns afterwards (before, for a deletion), the old values of changed fields, and the sender.
 *
 * @param given the webhooks, and the client that reads the records
 */
export function telling(given: { listener: Listener; api: Client; sender: Json }) {
  const { listener, api } = given
  const read = async (url: Place, answer?: Json) => {
    const { key, ...record } = await api.done(
      'GET',
      typeof url === 'function' ? await url(answer) : url,
    )
    return record // the key of an invitation is a credential, which no payload contains
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
  /** Undefined if the record did not exist. */
  before: Json | undefined
  /** Undefined if the record was deleted. */
  after: Json | undefined
  sender?: Json
}

/** Finds the payload about a record among those of an event, and compares all of it. */
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

/** The record of an object that left an organization has no revision. */
const withoutRevision = ({ revision: _, ...record }: Json): Json => record

/** Fields that may differ without being listed among the old values. */
const notCompared: ReadonlySet<string> = new Set(['labels', 'revision'])

/**
 * Expected `before_update` and `changes` of an update; a field that the record did not have before has no old value.
 */
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

/** Returns a user as in payloads, with names and e-mail address. */
export async function senderOf(api: Client, id: number): Promise<Json> {
  const { url, username, first_name, last_name, email } = await api.done('GET', `/users/${id}`)
  return { url, id, username, first_name, last_name, email }
}

/** Waits until the date of a project has followed changes of its tasks, which takes a moment. */
export function untilFollowed(api: Client, project_id: number): Promise<void> {
  return vi.waitFor(async () => {
    const { results } = await api.done('GET', `/tasks?project_id=${project_id}&sort=-updated_date`)
    const { updated_date } = await api.done('GET', `/projects/${project_id}`)
    expect(results.filter((task: Json) => task.updated_date > updated_date)).toEqual([])
  }, 20_000)
}
