import { beforeEach, describe, expect, test } from 'vitest'
import { emptySet, keyframe, refusalOf, sharedTask, tagOf } from '../../support/annotations.ts'
import type { AnyJson, ApiResponse } from '../../support/client.ts'
import { useTestServer } from '../../support/test-server.ts'

/** PUT and the PATCH actions create, update and delete, and the calls that they refuse. */

const reticle = useTestServer()
const world = sharedTask(reticle)
const job = world.first
const { box, joint, person } = world

const plain = () => world.idOf('plain')
const tag = (more: AnyJson = {}) => ({ frame: 0, label_id: plain(), ...more })
const track = (more: AnyJson = {}) => ({ ...tag(), shapes: [keyframe(0), keyframe(3)], ...more })
const kinds = ['tags', 'shapes', 'tracks'] as const

/** One tag, one shape and one track in the first job. */
let set: AnyJson
beforeEach(async () => {
  set = await job.write({ tags: [tag()], shapes: [box()], tracks: [track()] })
})

/** Runs a call that must be refused, and checks that the whole task is unchanged. */
const refused = async (call: () => Promise<ApiResponse>) =>
  refusalOf(await world.whole.refusing(call))

const patched = async (action: string, json: AnyJson) => {
  const { status, body, text } = await job.patch(action, json)
  expect(status, text).toBe(200)
  return body
}

describe('PATCH create', () => {
  test('create adds objects and returns only those, with ids', async () => {
    const created = await patched('create', {
      shapes: [box({ frame: 2, id: null })],
      tags: [tag()],
    })
    expect([created.version, created.tags.length, created.tracks]).toEqual([0, 1, []])
    expect(created.shapes[0]).toMatchObject({ frame: 2, points: [1, 2, 30, 40], score: 1 })
    const read = await job.read()
    expect(read.shapes).toEqual([...set.shapes, ...created.shapes])
    expect(read.tags).toEqual([...set.tags, ...created.tags])
    expect(read.tracks).toEqual(set.tracks)
  })

  test.each(kinds)(
    'create refuses %s with an id, and the error gives their position',
    async (kind) => {
      const objects = { tags: tag, shapes: box, tracks: track }
      const json = { [kind]: [objects[kind](), objects[kind]({ id: 7 })] }
      expect(await refused(() => job.patch('create', json))).toEqual([
        ...[400, 'invalid', { [kind]: [{}, { id: ['must be absent'] }] }],
      ])
    },
  )

  test('create without objects changes nothing', async () => {
    const before = tagOf(await job.get())
    for (const answer of [await job.patch('create', {}), await job.patch('create', undefined)]) {
      expect([answer.status, answer.body]).toEqual([200, emptySet])
      expect(tagOf(answer)).toBe(before)
    }
  })
})

