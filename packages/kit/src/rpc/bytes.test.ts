import { text } from 'node:stream/consumers'
import { defineOperations, internal } from '@reticle/contracts/api/operation'
import { bytes } from '@reticle/contracts/rest/common'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Bytes, CallContext, Service } from '../call/context.ts'
import { DomainError, forbidden, notFound } from '../call/errors.ts'
import { WholeBytes } from '../call/pieces.ts'
import { bytesOf } from '../testing/bytes.ts'
import { protosOf } from '../testing/protos.ts'
import { overTransport, type Transport, transports } from '../testing/transport.ts'
import { guardHandlers } from './guard.ts'

/** Bodies and responses of bytes: streams with back-pressure that behave alike over both transports. */

const query = z.object({ name: z.string() })
const table = defineOperations('PipeService', {
  read: internal({ query, answers: { 200: bytes } }),
  write: internal({ query, body: bytes, answers: { 200: z.object({ count: z.int() }) } }),
  copy: internal({ query, body: bytes, answers: { 200: bytes } }),
})
const protos = protosOf(table)
type Pipes = Service<typeof table>

const unused = () => Promise.reject(new Error('not used here'))
const pipes = (transport: Transport, given: Partial<Pipes>): Pipes =>
  overTransport(
    transport,
    table,
    { read: unused, write: unused, copy: unused, ...given },
    { protos },
  )

function call(given: Partial<CallContext> = {}): CallContext {
  const signal = new AbortController().signal
  return { principal: null, request_id: 'r', deadline: Date.now() + 10_000, signal, ...given }
}

test('a response in memory ends the call, and its bytes pass through unchanged', async () => {
  const chunks = new WholeBytes([Buffer.from('abc'), Buffer.from('def')])
  let own: AbortSignal | undefined
  const read: Pipes['read'] = async (_input, { signal }) => {
    own = signal
    return { head: {}, chunks }
  }
  const gone = new AbortController()
  const guarded = guardHandlers<typeof table>({ read, write: unused, copy: unused }, unused)
  const answer = await guarded.read({ name: '' }, call({ signal: gone.signal }))
  gone.abort()
  expect(answer.chunks).toBe(chunks)
  expect(own?.aborted).toBe(false)
  expect(await text(answer.chunks)).toBe('abcdef')
})

