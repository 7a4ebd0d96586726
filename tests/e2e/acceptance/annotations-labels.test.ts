import { describe, expect, test, vi } from 'vitest'
import type { AnyJson } from '../../support/client.ts'
import { jobsOf, rectangle, taskWithMedia } from '../../support/factories.ts'
import { useTestServer } from '../../support/test-server.ts'

/** Changes of labels after annotations were written: attributes, entity tags and deleted objects. */

const reticle = useTestServer()

const note = { name: 'note', mutable: true, input_type: 'text', default_value: 'none', values: [] }

/** Creates a job with one shape and one track for each of two labels. */
async function setUp() {
  const labels = [{ name: 'car' }, { name: 'bus' }]
  const task = await taskWithMedia(reticle.admin, { labels })
  const [car, bus] = (await reticle.admin.done('GET', `/labels?task_id=${task.id}&sort=id`)).results
  const [job] = await jobsOf(reticle.admin, task.id)
  const route = `/jobs/${job.id}/annotations`
  const { label_id: _, ...keyframe } = rectangle(0)
  const json = {
    shapes: [rectangle(car.id), rectangle(bus.id, 1)],
    tracks: [car, bus].map((label) => ({
      ...{ label_id: label.id, frame: 0 },
      shapes: [keyframe, { ...keyframe, frame: 2 }],
    })),
  }
  const { headers } = await reticle.admin.call('PUT', route, { json })
  const read = (etag?: string) =>
    reticle.admin.call('GET', route, { headers: etag ? { 'if-none-match': etag } : {} })
  return { task, car, bus, route, etag: headers.get('etag') ?? '', read }
}

const withNote = (label: AnyJson) =>
  reticle.admin.done('PATCH', `/labels/${label.id}`, { json: { attributes: [note] } })

const tagOf = ({ headers }: { headers: Headers }) => headers.get('etag') ?? ''

describe('changing labels of annotated jobs', () => {
  test('an added attribute is visible at once under a new entity tag, which then stays the same', async () => {
    const { car, etag, read } = await setUp()
    expect((await read(etag)).status).toBe(304)
    const changed = await withNote(car)
    const value = { spec_id: changed.attributes[0].id, value: 'none' }
    const after = await read(etag)
    expect([after.status, tagOf(after) === etag]).toEqual([200, false])
    expect(after.body.shapes.map((one: AnyJson) => one.attributes)).toEqual([[value], []])
    const [track, other] = after.body.tracks
    expect(track.shapes.map((one: AnyJson) => one.attributes)).toEqual([[value], [value]])
    expect(other.shapes.map((one: AnyJson) => one.attributes)).toEqual([[], []])

    // The event and the sweep run later. Neither changes the answer.
    for (const until = Date.now() + 3000; Date.now() < until; ) {
      const again = await read()
      expect([tagOf(again), again.body]).toEqual([tagOf(after), after.body])
      expect((await read(tagOf(after))).status).toBe(304)
    }
  })

  test('deleting an attribute deletes its values', async () => {
    const { car, route, read } = await setUp()
    const { attributes } = await withNote(car)
    const [shape] = (await read()).body.shapes
    const values = [{ spec_id: attributes[0].id, value: 'written' }]
    const json = { shapes: [{ id: shape.id, attributes: values }] }
    const written = await reticle.admin.call('PATCH', `${route}?action=update`, { json })
    expect(written.body.shapes[0].attributes).toEqual(values)
    const deletion = [{ id: attributes[0].id, deleted: true }]
    await reticle.admin.done('PATCH', `/labels/${car.id}`, { json: { attributes: deletion } })
    const after = await read(tagOf(written))
    expect(after.status).toBe(200)
    expect(after.body.shapes[0].attributes).toEqual([])
  })
})

test('an entity tag from before the label change is refused, and the new one is accepted', async () => {
  const { car, route, etag, read } = await setUp()
  await withNote(car)
  const json = { shapes: [rectangle(car.id)] }
  const create = (tag: string) =>
    reticle.admin.call('PATCH', `${route}?action=create`, { json, headers: { 'if-match': tag } })
  expect((await create(etag)).status).toBe(412)
  const fresh = tagOf(await read())
  expect((await create(fresh)).status).toBe(200)
})

test('deleting a label deletes its objects and changes the entity tag', async () => {
  const { bus, car, etag, read } = await setUp()
  expect((await reticle.admin.call('DELETE', `/labels/${bus.id}`)).status).toBe(204)
  const after = await vi.waitFor(
    async () => {
      const answer = await read()
      expect(answer.body.shapes).toHaveLength(1)
      return answer
    },
    { timeout: 60_000 },
  )
  expect(after.body.shapes[0].label_id).toBe(car.id)
  expect(after.body.tracks.map((one: AnyJson) => one.label_id)).toEqual([car.id])
  expect((await read(etag)).status).toBe(200)
})

test('concurrent edits are not lost while labels change', async () => {
  const { car, route, read } = await setUp()
  const create = (count: number) => ({
    shapes: Array.from({ length: count }, (_, n) => rectangle(car.id, n % 4)),
  })
  const patched = async (action: string, json: AnyJson) => {
    const sent = { json }
    for (;;) {
      const answer = await reticle.admin.call('PATCH', `${route}?action=${action}`, sent)
      if (answer.status !== 409) return answer.body
    }
  }
  await patched('create', create(3000))
  const names = ['a', 'b', 'c', 'd']
  const relabelled = (async () => {
    for (const name of names) {
      const attributes = [{ ...note, name, mutable: false }]
      await reticle.admin.done('PATCH', `/labels/${car.id}`, { json: { attributes } })
    }
  })()
  const grouped: number[] = []
  for (let round = 1; round <= 12; round++) {
    const [kept, deleted] = (await patched('create', create(2))).shapes
    await patched('update', { shapes: [{ id: kept.id, group: round }] })
    await patched('delete', { shapes: [{ id: deleted.id }] })
    grouped.push(kept.id)
  }
  await relabelled
  const { body } = await read()
  expect(body.shapes).toHaveLength(2 + 3000 + grouped.length)
  const byId = new Map<number, AnyJson>(body.shapes.map((one: AnyJson) => [one.id, one]))
  expect(grouped.map((id) => byId.get(id)?.group)).toEqual(grouped.map((_, n) => n + 1))
  const own = body.shapes.filter((one: AnyJson) => one.label_id === car.id)
  for (const one of own) expect(one.attributes).toHaveLength(names.length)
})
