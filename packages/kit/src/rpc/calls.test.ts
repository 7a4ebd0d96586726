import { getEventListeners } from 'node:events'
import { defineOperations, internal, patch } from '@reticle/contracts/api/operation'
import { idParams, page } from '@reticle/contracts/rest/common'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { CallContext, Service } from '../call/context.ts'
import { conflict, DomainError, type ErrorKind, invalid, kinds } from '../call/errors.ts'
import { protosOf } from '../testing/protos.ts'
import { overTransport, transports } from '../testing/transport.ts'

/** Calls of a handler, which behave alike in one process and over gRPC. */

const box = z.object({ id: z.int(), name: z.string().nullable() }).meta({ id: 'Box' })
const changes = z.object({ name: z.string().nullable() }).partial().meta({ id: 'BoxPatch' })
const table = defineOperations('BoxService', {
  updateBox: patch('/boxes/:id', { params: idParams, body: changes, answers: { 200: box } }),
  listBoxes: internal({ answers: { 200: page(box, 'BoxPage') } }),
  forgetBox: internal({ query: z.object({ id: z.int() }), answers: { 204: z.undefined() } }),
})
const protos = protosOf(table)

const handlers: Service<typeof table> = {
  updateBox: async ({ id, body }) => ({ id, name: body.name ?? null }),
  listBoxes: async () => ({ count: 0, results: [] }),
  forgetBox: async () => undefined,
}

function call(given: Partial<CallContext> = {}): CallContext {
  const signal = new AbortController().signal
  return { principal: null, request_id: 'r', deadline: Date.now() + 5000, signal, ...given }
}

/** Builds a service whose `forgetBox` is the handler under test. */
const forgetting = (
  transport: (typeof transports)[number],
  forgetBox: (typeof handlers)['forgetBox'],
  options = {},
) => overTransport(transport, table, { ...handlers, forgetBox }, { protos, ...options })

