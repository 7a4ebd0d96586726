import { describe, expect, test } from 'vitest'
import { createClient, type SetItemWrite, UnexpectedAnswer } from '../index.ts'
import { json, startTestService } from '../testing/service.ts'
import { setItems } from './read.ts'
import { setBytes } from './write.ts'

const shape = (frame: number, value = 'x') => ({
  ...{ id: frame + 1, type: 'rectangle', frame, label_id: 4, points: [1, 2.5, 3, 4] },
  attributes: [{ spec_id: 1, value }],
})
const hostile = 'quote " backslash \\ brace } bracket ] {"shapes":[ \u2028 снимок 😀'
const set = {
  version: 0,
  other: { tags: [{ not: 'one' }], deep: [[[{}]]] },
  tags: [{ frame: 0, label_id: 4, attributes: [] }],
  shapes: [shape(0), shape(1, hostile), { ...shape(2), elements: [shape(2)] }],
  tracks: [],
}
const expected = [
  ...set.tags.map((object) => ({ kind: 'tags', object })),
  ...set.shapes.map((object) => ({ kind: 'shapes', object })),
]

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}

async function* inPieces(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
const read = async (text: string, size = 7) =>
  all(setItems('read', inPieces(new TextEncoder().encode(text), size)))

describe('reading an annotation set', () => {
  test.each([1, 2, 3, 5, 64, 1e6])('works in pieces of %d bytes', async (size) => {
    expect(await read(JSON.stringify(set), size)).toEqual(expected)
    expect(await read(JSON.stringify(set, null, 2), size)).toEqual(expected)
  })

  test('accepts an empty set', async () => {
    expect(await read('{}')).toEqual([])
    expect(await read('{"shapes": [], "tags": []}')).toEqual([])
  })

  test.each([
    ['breaks off', JSON.stringify(set).slice(0, -2)],
    ['breaks off in a string', JSON.stringify(set).slice(0, 150)],
    ['is nothing', ''],
    ['is not JSON', '{"shapes":[{oops}]}'],
  ])('fails when the text %s', async (_, text) => {
    await expect(read(text)).rejects.toThrow(UnexpectedAnswer)
  })

  test('fails when the text is not UTF-8', async () => {
    const bytes = Uint8Array.of(0x7b, 0xff)
    const reading = all(setItems('read', inPieces(bytes, 9)))
    await expect(reading).rejects.toThrow('not UTF-8')
  })

  test('needs constant memory', async () => {
    const line = new TextEncoder().encode(`${JSON.stringify(shape(0))},`)
    const count = 400_000
    async function* pieces() {
      yield new TextEncoder().encode('{"shapes":[')
      for (let made = 1; made < count; made++) yield line
      yield line.subarray(0, -1)
      yield new TextEncoder().encode(']}')
    }
    let [seen, highest] = [0, 0]
    const before = process.memoryUsage().heapUsed
    for await (const _ of setItems('read', pieces())) {
      seen += 1
      if (seen % 20_000 === 0) highest = Math.max(highest, process.memoryUsage().heapUsed)
    }
    expect(seen).toBe(count)
    // the text alone has 44 MB, its objects several times as much
    expect(highest - before).toBeLessThan(100 * 1024 * 1024)
  })
})

describe('writing an annotation set', () => {
  const items: SetItemWrite[] = [
    { kind: 'tags', object: { frame: 0, label_id: 4 } },
    { kind: 'shapes', object: { type: 'points', frame: 0, label_id: 4, points: [1, 2] } },
    { kind: 'shapes', object: { type: 'points', frame: 1, label_id: 4, points: [hostile.length] } },
  ]
  const text = async (given: Parameters<typeof setBytes>[0]) => {
    let written = ''
    for await (const piece of setBytes(given)) written += new TextDecoder().decode(piece)
    return written
  }

  test('groups items by list', async () => {
    const [tag, first, second] = items.map(({ object }) => object)
    expect(JSON.parse(await text(items))).toEqual({ tags: [tag], shapes: [first, second] })
    expect(await text([])).toBe('{}')
    await expect(text([...items, ...items])).rejects.toThrow('send list by list')
  })

  test('streams items as the body of a call', async () => {
    const { url, heard } = await startTestService(json(200, set))
    const client = createClient({ url })
    async function* made() {
      yield* items
    }
    const call = { id: 3, body: made() }
    expect(await all(client.replaceJobAnnotations.items(call))).toEqual(expected)
    expect(heard[0]).toMatchObject({
      ...{ method: 'PUT', path: '/jobs/3/annotations/', body: await text(items) },
      headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' },
    })
  })

  test('is repeated after a failure only if the items can be iterated again', async () => {
    const { url, heard } = await startTestService(
      json(503, {}, { 'retry-after': '0' }),
      json(200, set),
    )
    const client = createClient({ url })
    const again = { id: 3, body: () => items }
    await client.updateTaskAnnotations({ ...again, action: 'create' })
    expect(heard[1]?.body).toBe(heard[0]?.body)
    const { url: other, heard: sent } = await startTestService(
      json(503, {}, { 'retry-after': '0' }),
    )
    const once = { id: 3, action: 'create', body: items.values() }
    const calling = createClient({ url: other }).updateTaskAnnotations(once)
    await expect(calling).rejects.toMatchObject({ status: 503 })
    expect(sent).toHaveLength(1) // the second would be empty
  })

  test('passes on an error thrown by the items', async () => {
    const { url } = await startTestService(json(200, set))
    function* failing() {
      yield* items
      throw new RangeError('no more of them')
    }
    const calling = createClient({ url }).replaceJobAnnotations({ id: 3, body: failing() })
    await expect(calling).rejects.toThrow(new RangeError('no more of them'))
  })
})
