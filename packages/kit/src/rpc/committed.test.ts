import { EventEmitter, once } from 'node:events'
import { defineOperations, internal } from '@reticle/contracts/api/operation'
import { bytes } from '@reticle/contracts/rest/common'
import { type Kysely, sql } from 'kysely'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { CallContext } from '../call/context.ts'
import { callAs } from '../testing/call.ts'
import { testDatabase } from '../testing/db.ts'
import { protosOf } from '../testing/protos.ts'
import { overTransport, transports } from '../testing/transport.ts'
import type { OnBug } from './observe-calls.ts'

/** A change that was committed although its caller got no response is reported, because nothing else shows it. */

interface Tables {
  notes: { text: string }
}
const migrations = {
  '0001-notes': {
    up: async (db: Kysely<Tables>) => {
      await sql`create table notes (text text not null)`.execute(db)
    },
  },
}
const { db } = await testDatabase<Tables>([{ schema: 'notes', migrations }])
afterAll(() => db.destroy())

const query = z.object({ fails: z.boolean() })
const table = defineOperations('NoteService', {
  addNote: internal({ query, answers: { 200: z.object({ done: z.boolean() }) } }),
  streamNote: internal({ query, answers: { 200: bytes } }),
})
const steps = new EventEmitter()

async function addNote({ fails }: { fails: boolean }, { signal }: CallContext) {
  signal.addEventListener('abort', () => steps.emit('aborted'))
  const added = db.transaction().execute(async (tx) => {
    await tx.insertInto('notes').values({ text: 'a' }).execute()
    if (fails) throw new Error('rolled back')
  })
  await added.catch(() => undefined)
  const released = once(steps, 'release')
  steps.emit('changed')
  await released
  return { done: true }
}

const reported: string[] = []
const onBug: OnBug = Object.assign(() => undefined, {
  committed: ((_context, { operation }, cause) => {
    reported.push(`${operation}: ${cause}`)
  }) satisfies OnBug['committed'],
})

beforeEach(() => {
  reported.length = 0
})

describe.each(transports)('%s', (transport) => {
  const notes = overTransport(
    transport,
    table,
    {
      addNote,
      streamNote: async (input, context) => {
        await addNote(input, context)
        return { head: {}, chunks: (async function* () {})() }
      },
    },
    { protos: protosOf(table), onBug },
  )

  test('a change is reported if its caller leaves after the commit', async () => {
    const caller = new AbortController()
    const changed = once(steps, 'changed')
    const attempt = notes.addNote({ fails: false }, callAs(null, { signal: caller.signal }))
    const refused = expect(attempt).rejects.toMatchObject({ kind: 'unavailable' })
    await changed
    const aborted = once(steps, 'aborted')
    caller.abort()
    await refused
    await aborted
    steps.emit('release')
    await expect.poll(() => reported).toEqual(['addNote: The caller went away.'])
  })

  test('a change is reported if its deadline passes after the commit, with a separate code', async () => {
    const changed = once(steps, 'changed')
    const aborted = once(steps, 'aborted')
    const attempt = notes.addNote({ fails: false }, callAs(null, { deadline: Date.now() + 2000 }))
    const refused = expect(attempt).rejects.toMatchObject({ code: 'deadline_exceeded' })
    await changed
    await refused
    await aborted
    steps.emit('release')
    await expect.poll(() => reported).toHaveLength(1)
    expect(reported[0]).toMatch(/^addNote: /)
  })

  test('a change is reported if its caller leaves before a streamed response', async () => {
    const caller = new AbortController()
    const changed = once(steps, 'changed')
    const attempt = notes.streamNote({ fails: false }, callAs(null, { signal: caller.signal }))
    const refused = expect(attempt).rejects.toMatchObject({ kind: 'unavailable' })
    await changed
    const aborted = once(steps, 'aborted')
    caller.abort()
    await refused
    await aborted
    steps.emit('release')
    await expect.poll(() => reported).toEqual(['streamNote: The caller went away.'])
  })

  test('a change that was rolled back, or answered, is not reported', async () => {
    const caller = new AbortController()
    const changed = once(steps, 'changed')
    const attempt = notes.addNote({ fails: true }, callAs(null, { signal: caller.signal }))
    const refused = expect(attempt).rejects.toMatchObject({ kind: 'unavailable' })
    await changed
    const aborted = once(steps, 'aborted')
    caller.abort()
    await refused
    await aborted
    steps.emit('release')

    const second = once(steps, 'changed')
    const answered = notes.addNote({ fails: false }, callAs(null))
    await second
    steps.emit('release')
    expect(await answered).toEqual({ done: true })
    expect(reported).toEqual([])
  })
})