describe('PATCH update', () => {
  test('updating one field keeps all other fields and the id', async () => {
    const fields = { z_order: 3, rotation: 12.5, occluded: true, group: 4, score: 0.5 }
    const more = { source: 'auto', frame: 1, outside: true, points: [5, 6, 7, 8] }
    let known = set.shapes[0]
    for (const [name, value] of Object.entries({ ...fields, ...more })) {
      const { shapes } = await patched('update', { shapes: [{ id: known.id, [name]: value }] })
      known = { ...known, [name]: value }
      expect(shapes).toEqual([known])
    }
    expect((await job.read()).shapes).toEqual([known])
  })

  test('update works for tags and tracks', async () => {
    const { tags, tracks } = await patched('update', {
      tags: [{ id: set.tags[0].id, frame: 4 }],
      tracks: [{ id: set.tracks[0].id, group: 2 }],
    })
    expect(tags).toEqual([{ ...set.tags[0], frame: 4 }])
    expect(tracks).toEqual([{ ...set.tracks[0], group: 2 }])
    expect(await job.read()).toEqual({ ...set, tags, tracks })
  })

  test('update returns objects in the order of the request', async () => {
    const { shapes } = await job.write({ shapes: [box(), box({ frame: 1 }), box({ frame: 2 })] })
    const ids = shapes.map((one: AnyJson) => one.id).reverse()
    const answer = await patched('update', { shapes: ids.map((id: number) => ({ id, group: 1 })) })
    expect(answer.shapes.map((one: AnyJson) => one.id)).toEqual(ids)
  })

  test.each(kinds)('update refuses %s without an id', async (kind) => {
    for (const object of [{ group: 1 }, { id: null, group: 1 }])
      expect(await refused(() => job.patch('update', { [kind]: [object] }))).toEqual([
        ...[400, 'invalid', { [kind]: [{ id: ['must be present and not null'] }] }],
      ])
  })

  test('update validates the resulting object', async () => {
    const [{ id }] = set.shapes
    for (const [fields, code] of [
      [{ type: 'polygon' }, 'points_invalid'],
      [{ points: [1, 2, 3] }, 'points_invalid'],
      [{ frame: 5 }, 'frame_out_of_range'],
      [{ label_id: 999_999 }, 'label_invalid'],
      [{ source: 'robot' }, 'source_invalid'],
      [{ group: null, z_order: null }, 'invalid'],
    ] as const) {
      const [status, errorCode] = await refused(() =>
        job.patch('update', { shapes: [{ id, ...fields }] }),
      )
      expect([status, errorCode], JSON.stringify(fields)).toEqual([400, code])
    }
    const points = [1, 2, 3, 4, 5, 6]
    const { shapes } = await patched('update', { shapes: [{ id, type: 'polygon', points }] })
    expect(shapes[0]).toMatchObject({ id, type: 'polygon', points })
  })

  test('update keeps named ids of skeleton elements, and gives new ids to the others', async () => {
    const { shapes } = await job.write({ shapes: [person([joint('head'), joint('foot')])] })
    const [{ id, elements }] = shapes
    const [head] = elements
    const sent = [joint('foot', { points: [9, 9] }), joint('head', { id: head.id, points: [8, 8] })]
    const answer = await patched('update', { shapes: [{ id, elements: sent }] })
    const [foot, kept] = answer.shapes[0].elements
    expect([kept.id, kept.points, foot.points]).toEqual([head.id, [8, 8], [9, 9]])
    expect(elements.map((one: AnyJson) => one.id)).not.toContain(foot.id)
    const foreign = { shapes: [{ id, elements: [joint('head', { id: elements[1].id })] }] }
    expect((await refused(() => job.patch('update', foreign))).slice(0, 2)).toEqual([
      400,
      'invalid',
    ])
  })

  test('update keeps named ids of keyframes, and gives new ids to the others', async () => {
    const [{ id, shapes }] = set.tracks
    const sent = [keyframe(1), keyframe(3, { id: shapes[1].id, occluded: true })]
    const { tracks } = await patched('update', { tracks: [{ id, shapes: sent }] })
    expect(tracks[0].frame).toBe(1)
    const [first, second] = tracks[0].shapes
    expect([second.id, second.occluded]).toEqual([shapes[1].id, true])
    expect(shapes.map((one: AnyJson) => one.id)).not.toContain(first.id)
    const foreign = { tracks: [{ id, shapes: [keyframe(0, { id: set.shapes[0].id })] }] }
    expect((await refused(() => job.patch('update', foreign))).slice(0, 2)).toEqual([
      400,
      'invalid',
    ])
  })

  test('update of unknown ids is 404, names all of them, and changes nothing', async () => {
    const elsewhere = await world.second.write({ shapes: [box({ frame: 7 })] })
    const missing = { tags: [999_999], shapes: [elsewhere.shapes[0].id, 999_998] }
    const json = {
      tags: [{ id: 999_999, frame: 0 }],
      shapes: [
        { id: set.shapes[0].id, group: 9 },
        ...missing.shapes.map((id) => ({ id, group: 1 })),
      ],
    }
    const [status, code, body] = await refused(() => job.patch('update', json))
    expect([status, code]).toEqual([404, 'annotation_not_found'])
    const detail = expect.any(String)
    expect(body).toMatchObject({ detail, code, missing, request_id: expect.any(String) })
  })
})

describe('PATCH delete', () => {
  test('delete by id returns the deleted objects with their elements', async () => {
    const { shapes } = await job.write({ shapes: [person([joint('head')]), box()] })
    const [deleted, kept] = shapes
    expect((await patched('delete', { shapes: [{ id: deleted.id }] })).shapes).toEqual([deleted])
    expect((await job.read()).shapes).toEqual([kept])
  })

  test('delete by whole objects of all kinds leaves an empty set, and the ids are not found again', async () => {
    expect(await patched('delete', set)).toEqual(set)
    expect(await job.read()).toEqual(emptySet)
    const again = { shapes: [{ id: set.shapes[0].id, group: 1 }] }
    expect((await job.patch('update', again)).status).toBe(404)
  })

  test('delete ignores unknown ids', async () => {
    const before = tagOf(await job.get())
    const unknown = await job.patch('delete', { shapes: [{ id: 999_999 }], tracks: [{ id: 1 }] })
    expect([unknown.status, unknown.body, tagOf(unknown)]).toEqual([200, emptySet, before])
    const half = await patched('delete', { shapes: [{ id: 999_999 }, { id: set.shapes[0].id }] })
    expect(half).toEqual({ ...emptySet, shapes: set.shapes })
  })

  test('delete through a job ignores objects of another job', async () => {
    const other = await world.second.write({ shapes: [box({ frame: 7 })] })
    expect(await patched('delete', { shapes: other.shapes })).toEqual(emptySet)
    expect(await world.second.read()).toEqual(other)
    await world.second.patch('delete', other)
    expect(await world.second.read()).toEqual(emptySet)
  })

  test('delete refuses objects without an id or with an invalid id', async () => {
    const without = await refused(() => job.patch('delete', { shapes: [{}] }))
    const missing = { id: ['must be present and not null'] }
    expect(without).toEqual([400, 'invalid', { shapes: [missing] }])
    const wrong = await refused(() => job.patch('delete', { shapes: [{ id: 'x' }] }))
    expect(wrong.slice(0, 2)).toEqual([400, 'invalid'])
  })
})

