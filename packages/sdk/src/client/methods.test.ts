import { expect, expectTypeOf, test } from 'vitest'
import { rows } from '../generated/rows.ts'
import {
  type AnnotationSet,
  type AnswerOf,
  createClient,
  type InputOf,
  type Methods,
  type Project,
  type Request,
  type SetItem,
} from '../index.ts'

/** Type tests: the compiler (`tsc -b`) checks the lines below. */

const client = createClient({ url: 'http://127.0.0.1:9' })

test('every row has a method, and every method has a row', () => {
  expectTypeOf<keyof Methods>().toEqualTypeOf<keyof typeof rows>()
  for (const name of Object.keys(rows)) expect(client).toHaveProperty(name, expect.any(Function))
})

test('the functions of a method match its row', () => {
  const namesOf = (member: string) =>
    Object.entries(client).flatMap(([name, method]) => (member in method ? [name] : []))
  const withRow = (matches: (row: object) => boolean) =>
    Object.entries(rows).flatMap(([name, row]) => (matches(row) ? [name] : []))
  expect(namesOf('each')).toEqual(withRow((row) => 'answer' in row && row.answer === 'page'))
  expect(namesOf('items')).toEqual(withRow((row) => 'answer' in row && row.answer === 'set'))
  expect(namesOf('send')).toEqual([
    ...['importProjectBackup', 'importTaskBackup', 'uploadTaskData'],
    ...['importTaskAnnotations', 'importJobAnnotations', 'importProjectDataset'],
  ])
})

test('inputs and results have types', () => {
  expectTypeOf<AnswerOf<'getProject'>>().toEqualTypeOf<Project>()
  expectTypeOf<AnswerOf<'deleteProject'>>().toEqualTypeOf<void>()
  expectTypeOf<AnswerOf<'getTaskData'>>().toEqualTypeOf<Response>()
  expectTypeOf<AnswerOf<'getTaskAnnotations'>>().toEqualTypeOf<AnnotationSet>()
  expectTypeOf<AnswerOf<'getProjectDataset'>>().toEqualTypeOf<never>()
  expectTypeOf<AnswerOf<'listProjects'>['results'][number]>().toEqualTypeOf<Project>()
  expectTypeOf<InputOf<'getProject'>>().toEqualTypeOf<{ id: number }>()
  expectTypeOf(client.follow).returns.resolves.toEqualTypeOf<Request>()
  expectTypeOf(client.getTaskAnnotations.items).returns.toExtend<AsyncIterable<SetItem>>()
})

test('wrong calls do not compile', () => {
  const wrong = () => [
    // @ts-expect-error unknown operation
    client.getProjects(),
    // @ts-expect-error an id is needed
    client.getProject(),
    // @ts-expect-error an id is a number
    client.getProject({ id: '7' }),
    // @ts-expect-error unknown member of a body
    client.updateProject({ id: 7, body: { nmae: 'x' } }),
    // @ts-expect-error unknown enum value
    client.updateProject({ id: 7, body: { status: 'done' } }),
    // @ts-expect-error unknown filter
    client.listProjects({ nmae: 'x' }),
    // @ts-expect-error a shape needs its type
    client.replaceJobAnnotations({ id: 1, body: { shapes: [{ frame: 0, label_id: 1 }] } }),
    // @ts-expect-error files cannot be sent to a list
    client.listProjects.send({}, []),
    // @ts-expect-error files are passed beside the input
    client.uploadTaskData.send({ id: 1, body: { client_files: [new Blob()] } }, []),
  ]
  expect(wrong).toBeTypeOf('function')
})
