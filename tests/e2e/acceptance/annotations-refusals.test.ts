import { beforeAll, describe, expect, test } from 'vitest'
import { annotationSets, keyframe, refusalOf, sharedTask } from '../../support/annotations.ts'
import type { AnyJson, ApiResponse } from '../../support/client.ts'
import { jobsOf, taskWithMedia } from '../../support/factories.ts'
import { createUserFactory } from '../../support/people.ts'
import { useOwnServer } from '../../support/test-server.ts'

/**
 * Validation errors of annotation writes, and the checks that run before a body is read. See
 * docs/spec/annotations.md#validation.
 */

const limits = { objects: 2500, bytes: 2_000_000 }
const reticle = useOwnServer({
  RETICLE_ANNOTATIONS_MAX_OBJECTS: String(limits.objects),
  RETICLE_GATEWAY_MAX_ANNOTATIONS_BODY: String(limits.bytes),
})
const world = sharedTask(reticle)
const job = world.first
const { box, joint, person } = world
beforeAll(() => job.write({ shapes: [box()] }))

const track = (shapes: AnyJson[], more: AnyJson = {}) => ({
  ...{ frame: 0, label_id: world.idOf('plain'), shapes },
  ...more,
})

/** Makes a call that must be refused, and checks that the stored set is unchanged byte for byte. */
async function refused(call: () => Promise<ApiResponse>) {
  const answer = await job.refusing(call)
  expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  if (answer.body?.detail) {
    const [code, request_id] = [
      answer.headers.get('x-error-code'),
      answer.headers.get('x-request-id'),
    ]
    expect(answer.body).toMatchObject({ code, request_id })
  }
  return refusalOf(answer)
}

/** Checks that PUT and PATCH create refuse the objects in the same way, for the job and for its task. */
async function refusedEverywhere(json: AnyJson, expected: AnyJson[]) {
  for (const target of [job, world.whole]) {
    expect(await refused(() => target.put(json))).toEqual(expected)
    expect(await refused(() => target.patch('create', json))).toEqual(expected)
  }
}

const text = expect.any(String)