test.each(['update', 'delete'])('%s refuses an id that appears twice', async (action) => {
  const objects = [set.shapes[0], set.shapes[0]]
  const [status, code, body] = await refused(() => job.patch(action, { shapes: objects }))
  expect([status, code]).toEqual([400, 'invalid'])
  expect(Object.keys(body.shapes[1])).toEqual(['id'])
})

test.each(['?action=merge', '', '?action=', '?action=Create'])(
  'PATCH with the query %j is refused with the error text of CVAT',
  async (query) => {
    const call = () =>
      reticle.admin.call('PATCH', `${job.url}${query}`, { json: { shapes: [box()] } })
    const [status, , body] = await refused(call)
    expect([status, body]).toEqual([
      ...[400, ["Please specify a correct 'action' for the request"]],
    ])
  },
)

describe('PUT and DELETE', () => {
  test('PUT replaces all objects and gives them new ids, whatever ids were sent', async () => {
    const answer = await job.put({ shapes: [...set.shapes, { ...set.shapes[0], id: 7 }] })
    expect([answer.status, answer.body.shapes.length]).toEqual([200, 2])
    const ids = answer.body.shapes.map((one: AnyJson) => one.id)
    expect(new Set([...ids, 7, set.shapes[0].id]).size).toBe(4)
    expect(await job.read()).toEqual(answer.body)
  })

  test('PUT of a set that was read restores the same content, for a job and for a task', async () => {
    await world.second.write({ shapes: [box({ frame: 7 })] })
    const withoutIds = (json: AnyJson) =>
      JSON.parse(JSON.stringify(json, (key, value) => (key === 'id' ? undefined : value)))
    for (const target of [job, world.whole]) {
      const before = await target.read()
      await target.write(before)
      expect(withoutIds(await target.read())).toEqual(withoutIds(before))
    }
  })

  test('PUT of {} empties the set', async () => {
    const { status, body } = await job.put({})
    expect([status, body, await job.read()]).toEqual([200, emptySet, emptySet])
  })

  test.each(['', ' ', '\n\n'])(
    'PUT of the body %j is a parse error and deletes nothing',
    async (raw) => {
      const answer = await refused(() => job.put(undefined, { raw }))
      expect(answer.slice(0, 2)).toEqual([400, 'parse_error'])
    },
  )

  test('DELETE empties the set, returns no body, and can be repeated', async () => {
    for (let times = 0; times < 2; times++) {
      const { status, text } = await job.clear()
      expect([status, text, await job.read()]).toEqual([204, '', emptySet])
    }
  })
})

describe('atomic writes', () => {
  test.each(['create', 'put'])(
    'one invalid object among many refuses the whole write to a task: %s',
    async (way) => {
      const frames = Array.from({ length: 1500 }, (_, index) => index % 10)
      const shapes = [...frames.map((frame) => box({ frame })), box({ points: [1] })]
      const dates = async () => {
        const jobs = world.jobs.map(({ id }) => reticle.admin.done('GET', `/jobs/${id}`))
        const records = [
          ...(await Promise.all(jobs)),
          await reticle.admin.done('GET', `/tasks/${world.task.id}`),
        ]
        return records.map((one) => one.updated_date)
      }
      const before = await dates()
      const json = { tags: [tag()], shapes }
      const call = () => (way === 'put' ? world.whole.put(json) : world.whole.patch(way, json))
      const [status, code, body] = await refused(call)
      expect([status, code]).toEqual([400, 'points_invalid'])
      expect(body).toEqual([expect.stringMatching(/^shapes\[1500\]\.points: invalid length/)])
      expect(await dates()).toEqual(before)
    },
  )

  test('one unknown id refuses an update that spans two jobs', async () => {
    const other = await world.second.write({ shapes: [box({ frame: 7 })] })
    const ids = [set.shapes[0].id, other.shapes[0].id, 999_999]
    const shapes = ids.map((id) => ({ id, group: 5 }))
    const [status] = await refused(() => world.whole.patch('update', { shapes }))
    expect(status).toBe(404)
    const { body } = await world.whole.patch('update', { shapes: shapes.slice(0, 2) })
    expect(body.shapes.map((one: AnyJson) => one.group)).toEqual([5, 5])
  })
})
