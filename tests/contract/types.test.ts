import type { identity } from '@reticle/contracts/api/identity'
import { defineOperations, get, internal, patch } from '@reticle/contracts/api/operation'
import type { projects } from '@reticle/contracts/api/projects'
import { bytes, idParams, nothing, page } from '@reticle/contracts/rest/common'
import type { Service } from '@reticle/kit'
import { describe, expectTypeOf, test } from 'vitest'
import { z } from 'zod'

/** A handler that does not match its operation does not compile. The compiler checks this file with the others. */

const box = z.object({ id: z.int(), name: z.string().nullable() })
const table = defineOperations('BoxService', {
  getBox: get('/boxes/:id', { params: idParams, answers: { 200: box, 409: z.string() } }),
  updateBox: patch('/boxes/:id', {
    params: idParams,
    query: z.object({ dry: z.boolean().optional() }),
    headers: z.object({ if_match: z.string().optional() }),
    body: z.object({ name: z.string().nullable() }).partial(),
    answers: { 200: box },
  }),
  listBoxes: get('/boxes', { answers: { 200: page(box, 'TypedBoxPage') } }),
  fillBox: internal({
    query: z.object({ id: z.int() }),
    body: bytes,
    answers: { 204: nothing },
  }),
  readBox: internal({ query: z.object({ id: z.int() }), answers: { 200: bytes } }),
  uploadBox: get('/boxes/:id/file', { by: 'gateway', params: idParams, answers: { 200: bytes } }),
})
type Boxes = Service<typeof table>
type Input<N extends keyof Boxes> = Parameters<Boxes[N]>[0]
type Answer<N extends keyof Boxes> = Awaited<ReturnType<Boxes[N]>>

describe('the input type of a handler', () => {
  test('it has params, query and headers by name, and the body under "body"', () => {
    expectTypeOf<Input<'getBox'>>().toEqualTypeOf<{ id: number }>()
    expectTypeOf<Input<'updateBox'>['id']>().toEqualTypeOf<number>()
    expectTypeOf<Input<'updateBox'>['dry']>().toEqualTypeOf<boolean | undefined>()
    expectTypeOf<Input<'updateBox'>['if_match']>().toEqualTypeOf<string | undefined>()
    expectTypeOf<Input<'updateBox'>['body']['name']>().toEqualTypeOf<string | null | undefined>()
    expectTypeOf<Input<'fillBox'>['body']>().toEqualTypeOf<AsyncIterable<Uint8Array>>()
  })
})

describe('the answer type of a handler', () => {
  test('it is the type of the schema, never unknown', () => {
    expectTypeOf<Answer<'updateBox'>>().toEqualTypeOf<{ id: number; name: string | null }>()
    expectTypeOf<Answer<'fillBox'>>().toEqualTypeOf<undefined>()
  })

  test('a page has no links, and an answer of bytes has a head', () => {
    expectTypeOf<keyof Answer<'listBoxes'>>().toEqualTypeOf<'count' | 'results'>()
    expectTypeOf<keyof Answer<'readBox'>>().toEqualTypeOf<'head' | 'chunks'>()
  })

  test('types of the real tables are neither "any" nor "unknown"', () => {
    type Project = Awaited<ReturnType<Service<typeof projects>['getProject']>>
    expectTypeOf<Project['id']>().toEqualTypeOf<number>()
    type Identified = Awaited<ReturnType<Service<typeof identity>['authenticate']>>
    expectTypeOf<Identified['is_deprecated']>().toEqualTypeOf<boolean>()
  })
})

describe('handler types', () => {
  const right: Boxes = {
    getBox: async ({ id }) => ({ id, name: null }),
    updateBox: async ({ id, body }) => ({ id, name: body.name ?? null }),
    listBoxes: async () => ({ count: 0, results: [] }),
    fillBox: async () => undefined,
    readBox: async ({ id }) => ({ head: { etag: `"${id}"` }, chunks: (async function* () {})() }),
  }

  test('matching handlers compile, and operations of the gateway have none', () => {
    expectTypeOf<keyof Boxes>().not.toEqualTypeOf<keyof typeof table>()
    expectTypeOf(right).toEqualTypeOf<Boxes>()
  })

  test('handlers that do not match do not compile', () => {
    // @ts-expect-error a field of the wrong type
    const wrongField: Boxes = { ...right, getBox: async () => ({ id: '1', name: null }) }
    // @ts-expect-error a field is missing
    const missingField: Boxes = { ...right, getBox: async ({ id }) => ({ id }) }
    // @ts-expect-error null where the schema has none
    const noNull: Boxes = { ...right, getBox: async () => ({ id: null, name: null }) }
    // @ts-expect-error a key that the input does not have
    const wrongInput: Boxes = { ...right, getBox: async ({ key }) => ({ id: key, name: null }) }
    // @ts-expect-error bytes without a head
    const noHead: Boxes = { ...right, readBox: async () => ({ chunks: (async function* () {})() }) }
    // @ts-expect-error an operation that the table does not have
    const tooMany: Boxes = { ...right, openBox: async () => undefined }
    const { getBox: _, ...fewer } = right
    // @ts-expect-error an operation is missing
    const tooFew: Boxes = fewer
    void [wrongField, missingField, noNull, wrongInput, noHead, tooMany, tooFew]
  })
})