describe('a validation error names the field and the position of the object', () => {
  const rows: { what: string; code: string; json: () => AnyJson; body: () => AnyJson }[] = [
    {
      what: 'no label',
      code: 'required',
      json: () => ({ tags: [{ frame: 0 }] }),
      body: () => ({ tags: [{ label_id: ['This field is required.'] }] }),
    },
    {
      what: 'no frame, and one too many',
      code: 'required',
      json: () => ({ shapes: [box(), box({ frame: undefined }), box(), box({ score: 2 })] }),
      body: () => ({ shapes: [{}, { frame: [text] }, {}, { score: [text] }] }),
    },
    {
      what: 'no type',
      code: 'required',
      json: () => ({ tracks: [track([keyframe(0), keyframe(1, { type: undefined })])] }),
      body: () => ({ tracks: [{ shapes: [{}, { type: ['This field is required.'] }] }] }),
    },
    {
      what: 'a number as text',
      code: 'invalid',
      json: () => ({ shapes: [box({ frame: '0' })] }),
      body: () => ({ shapes: [{ frame: ['A valid integer is required.'] }] }),
    },
    {
      what: 'an object that is none',
      code: 'invalid',
      json: () => ({ shapes: [box(), 'x', null, [box()]] }),
      body: () => ({ shapes: [{}, ...Array(3).fill({ non_field_errors: [text] })] }),
    },
    {
      what: 'a coordinate that is none',
      code: 'invalid',
      json: () => ({ shapes: [box(), box({ points: [1, 2, 3, '4'] })] }),
      body: () => ({ shapes: [{}, { points: { 3: ['Value must be a float or an integer'] } }] }),
    },
    {
      what: 'an unknown label',
      code: 'label_invalid',
      json: () => ({ shapes: [box({ label_id: 999_999 })] }),
      body: () => ['label_id `999999` is invalid'],
    },
    {
      what: 'the label of a joint on a shape of its own',
      code: 'label_invalid',
      json: () => ({ shapes: [box({ label_id: world.idOf('head') })] }),
      body: () => [`label_id \`${world.idOf('head')}\` is invalid`],
    },
    {
      what: 'a joint that is none of its skeleton',
      code: 'label_invalid',
      json: () => ({ shapes: [person([joint('plain')])] }),
      body: () => [`label_id \`${world.idOf('plain')}\` is invalid`],
    },
    {
      what: 'a value that is not allowed',
      code: 'attribute_value_invalid',
      json: () => {
        const attributes = [{ spec_id: world.idOf('color'), value: 'green' }]
        return { shapes: [box({ label_id: world.idOf('car'), attributes })] }
      },
      body: () => ({ shapes: [{ attributes: [{ value: [text] }] }] }),
    },
    {
      what: 'a mask beyond its frame',
      code: 'mask_invalid',
      json: () => ({ shapes: [box(), box({ type: 'mask', points: [0, 2, 63, 0, 64, 0] })] }),
      body: () => ({ shapes: [{}, { points: [text] }] }),
    },
    {
      what: 'a skeleton without joints',
      code: 'elements_invalid',
      json: () => ({ shapes: [person([])] }),
      body: () => ({ shapes: [{ elements: ['at least one required for skeleton shape'] }] }),
    },
    {
      what: 'a track of a skeleton without joints',
      code: 'elements_invalid',
      json: () => ({
        tracks: [track([{ type: 'skeleton', frame: 0 }], { label_id: world.idOf('person') })],
      }),
      body: () => ({ tracks: [{ elements: ['at least one required for skeleton shape'] }] }),
    },
    {
      what: 'joints on a box',
      code: 'elements_invalid',
      json: () => ({ shapes: [box({ elements: [joint('head')] })] }),
      body: () => ({ shapes: [{ elements: ['not allowed for non-skeleton shape'] }] }),
    },
    {
      what: 'joints of joints',
      code: 'elements_invalid',
      json: () => ({ shapes: [person([{ ...joint('head'), elements: [joint('head')] }])] }),
      body: () => ({
        shapes: [{ elements: [{ elements: ['not allowed for non-skeleton shape'] }] }],
      }),
    },
    {
      what: 'a frame beyond the task',
      code: 'frame_out_of_range',
      json: () => ({ shapes: [box(), box({ frame: 10 })] }),
      body: () => ({ shapes: [{}, { frame: [text] }] }),
    },
    {
      what: 'an unknown source',
      code: 'source_invalid',
      json: () => ({ tags: [box({ source: 'robot' })] }),
      body: () => ({ tags: [{ source: [expect.stringMatching(/^must be one of manual/)] }] }),
    },
    {
      what: 'a track of nothing',
      code: 'track_invalid',
      json: () => ({ tracks: [track([])] }),
      body: () => ({ tracks: [{ shapes: [text] }] }),
    },
    {
      what: 'a track of two types',
      code: 'track_invalid',
      json: () => ({ tracks: [track([keyframe(0), keyframe(1, { type: 'ellipse' })])] }),
      body: () => ({ tracks: [{ shapes: [text] }] }),
    },
    {
      what: 'two keyframes on one frame',
      code: 'duplicate_keyframe',
      json: () => ({
        tracks: [track([keyframe(0), keyframe(1), keyframe(1, { occluded: true })])],
      }),
      body: () => ({ tracks: [{ shapes: [{}, {}, { frame: [text] }] }] }),
    },
  ]
  test.each(rows)('$what is refused as $code', async ({ code, json, body }) => {
    await refusedEverywhere(json(), [400, code, body()])
  })
})

