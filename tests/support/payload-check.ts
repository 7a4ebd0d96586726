import { expect, vi } from 'vitest'
import type { AnyJson, ApiClient } from './client.ts'
import { eventsIn, type Listener, resourceOf } from './listener.ts'

/** Payloads compared with the records that GET returns. See docs/spec/webhooks.md#payloads. */

/** An event with the address of its record. The address of a created object may depend on the answer of the call. */
export type RecordEvent = readonly [event: string, url: RecordUrl]
type RecordUrl = string | ((answer: AnyJson) => string | Promise<string>)

interface ExpectedPayloads {
  /** Webhooks that receive the same messages. */
  names: readonly string[]
  facts: readonly RecordEvent[]
  /** Expected sender, by default the reader. */
  sender?: AnyJson
}

export type PayloadCheck = ReturnType<typeof createPayloadCheck>

/**
 * Returns a function that runs an action and checks that webhooks receive exactly the expected events, once each: with
 * the record that GET returns afterwards (before, for a deletion), the old values of changed fields, and the sender.
 *
 * @param given the webhooks, and the client that reads the records
 */
export function createPayloadCheck(given: { listener: Listener; api: ApiClient; sender: AnyJson }) {
  const { listener, api } = given
  const read = async (url: RecordUrl, answer?: AnyJson) => {
    const { key, ...record } = await api.done(
      'GET',
      typeof url === 'function' ? await url(answer) : url,
    )
    return record // the key of an invitation is a credential, which no payload contains
  }

  const readAll = async (
    facts: readonly RecordEvent[],
    verbs: RegExp,
    answer?: AnyJson,
  ): Promise<AnyJson[]> => {
    const records: AnyJson[] = []
    for (const [event, url] of facts)
      records.push(verbs.test(event) ? await read(url, answer) : undefined)
    return records
  }

  return async <A>(
    { names, facts, sender = given.sender }: ExpectedPayloads,
    act: () => Promise<A>,
  ): Promise<{ answer: A; payloads: AnyJson[] }> => {
    const before = await readAll(facts, /^(update|delete):/)
    const answer = await act()
    const received: AnyJson[][] = []
    for (const name of names) received.push(await listener.take(name, facts.length))
    const after = await readAll(facts, /^(create|update|completed):/, answer)
    for (const payloads of received) {
      expect(eventsIn(payloads).sort()).toEqual(facts.map(([event]) => event).sort())
      facts.forEach(([event], index) => {
        expectExact(payloads, event, { before: before[index], after: after[index], sender })
      })
    }
    return { answer, payloads: received[0] ?? [] }
  }
}

interface States {
  /** Undefined if the record did not exist. */
  before: AnyJson | undefined
  /** Undefined if the record was deleted. */
  after: AnyJson | undefined
  sender?: AnyJson
}

/** Finds the payload about a record among those of an event, and compares all of it. */
export function expectExact(payloads: AnyJson[], event: string, { before, after, sender }: States) {
  const resource = resourceOf(event)
  const record = after ?? before
  const candidates = payloads.filter((one) => one.event === event)
  const payload = candidates.find((one) => one[resource]?.id === record.id)
  const isPast = payload?.[resource]?.revision === undefined
  expect([event, payload?.[resource]]).toEqual([event, isPast ? withoutRevision(record) : record])
  const { before_update, changes, annotations, reason, ...rest } = payload
  expect([event, before_update, changes]).toEqual([event, ...changeOf(before, after)])
  const hasNoSender = event.startsWith('completed:')
  expect([event, rest.sender]).toEqual([event, hasNoSender ? undefined : sender])
  const envelope = ['event', 'webhook_id', 'webhook_sequence', 'delivery_id', 'created_date']
  const keys = [...envelope, resource, ...(hasNoSender ? [] : ['sender'])]
  expect([event, Object.keys(rest).sort()]).toEqual([event, keys.sort()])
}

/** The record of an object that left an organization has no revision. */
const withoutRevision = ({ revision: _, ...record }: AnyJson): AnyJson => record

/** Fields that may differ without being listed among the old values. */
const notCompared: ReadonlySet<string> = new Set(['labels', 'revision'])

/**
 * Expected `before_update` and `changes` of an update; a field that the record did not have before has no old value.
 */
function changeOf(before: AnyJson | undefined, after: AnyJson | undefined) {
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
export async function senderOf(api: ApiClient, id: number): Promise<AnyJson> {
  const { url, username, first_name, last_name, email } = await api.done('GET', `/users/${id}`)
  return { url, id, username, first_name, last_name, email }
}

/** Waits until the date of a project has followed changes of its tasks, which takes a moment. */
export function waitForProjectDate(api: ApiClient, project_id: number): Promise<void> {
  return vi.waitFor(async () => {
    const { results } = await api.done('GET', `/tasks?project_id=${project_id}&sort=-updated_date`)
    const { updated_date } = await api.done('GET', `/projects/${project_id}`)
    expect(results.filter((task: AnyJson) => task.updated_date > updated_date)).toEqual([])
  }, 20_000)
}
