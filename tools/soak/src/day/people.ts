import { type AnyJson, createApiClient } from '@reticle/tests/support/client'
import type { ImageFile } from '@reticle/tests/support/pictures'
import { openRandom } from '@reticle/tests/support/random'
import { basic } from '@reticle/tests/support/reticle'
import { openCaller } from './caller.ts'
import type { DaySystem } from './day-system.ts'
import { type DayLedger, incrementCount, kindOf } from './ledger.ts'
import type { Receivers } from './receivers.ts'
import { workShift } from './shift.ts'
import type { Worker } from './worker.ts'

/** A user who works in a separate organization with webhooks of every kind. */

export interface DayUser extends Worker {
  /** Webhooks with misbehaving receivers. */
  badWebhooks: number[]
}

interface Staff {
  system: DaySystem
  ledger: DayLedger
  receivers: Receivers
  /** The body that connects the bucket with the same images. */
  bucket: AnyJson
  pictures: readonly ImageFile[]
  seed: number
  isOver: () => boolean
}

/** Events of every well-behaved webhook; the expected messages of the ledger count these. */
const events = ['update:project', 'create:comment', 'create:task']
const password = 'Blue-Kettle-42'

/** Creates a user with all their objects. */
export async function createDayUser(staff: Staff, nth: number): Promise<DayUser> {
  const { system, ledger, receivers, bucket, pictures, seed, isOver } = staff
  const username = `person${nth}`
  const [url = ''] = system.urls()
  const names = { first_name: '', last_name: '', email: `${username}@example.org` }
  const json = { username, password1: password, password2: password, ...names }
  await createApiClient(`${url}/api`, basic).done('POST', '/auth/register', { json })
  const signed = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
  const own = createApiClient(`${url}/api`, signed)
  const { value } = await own.done('POST', '/auth/access_tokens', {
    json: { name: 'day', read_only: false },
  })
  const slug = `team${nth}`
  await own.done('POST', '/organizations', { json: { slug } })
  const identity = { username, authorization: `Token ${value}`, organization: slug }
  const caller = openCaller(identity, system.urls, ledger)
  const hook = async (target_url: string, subscribed: readonly string[]): Promise<number> => {
    const webhook = { type: 'organization', target_url, events: subscribed }
    return (await caller.done('POST', '/webhooks', { json: webhook })).id
  }
  const webhook = await hook(receivers.good, events)
  const badWebhooks: number[] = []
  for (const bad of receivers.bad) badWebhooks.push(await hook(bad, ['update:project']))
  const { id: storage_id } = await caller.done('POST', '/cloudstorages', { json: bucket })
  const random = openRandom(seed + nth)
  return { caller, webhook, badWebhooks, storage_id, pictures, ledger, random, isOver }
}

/** Works shift after shift; a failure in one is recorded, and the next one starts. */
export async function workAllDay(person: DayUser, nth: number): Promise<void> {
  for (let shift = nth; !person.isOver(); shift++) {
    await workShift(person, shift).catch((thrown) => {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown))
      console.error(error)
      incrementCount(person.ledger.wrong, kindOf(error.message))
    })
    person.ledger.shifts++
  }
}