test('a frame of another job is out of range in this job, but not in the task', async () => {
  const json = { shapes: [box({ frame: 5 })] }
  expect((await refused(() => job.put(json))).slice(0, 2)).toEqual([400, 'frame_out_of_range'])
  expect((await world.whole.patch('create', json)).status).toBe(200)
})

test('the type of a label does not restrict the types of shapes', async () => {
  const { shapes } = (
    await job.patch('create', { shapes: [box({ label_id: world.idOf('outline') })] })
  ).body
  expect(shapes[0].type).toBe('rectangle')
})

test('an error in a large set gives the position in the text instead of a list', async () => {
  const shapes = [...Array(1500).fill(box()), box({ points: [1, 2, 3] })]
  const answer = await refused(() => job.put({ shapes }))
  const message = "shapes[1500].points: invalid length for shape type 'rectangle'"
  expect(answer).toEqual([400, 'points_invalid', [message]])
})

describe('bodies that are not an annotation set', () => {
  test.each([
    ['{"shapes":[', 'parse_error'],
    ['{"shapes":[NaN]}', 'parse_error'],
    ['{"shapes":[]', 'parse_error'],
    ['{"shapes":[]}]', 'parse_error'],
    ['{"shapes":[],"shapes":[]}', 'parse_error'],
    ['nothing', 'parse_error'],
    ['[]', 'invalid'],
    ['"x"', 'invalid'],
    ['null', 'invalid'],
  ])('%s is refused as %s', async (raw, code) => {
    for (const call of [
      () => job.put(undefined, { raw }),
      () => job.patch('create', undefined, { raw }),
      () => job.patch('update', undefined, { raw }),
      () => job.patch('delete', undefined, { raw }),
    ]) {
      const [status, errorCode, body] = await refused(call)
      expect([status, errorCode]).toEqual([400, code])
      if (code === 'parse_error') expect(body.detail).toMatch(/^JSON parse error - /)
    }
  })

  test('bytes that are not UTF-8 are refused as invalid JSON', async () => {
    const raw = Buffer.from(
      JSON.stringify({ shapes: [box({ x: 'y' })] }).replace('y', '\xff'),
      'latin1',
    )
    expect((await refused(() => job.put(undefined, { raw }))).slice(0, 2)).toEqual([
      400,
      'parse_error',
    ])
  })

  test.each(['text/plain', 'application/xml', 'multipart/form-data; boundary=x', 'nonsense'])(
    'the content type %s is answered 415',
    async (type) => {
      const sent = { raw: JSON.stringify({ shapes: [box()] }), headers: { 'content-type': type } }
      for (const call of [
        () => job.put(undefined, sent),
        () => job.patch('create', undefined, sent),
      ])
        expect((await refused(call)).slice(0, 2)).toEqual([415, 'unsupported_media_type'])
    },
  )

  test('a set with more objects than the limit of one request is answered 413', async () => {
    const tags = Array.from({ length: limits.objects + 1 }, () => ({
      frame: 0,
      label_id: world.idOf('plain'),
    }))
    for (const call of [() => job.put({ tags }), () => job.patch('create', { tags })])
      expect((await refused(call)).slice(0, 2)).toEqual([413, 'too_many_objects'])
    const ids = tags.map((_, index) => ({ id: 1_000_000 + index }))
    const refusal = await refused(() => job.patch('delete', { tags: ids }))
    expect(refusal.slice(0, 2)).toEqual([413, 'too_many_objects'])
    expect(
      (await world.second.put({ tags: tags.slice(1).map((one) => ({ ...one, frame: 5 })) })).status,
    ).toBe(200)
  })

  test('a body with more bytes than the limit is answered 413', async () => {
    const raw = JSON.stringify({ shapes: [box({ points: Array(600_000).fill(1000) })] })
    expect(raw.length).toBeGreaterThan(limits.bytes)
    for (const call of [
      () => job.put(undefined, { raw }),
      () => job.patch('create', undefined, { raw }),
    ])
      expect((await refused(call)).slice(0, 2)).toEqual([413, 'payload_too_large'])
  })
})

