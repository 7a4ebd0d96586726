import { describe, expect, test } from 'vitest'
import { checkObjects, findRefusal, joint, keyframe, track, value } from '../testing/checking.ts'

/** Validation of tracks: docs/spec/annotations.md#tracks */

const beyond = 'it is on frames outside of 0 to 4, and never visible within'

describe('a rejected track', () => {
  test.each([
    [
      'without shapes',
      { ...track, shapes: [] },
      'track_invalid',
      { shapes: ['at least one shape required'] },
    ],
    [
      'with different shapes on one frame',
      { ...track, shapes: [keyframe, { ...keyframe, points: [9, 9, 9, 9] }] },
      'duplicate_keyframe',
      { shapes: [{}, { frame: ['another shape stands on frame 0'] }] },
    ],
    [
      'with shapes of two types',
      { ...track, shapes: [keyframe, { ...keyframe, frame: 1, type: 'ellipse' }] },
      'track_invalid',
      { shapes: ['all shapes of a track must have one type, not rectangle, ellipse'] },
    ],
    [
      'that is only seen after the job',
      { ...track, frame: 5, shapes: [{ ...keyframe, frame: 5 }] },
      'frame_out_of_range',
      { frame: [beyond] },
    ],
    [
      'that begins in the job, hidden, and is only seen after it',
      { ...track, shapes: [{ ...keyframe, frame: 5 }] },
      'frame_out_of_range',
      { frame: [beyond] },
    ],
    [
      'of a skeleton whose elements are only seen after the job',
      {
        ...{ frame: 0, label_id: 41, shapes: [{ type: 'skeleton', frame: 0 }] },
        elements: [{ frame: 5, label_id: 42, shapes: [{ ...joint, frame: 5 }] }],
      },
      'frame_out_of_range',
      { frame: [beyond] },
    ],
    [
      'with a frame below 0',
      { ...track, shapes: [{ ...keyframe, frame: -1 }] },
      'invalid',
      { shapes: [{ frame: ['Ensure this value is greater than or equal to 0.'] }] },
    ],
    [
      'as a skeleton without elements',
      { ...track, label_id: 41, shapes: [{ type: 'skeleton', frame: 0 }] },
      'elements_invalid',
      { elements: ['at least one required for skeleton shape'] },
    ],
    [
      'with elements of elements',
      {
        ...track,
        label_id: 41,
        shapes: [{ type: 'skeleton', frame: 0 }],
        elements: [{ frame: 0, label_id: 42, shapes: [{ ...joint, frame: 0 }], elements: [{}] }],
      },
      'elements_invalid',
      { elements: [{ elements: ['not allowed for non-skeleton shape'] }] },
    ],
  ])('%s', async (_name, item, code, fields) => {
    expect(await findRefusal('track', [item])).toEqual({ code, body: { tracks: [fields] } })
  })

  test.each([
    ['a mutable attribute on the track', { ...track, attributes: [value(90, 'red')] }, 90],
    [
      'an immutable attribute on a shape',
      { ...track, shapes: [{ ...keyframe, attributes: [value(91, 'x')] }] },
      91,
    ],
  ])('a track with %s is rejected', async (_name, item, id) => {
    expect(await findRefusal('track', [item])).toEqual({
      code: 'attribute_invalid',
      body: [`spec_id \`${id}\` is invalid`],
    })
  })
})

describe('normalization of a track', () => {
  test('a track may leave the job if it is visible inside, or lie inside without being visible', async () => {
    const at = (frame: number, outside = false) => ({ ...keyframe, frame, outside })
    const tracks = [
      [at(4), at(9)],
      [at(0, true), at(3, true)],
      [at(0), at(7, true)],
    ]
    const checked = await checkObjects(
      'track',
      tracks.map((shapes) => ({ ...track, frame: shapes[0]?.frame, shapes })),
    )
    expect(checked.map((one) => 'shapes' in one && one.shapes.length)).toEqual([2, 2, 2])
  })

  test('keyframes are sorted, duplicates dropped and values carried forward', async () => {
    const blue = { ...keyframe, frame: 1, attributes: [value(90, 'blue')] }
    const shapes = [{ ...keyframe, frame: 3 }, keyframe, blue, blue]
    const [one] = await checkObjects('track', [{ ...track, shapes }])
    const read = one && 'shapes' in one ? one.shapes : []
    expect(read.map(({ frame, attributes }) => [frame, attributes[0]?.value])).toEqual([
      [0, 'red'],
      [1, 'blue'],
      [3, 'blue'],
    ])
  })

  test('a track that begins before its first shape is outside until then', async () => {
    const [one] = await checkObjects('track', [
      { ...track, shapes: [{ ...keyframe, frame: 2, keyframe: false }] },
    ])
    expect(one).toMatchObject({
      frame: 0,
      shapes: [
        { frame: 0, outside: true, keyframe: true },
        { frame: 2, outside: false, keyframe: true },
      ],
    })
  })

  test('a track that begins after its first shape begins with the shape', async () => {
    expect(await checkObjects('track', [{ ...track, frame: 3 }])).toMatchObject([
      { frame: 0, shapes: [{ frame: 0 }] },
    ])
  })

  test('a skeleton track is aligned with its elements, and an element without shapes is dropped', async () => {
    const elements = [
      { frame: 1, label_id: 42, shapes: [{ ...joint, frame: 1 }] },
      { frame: 1, label_id: 43, shapes: [] },
    ]
    const item = { frame: 1, label_id: 41, shapes: [{ type: 'skeleton', frame: 0 }], elements }
    expect(await checkObjects('track', [item])).toMatchObject([
      {
        frame: 0,
        shapes: [{ frame: 0, type: 'skeleton' }],
        elements: [{ frame: 0, label_id: 42, shapes: [{ frame: 0, outside: true }, { frame: 1 }] }],
      },
    ])
  })

  test('a skeleton may have more elements than a function call has arguments', async () => {
    const element = { frame: 0, label_id: 42, shapes: [{ ...joint, frame: 0 }] }
    const elements = Array(70_000).fill(element)
    const item = { frame: 0, label_id: 41, shapes: [{ type: 'skeleton', frame: 0 }], elements }
    const [one] = await checkObjects('track', [item])
    expect(one && 'elements' in one && one.elements).toHaveLength(70_000)
  })

  test('a position between keyframes stays one unless the object appears there', async () => {
    const at = (frame: number, outside: boolean) => ({
      ...keyframe,
      frame,
      outside,
      keyframe: false,
    })
    const shapes = [at(0, false), at(1, false), at(2, true), at(3, true)]
    const [one] = await checkObjects('track', [{ ...track, shapes }])
    const read = one && 'shapes' in one ? one.shapes : []
    expect(read.map((shape) => shape.keyframe)).toEqual([true, false, true, false])
  })
})
