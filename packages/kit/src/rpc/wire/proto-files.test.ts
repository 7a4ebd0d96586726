import { defineOperations, get, internal, patch } from '@reticle/contracts/api/operation'
import { bytes, idParams, nothing, page } from '@reticle/contracts/rest/common'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { protosOf } from '../../testing/protos.ts'
import { protoFiles } from './proto-files.ts'

const box = z.object({ id: z.int(), name: z.string() }).meta({ id: 'Box' })

const table = (record: z.ZodObject) =>
  defineOperations('BoxService', {
    getBox: get('/boxes/:id', { params: idParams, answers: { 200: record } }),
  })

const fileOf = (record: z.ZodObject, previous: Record<string, string> = {}) =>
  protoFiles({ boxes: table(record) }, previous)['boxes.proto'] ?? ''

const message = (text: string, name: string) =>
  text
    .match(new RegExp(`^message ${name} \\{\\n([^}]*)^\\}`, 'm'))?.[1]
    ?.trim()
    .split(/\n\s*/)

test('an operation becomes a method, and its schemas become messages', () => {
  const text = fileOf(box)
  expect(text).toContain('rpc GetBox(GetBoxRequest) returns (Box);')
  expect(message(text, 'GetBoxRequest')).toEqual(['int32 id = 1;'])
  expect(message(text, 'Box')).toEqual(['int64 id = 1;', 'string name = 2;'])
})

test('a field keeps its number when another is inserted before it', () => {
  const before = fileOf(box)
  const grown = z.object({ colour: z.string(), ...box.shape }).meta({ id: 'Box' })
  expect(message(fileOf(grown, { 'boxes.proto': before }), 'Box')).toEqual([
    'string colour = 3;',
    'int64 id = 1;',
    'string name = 2;',
  ])
})

test('the number of a removed field stays reserved and is not assigned again', () => {
  const shrunk = z.object({ id: z.int() }).meta({ id: 'Box' })
  const without = fileOf(shrunk, { 'boxes.proto': fileOf(box) })
  expect(message(without, 'Box')).toEqual(['reserved 2;', 'int64 id = 1;'])

  const again = z.object({ id: z.int(), size: z.int() }).meta({ id: 'Box' })
  expect(message(fileOf(again, { 'boxes.proto': without }), 'Box')).toEqual([
    'reserved 2;',
    'int64 id = 1;',
    'int64 size = 3;',
  ])
})

test('generating twice changes nothing', () => {
  const first = fileOf(box)
  expect(fileOf(box, { 'boxes.proto': first })).toBe(first)
})

test('the types of fields follow the schema', () => {
  const text = fileOf(
    z
      .object({
        small: z.int().max(10),
        whole: z.int(),
        real: z.number(),
        yes: z.boolean(),
        word: z.enum(['a', 'b']),
        maybe: z.string().nullable(),
        words: z.array(z.string()),
        counts: z.record(z.string(), z.int()),
        inner: z.object({ id: z.int() }).nullable(),
        free: z.unknown(),
        list: z.array(z.object({ id: z.int() })).nullable(),
      })
      .meta({ id: 'Box' }),
  )
  expect(message(text, 'Box')).toEqual([
    'int32 small = 1;',
    'int64 whole = 2;',
    'double real = 3;',
    'bool yes = 4;',
    'string word = 5;',
    'optional string maybe = 6;',
    'repeated string words = 7;',
    'map<string, int64> counts = 8;',
    'BoxInner inner = 9;',
    'optional string free = 10;',
    'optional string list = 11;',
  ])
  expect(text).not.toContain('BoxList')
  expect(message(text, 'BoxInner')).toEqual(['int64 id = 1;'])
})

test('a patch has "cleared", a body of bytes has "data", and bytes are streamed', () => {
  const changes = z.object({ name: z.string().nullable() }).partial().meta({ id: 'BoxPatch' })
  const files = protoFiles(
    {
      boxes: defineOperations('BoxService', {
        updateBox: patch('/boxes/:id', { params: idParams, body: changes, answers: { 200: box } }),
        fillBox: internal({
          query: z.object({ id: z.int() }),
          body: bytes,
          answers: { 200: nothing },
        }),
        readBox: get('/boxes/:id/data', { params: idParams, answers: { 200: bytes } }),
      }),
    },
    {},
  )
  const text = files['boxes.proto'] ?? ''
  expect(message(text, 'BoxPatch')).toContain('repeated string cleared = 100;')
  expect(message(text, 'FillBoxRequest')).toContain('bytes data = 100;')
  expect(text).toContain('rpc FillBox(stream FillBoxRequest) returns (Nothing);')
  expect(text).toContain('rpc ReadBox(ReadBoxRequest) returns (stream Chunk);')
})

test('a message that two tables use is placed in common.proto', () => {
  const other = defineOperations('OtherService', {
    listBoxes: get('/b', { answers: { 200: page(box, 'P') } }),
  })
  const files = protoFiles({ boxes: table(box), others: other }, {})
  expect(message(files['common.proto'] ?? '', 'Box')).toEqual(['int64 id = 1;', 'string name = 2;'])
  expect(files['boxes.proto']).not.toContain('message Box {')
})

test('a message that moves to common.proto keeps its field numbers', () => {
  const own = fileOf(z.object({ name: z.string(), id: z.int() }).meta({ id: 'Box' }))
  const other = defineOperations('OtherService', {
    listBoxes: get('/b', { answers: { 200: page(box, 'P') } }),
  })
  const files = protoFiles({ boxes: table(box), others: other }, { 'boxes.proto': own })
  expect(message(files['common.proto'] ?? '', 'Box')).toEqual(['int64 id = 2;', 'string name = 1;'])
})

test('operations of the gateway have no method', () => {
  const rows = defineOperations('BoxService', {
    getBox: get('/boxes/:id', { params: idParams, answers: { 200: box } }),
    uploadBox: get('/boxes', { by: 'gateway', answers: { 200: box } }),
  })
  expect(protoFiles({ boxes: rows }, {})['boxes.proto']).not.toContain('UploadBox')
})

test('the generated file can be loaded', () => {
  expect(Object.keys(protosOf(table(box)))).toContain('reticle.v1.BoxService')
})