describe('calls that are refused before the body is read', () => {
  const paths = ['/tasks/999999/annotations/', '/jobs/999999/annotations/']
  test.each(paths)('the missing target %s is answered 404', async (url) => {
    const sets = annotationSets(reticle.admin, url)
    for (const answer of [
      await sets.get(),
      await sets.put({}),
      await sets.patch('create', {}),
      await sets.clear(),
    ])
      expect(refusalOf(answer).slice(0, 2)).toEqual([404, 'not_found'])
  })

  test('a user without rights is answered 403, and an anonymous caller 401', async () => {
    const { as, newPerson } = createUserFactory(() => reticle)
    const stranger = await newPerson()
    for (const [api, expected] of [
      [stranger.api, [403, 'forbidden']],
      [as(), [401, 'not_authenticated']],
    ] as const)
      for (const { url } of [job, world.whole]) {
        const sets = annotationSets(api, url)
        const calls = [sets.get, () => sets.put({}), () => sets.patch('delete', {}), sets.clear]
        for (const call of calls)
          expect((await refused(() => call())).slice(0, 2)).toEqual(expected)
      }
  })

  test.each([
    'format=COCO 1.0',
    'filename=x',
    'action=import_status',
    'location=local',
    'cloud_storage_id=1',
  ])(
    'GET with the removed parameter %s is answered 410 and names the replacement',
    async (query) => {
      for (const [kind, { url }] of [
        ['jobs', job],
        ['tasks', world.whole],
      ] as const) {
        const answer = await reticle.admin.call('GET', `${url}?${query}`)
        expect(refusalOf(answer).slice(0, 2)).toEqual([410, 'endpoint_gone'])
        const instead = query.startsWith('action') ? 'GET /requests/' : `POST /${kind}/`
        expect(answer.body.detail).toContain(`no longer supported. Use ${instead}`)
      }
    },
  )

  test.each(['format=COCO 1.0', 'rq_id=x'])(
    'PUT with the removed parameter %s is answered 410',
    async (query) => {
      for (const { url } of [job, world.whole]) {
        const call = () => reticle.admin.call('PUT', `${url}?${query}`, { json: {} })
        expect((await refused(call)).slice(0, 2)).toEqual([410, 'endpoint_gone'])
      }
    },
  )

  test('the removed endpoint for annotations of a project is answered 410', async () => {
    const { id } = await reticle.admin.done('POST', '/projects', { json: { name: 'p' } })
    const answer = await reticle.admin.call('GET', `/projects/${id}/annotations/`)
    expect(refusalOf(answer).slice(0, 2)).toEqual([410, 'endpoint_gone'])
  })

  test('a task without media has no annotations and accepts none', async () => {
    const labels = [{ name: 'car' }]
    const task = await reticle.admin.done('POST', '/tasks', { json: { name: 'empty', labels } })
    const sets = annotationSets(reticle.admin, `/tasks/${task.id}/annotations/`)
    const read = await sets.get()
    expect(read.status).toBe(400)
    expect(read.body.detail).toBe('Exporting annotations from a task without data is not allowed')
    const tags = [{ frame: 0, label_id: task.labels[0].id }]
    for (const answer of [
      await sets.put({ tags }),
      await sets.put({}),
      await sets.patch('create', { tags }),
    ])
      expect(answer.status).toBe(400)
  })

  test('annotations of a deleted task are answered 404', async () => {
    const task = await taskWithMedia(reticle.admin)
    const [own] = await jobsOf(reticle.admin, task.id)
    await reticle.admin.done('DELETE', `/tasks/${task.id}`)
    for (const url of [`/tasks/${task.id}/annotations/`, `/jobs/${own.id}/annotations/`])
      expect((await annotationSets(reticle.admin, url).put({})).status, url).toBe(404)
  })
})