describe.each(transports)('%s', (transport) => {
  describe('values', () => {
    const boxes = overTransport(transport, table, handlers, { protos })

    test.each([
      [{ name: 'a' }, 'a'],
      [{ name: null }, null],
      [{}, null],
    ])('the body %j arrives unchanged', async (body, name) => {
      expect(await boxes.updateBox({ id: 3, body }, call())).toEqual({ id: 3, name })
    })

    test('an empty page and an empty response are returned', async () => {
      expect(await boxes.listBoxes({}, call())).toEqual({ count: 0, results: [] })
      expect(await boxes.forgetBox({ id: 1 }, call())).toBeUndefined()
    })
  })

  describe('context', () => {
    let seen: CallContext | undefined
    const boxes = forgetting(transport, async (_, context) => {
      seen = context
    })

    test('principal, request id, credential and address reach the handler', async () => {
      const principal = {
        user_id: 7,
        username: 'zoë',
        first_name: '',
        last_name: '',
        email: '',
        role: null,
        token: { id: 2, read_only: true },
        organization_roles: { 2: 'worker' as const },
        scope: { organization_id: null },
      }
      const given = { principal, request_id: 'r7', credential: 'Token x', address: '10.0.0.1' }
      await boxes.forgetBox({ id: 1 }, call(given))
      expect(seen).toMatchObject(given)
    })

    test('the deadline reaches the handler', async () => {
      const deadline = Date.now() + 1234
      await boxes.forgetBox({ id: 1 }, call({ deadline }))
      expect(Math.abs((seen?.deadline ?? 0) - deadline)).toBeLessThan(200)
    })
  })

  describe('failures', () => {
    let failure: unknown
    const bugs: unknown[] = []
    const onBug = (thrown: unknown) => bugs.push(thrown)
    const boxes = forgetting(transport, () => Promise.reject(failure), { onBug })
    const failing = async (thrown: unknown) => {
      failure = thrown
      return boxes.forgetBox({ id: 1 }, call()).then(
        () => expect.unreachable(),
        (error: unknown) => error,
      )
    }

    test.each(Object.keys(kinds) as ErrorKind[])(
      'an error of the kind %s is returned unchanged',
      async (kind) => {
        const error = await failing(new DomainError(kind, 'So it is.'))
        expect(error).toBeInstanceOf(DomainError)
        expect(error).toMatchObject({ kind, message: 'So it is.', code: kinds[kind].code })
      },
    )

    test('body, code, further members and retry delay are returned unchanged', async () => {
      const sent = conflict('später', {
        code: 'busy',
        body: { rq_id: 'ä' },
        more: { etag: '"1"' },
        retry_after: 3,
      })
      expect((await failing(sent)) as DomainError).toEqual(sent)
    })

    test('a validation error of zod in a handler becomes a 400 by field', async () => {
      const refused = z.object({ name: z.string() }).safeParse({ name: 1 }).error
      expect(await failing(refused)).toMatchObject({
        kind: 'invalid',
        body: { name: [expect.any(String)] },
      })
    })

    test('a bug is logged, and the caller gets only a general message', async () => {
      const bug = new TypeError('secret of the database')
      const error = await failing(bug)
      expect(error).toMatchObject({ kind: 'internal', message: 'Internal server error' })
      expect(JSON.stringify(error)).not.toContain('secret')
      expect(bugs).toContain(bug)
    })
  })

  describe('time', () => {
    let reason: unknown
    let started = () => {}
    const boxes = forgetting(transport, async (_, { signal }) => {
      started()
      await new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => {
          reason = signal.reason
          reject(new Error('the driver was cut off'))
        })
      })
    })
    const running = () =>
      new Promise<void>((resolve) => {
        started = resolve
      })

    test('a passed deadline is "unavailable" for any error that the handler then throws', async () => {
      const attempt = boxes.forgetBox({ id: 1 }, call({ deadline: Date.now() + 50 }))
      await expect(attempt).rejects.toMatchObject({
        kind: 'unavailable',
        message: 'The request took too long.',
      })
    })

    test('a caller that leaves stops the handler at once', async () => {
      const caller = new AbortController()
      const handling = running()
      const attempt = boxes.forgetBox({ id: 1 }, call({ signal: caller.signal }))
      const refused = expect(attempt).rejects.toMatchObject({ kind: 'unavailable' })
      await handling
      reason = undefined
      caller.abort()
      await refused
      await expect.poll(() => reason).toMatchObject({ kind: 'unavailable' })
    })

    test('a call whose caller has already left is not handled', async () => {
      const attempt = boxes.forgetBox({ id: 1 }, call({ signal: AbortSignal.abort() }))
      await expect(attempt).rejects.toMatchObject({ kind: 'unavailable' })
    })

    test('a signal that outlives the call keeps no listener of the call', async () => {
      const { signal } = new AbortController()
      await quick.forgetBox({ id: 1 }, call({ signal }))
      await expect.poll(() => getEventListeners(signal, 'abort')).toEqual([])
    })
    const quick = overTransport(transport, table, handlers, { protos })
  })
})

describe('gRPC only', () => {
  const strangers = overTransport('grpc', table, handlers, { protos, keys: ['a foreign key'] })
  const wordy = forgetting('grpc', () => {
    const fields = Array.from({ length: 2000 }, (_, index) => [`field${index}`, 'Ünlösbar.'])
    throw invalid(Object.fromEntries(fields))
  })
  const lengthy = forgetting('grpc', () => {
    throw new DomainError('not_found', 'ä'.repeat(50_000))
  })

  test('a caller with a foreign key is rejected', async () => {
    const attempt = strangers.forgetBox({ id: 1 }, call())
    await expect(attempt).rejects.toMatchObject({ kind: 'unauthenticated' })
  })

  test('of too many field messages, the first ones and the number of the others arrive', async () => {
    const error = await wordy.forgetBox({ id: 1 }, call()).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ kind: 'invalid', body: { field0: ['Ünlösbar.'] } })
    const { body } = error as { body: Record<string, string[]> }
    const shown = Object.keys(body).filter((name) => name.startsWith('field')).length
    expect(body.non_field_errors).toEqual([`and ${2000 - shown} more`])
    expect(JSON.stringify(body).length).toBeGreaterThan(4000)
  })

  test('a message that is too long is truncated and keeps its kind', async () => {
    const error = await lengthy.forgetBox({ id: 1 }, call()).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({ kind: 'not_found', message: expect.stringMatching(/^ä+…$/) })
  })
})