describe.each(transports)('%s', (transport) => {
  describe('responses', () => {
    const head = { type: 'image/png', etag: '"1"', length: 6, max_age: 60 }
    const pipe = pipes(transport, {
      read: async ({ name }) => ({ head, chunks: bytesOf(name, '', 'def') }),
    })

    test('the head comes first, then the bytes', async () => {
      const answer = await pipe.read({ name: 'abc' }, call())
      expect(answer.head).toEqual(head)
      expect(await text(answer.chunks)).toBe('abcdef')
    })
  })

  test('bytes in memory are transferred completely', async () => {
    const read = async () => ({ head: {}, chunks: new WholeBytes([Buffer.from('abc')]) })
    const answer = await pipes(transport, { read }).read({ name: '' }, call())
    expect(await text(answer.chunks)).toBe('abc')
  })

  describe('large pieces', () => {
    const size = 5 * 1024 * 1024
    const pipe = pipes(transport, {
      copy: async ({ body }) => ({ head: {}, chunks: body }),
    })

    test('a piece of any size passes in both directions', async () => {
      const given = Buffer.alloc(size, 'abcdefg')
      const body = (async function* () {
        yield given
      })()
      const answer = await pipe.copy({ name: '', body }, call())
      const parts: Uint8Array[] = []
      for await (const part of answer.chunks) parts.push(part)
      expect(Buffer.concat(parts).equals(given)).toBe(true)
    })
  })

  describe('bodies', () => {
    const pipe = pipes(transport, {
      write: async ({ name, body }) => ({ count: name.length + (await text(body)).length }),
    })

    test.each([
      [['abc', 'def'], 7],
      [['', 'a', ''], 2],
      [[], 1],
    ])('the body %j arrives complete beside its fields', async (texts, count) => {
      const body = bytesOf(...texts)
      expect(await pipe.write({ name: 'n', body }, call())).toEqual({ count })
    })
  })

  describe('failures', () => {
    const pipe = pipes(transport, {
      read: async ({ name }) => {
        if (name === 'nothing') throw notFound('No such pipe.')
        return { head: {}, chunks: breaking() }
      },
      write: () => Promise.reject(forbidden()),
    })
    async function* breaking(): Bytes {
      yield Buffer.from('a')
      throw new DomainError('conflict', 'The pipe broke.')
    }

    test('an error before the first byte keeps its status', async () => {
      const attempt = pipe.read({ name: 'nothing' }, call())
      await expect(attempt).rejects.toMatchObject({ kind: 'not_found', message: 'No such pipe.' })
    })

    test('an error after the first byte breaks the stream and keeps its kind', async () => {
      const answer = await pipe.read({ name: 'x' }, call())
      await expect(text(answer.chunks)).rejects.toMatchObject({ kind: 'conflict' })
    })

    test('a service that rejects a call without reading the body releases the body', async () => {
      let isReleased = false
      async function* endless(): Bytes {
        try {
          for (;;) yield Buffer.alloc(64 * 1024)
        } finally {
          isReleased = true
        }
      }
      const attempt = pipe.write({ name: '', body: endless() }, call())
      await expect(attempt).rejects.toMatchObject({ kind: 'forbidden' })
      if (transport === 'grpc') await expect.poll(() => isReleased).toBe(true)
    })
  })

  describe('bodies that break off', () => {
    let seen: unknown
    let start = () => {}
    const started = new Promise<void>((resolve) => {
      start = resolve
    })
    const pipe = pipes(transport, {
      write: async ({ body }) => {
        start()
        seen = await text(body).catch((thrown: unknown) => thrown)
        if (seen instanceof Error) throw seen
        return { count: 0 }
      },
    })
    async function* breaking(): Bytes {
      yield Buffer.from('abc')
      await started
      throw new DomainError('too_large', 'The body is too large.')
    }

    test('a body that breaks off is an error on both sides, never a short body', async () => {
      const attempt = pipe.write({ name: '', body: breaking() }, call())
      await expect(attempt).rejects.toMatchObject({
        kind: 'too_large',
        message: 'The body is too large.',
      })
      await expect.poll(() => seen).toBeInstanceOf(Error)
    })
  })

  describe('back-pressure', () => {
    const piece = Buffer.alloc(64 * 1024)
    let given = 0
    let isReleased = false
    async function* endless(): Bytes {
      given = 0
      isReleased = false
      try {
        for (;;) {
          given++
          yield piece
        }
      } finally {
        isReleased = true
      }
    }
    const pipe = pipes(transport, {
      read: async () => ({ head: {}, chunks: endless() }),
      write: ({ body }, { signal }) => {
        const pieces = body[Symbol.asyncIterator]()
        return new Promise((_, reject) => {
          void pieces.next()
          signal.addEventListener('abort', () => reject(signal.reason))
        })
      },
    })
    const settled = async () => {
      let before = -1
      while (before !== given) {
        before = given
        await new Promise((resolve) => setTimeout(resolve, 60))
      }
      return given
    }

    test('a stalled reader pauses the handler', async () => {
      const caller = new AbortController()
      const answer = await pipe.read({ name: '' }, call({ signal: caller.signal }))
      const pieces = answer.chunks[Symbol.asyncIterator]()
      await pieces.next()
      expect(await settled()).toBeLessThan(64)
      caller.abort()
      await expect(async () => {
        while (!(await pieces.next()).done);
      }).rejects.toMatchObject({ kind: 'unavailable' })
    })

    test('a reader that stops early releases the source of the handler', async () => {
      const answer = await pipe.read({ name: '' }, call())
      for await (const _ of answer.chunks) break
      await expect.poll(() => isReleased).toBe(true)
    })

    const released: string[] = []
    const held: Bytes = {
      [Symbol.asyncIterator]: () => ({
        next: async () => ({ done: false, value: piece }),
        return: async () => {
          released.push('released')
          return { done: true, value: undefined }
        },
      }),
    }
    const holding = pipes(transport, { read: async () => ({ head: {}, chunks: held }) })

    test('a reader that stops before the first byte releases the source as well', async () => {
      const answer = await holding.read({ name: '' }, call())
      await answer.chunks[Symbol.asyncIterator]().return?.()
      await expect.poll(() => released).toEqual(['released'])
    })

    test('a caller that leaves releases the source', async () => {
      const caller = new AbortController()
      const answer = await pipe.read({ name: '' }, call({ signal: caller.signal }))
      const reading = expect(text(answer.chunks)).rejects.toMatchObject({ kind: 'unavailable' })
      caller.abort()
      await reading
      await expect.poll(() => isReleased).toBe(true)
    })

    test('a stalled handler pauses the sender', async () => {
      const caller = new AbortController()
      const attempt = pipe.write({ name: '', body: endless() }, call({ signal: caller.signal }))
      const refused = expect(attempt).rejects.toMatchObject({ kind: 'unavailable' })
      expect(await settled()).toBeLessThan(64)
      caller.abort()
      await refused
    })
  })

  describe('deadlines', () => {
    const pipe = pipes(transport, {
      read: async () => ({ head: {}, chunks: slow() }),
    })
    async function* slow(): Bytes {
      for (;;) {
        await new Promise((resolve) => setTimeout(resolve, 20))
        yield Buffer.from('.')
      }
    }

    test('a stream that still runs at its deadline is cut off', async () => {
      const answer = await pipe.read({ name: '' }, call({ deadline: Date.now() + 150 }))
      await expect(text(answer.chunks)).rejects.toMatchObject({
        kind: 'unavailable',
        message: 'The request took too long.',
      })
    })
  })
})
