import type { AnyJson } from '../../support/client.ts'
import { type BadInputIds, type BadInputRow, buildRows } from './row.ts'

/** Rows 56 to 70: annotations. */

const url = '/jobs/{job}/annotations/'
const create = { call: `PATCH ${url}?action=create`, status: 400 } as const
const update = { call: `PATCH ${url}?action=update` } as const
const stored = { call: `PATCH ${url}?action=create`, status: 200, changes: true } as const

const box = (ids: BadInputIds, more: AnyJson = {}) => ({
  ...{ type: 'rectangle', frame: 0, label_id: ids.label, points: [1, 2, 30, 40] },
  ...more,
})
const shapes = (more: AnyJson) => (ids: BadInputIds) => ({ shapes: [box(ids, more)] })
const keyframe = (frame: number, more: AnyJson = {}) => ({
  ...{ type: 'rectangle', frame, points: [1, 2, 30, 40] },
  ...more,
})
const tracks =
  (keyframes: AnyJson[], more: AnyJson = {}) =>
  (ids: BadInputIds) => ({
    tracks: [{ frame: 0, label_id: ids.label, shapes: keyframes, ...more }],
  })

const actions: BadInputRow[] = buildRows(
  {
    'no action': '',
    'another action': '?action=merge',
    'two actions': '?action=create&action=delete',
  },
  (query) => ({ row: 56, call: `PATCH ${url}${query}`, json: shapes({}), status: 400 }),
)

const outlines: BadInputRow[] = [
  ...buildRows(
    { 'an unknown type': 'circle', 'no type': undefined, 'a type in capitals': 'RECTANGLE' },
    (type) => ({ row: 57, ...create, json: shapes({ type }), field: 'shapes' }),
  ),
  ...buildRows(
    {
      'a box of 3 numbers': ['rectangle', 3],
      'a box of 5': ['rectangle', 5],
      'a polygon of 1': ['polygon', 1],
      'a polygon of an odd count': ['polygon', 7],
      'a polyline of 2': ['polyline', 2],
      'points of an odd count': ['points', 3],
      'a cuboid of 14': ['cuboid', 14],
      'an ellipse of 3': ['ellipse', 3],
      'a polygon of none': ['polygon', 0],
    } as const,
    ([type, count]) => ({
      ...{ row: 58, ...create, json: shapes({ type, points: Array(count).fill(1) }) },
      ...{ code: 'points_invalid', field: 'shapes' },
    }),
  ),
  ...buildRows(
    {
      'a number as text': '4',
      null: null,
      'a list as coordinate': [4],
      'a coordinate of 1e12': 1e12,
    },
    (value) => ({
      row: 59,
      ...create,
      json: shapes({ points: [1, 2, 3, value] }),
      code: 'invalid',
    }),
  ),
  {
    ...{ row: 59, what: 'a coordinate of 1e400', ...create, code: 'invalid' },
    raw: (ids: BadInputIds) => JSON.stringify(shapes({})(ids)).replace('40]', '1e400]'),
  },
  {
    ...{
      row: 59,
      what: 'nothing below zero',
      ...stored,
      body: { shapes: [{ points: [1, 2, 30, 0] }] },
    },
    raw: (ids: BadInputIds) => JSON.stringify(shapes({})(ids)).replace('40]', '-0]'),
  },
  ...buildRows(
    {
      'runs that do not cover the box': [0, 5, 0, 0, 1, 1],
      'a left side beyond the right one': [0, 4, 1, 0, 0, 1],
      'a negative run': [-1, 5, 0, 0, 1, 1],
      'an area above the frame': [0, 100 * 100, 0, 0, 99, 99],
    },
    (points) => ({
      row: 60,
      ...create,
      json: shapes({ type: 'mask', points }),
      code: 'mask_invalid',
    }),
  ),
  {
    ...{ row: 60, what: '10,000,000 runs', ...create, code: 'points_invalid' },
    json: (ids: BadInputIds) =>
      shapes({ type: 'mask', points: [...Array(10_000_000).fill(1), 0, 0, 1, 1] })(ids),
  },
]

const references: BadInputRow[] = [
  ...buildRows({ 'a frame below 0': -1, 'half a frame': 1.5, 'a frame as text': '0' }, (frame) => ({
    row: 61,
    ...create,
    json: shapes({ frame }),
    code: 'invalid',
  })),
  ...buildRows({ 'a frame beyond the job': 2, 'a frame beyond the task': 4 }, (frame) => ({
    row: 61,
    ...create,
    json: shapes({ frame }),
    code: 'frame_out_of_range',
  })),
  {
    ...{ row: 62, what: 'an unknown label', ...create },
    ...{ json: shapes({ label_id: 999_999 }), code: 'label_invalid' },
  },
  {
    ...{ row: 62, what: 'a label of another project', ...create, code: 'label_invalid' },
    json: (ids: BadInputIds) => ({ shapes: [box(ids, { label_id: ids.otherLabel })] }),
  },
  {
    ...{ row: 62, what: 'a label as text', ...create, code: 'invalid' },
    json: (ids: BadInputIds) => ({ shapes: [box(ids, { label_id: String(ids.label) })] }),
  },
  {
    ...{ row: 62, what: 'a label of another type', ...stored },
    json: (ids: BadInputIds) => ({ shapes: [box(ids, { label_id: ids.outline })] }),
  },
  ...buildRows(
    {
      'a value outside of its list': ['green'],
      'a value that is an object': [{}],
      'two values of one attribute': ['red', 'red'],
    },
    (values) => ({
      ...{ row: 63, ...create },
      json: (ids: BadInputIds) => ({
        shapes: [box(ids, { attributes: values.map((value) => ({ spec_id: ids.color, value })) })],
      }),
    }),
  ),
  {
    ...{ row: 63, what: 'an unknown attribute', ...create, code: 'attribute_invalid' },
    json: shapes({ attributes: [{ spec_id: 999_999, value: 'red' }] }),
  },
  ...buildRows(
    {
      'a group below 0': { group: -1 },
      'a group of more than 31 bits': { group: 2 ** 31 },
      'an unknown source': { source: 'robot' },
      'a rotation of 720 degrees': { rotation: 720 },
    },
    (more) => ({ row: 64, ...create, json: shapes(more), field: 'shapes' }),
  ),
  {
    ...{ row: 64, what: 'a rotation of NaN', ...create, code: 'parse_error' },
    raw: (ids: BadInputIds) => JSON.stringify(shapes({ rotation: 12 })(ids)).replace('12', 'NaN'),
  },
]

const patches: BadInputRow[] = [
  {
    ...{ row: 65, what: 'an update without an id', ...update, status: 400, field: 'shapes' },
    json: { shapes: [{ group: 1 }] },
  },
  ...buildRows<(ids: BadInputIds) => unknown>(
    {
      'an update of an unknown id': () => 999_999,
      'an update of another job': (ids) => ids.otherShape,
    },
    (id) => ({
      ...{ row: 65, ...update, status: 404, code: 'annotation_not_found' },
      json: (ids: BadInputIds) => ({ shapes: [{ id: id(ids), group: 1 }] }),
    }),
  ),
  {
    ...{ row: 65, what: 'one id twice', ...update, status: 400, code: 'invalid' },
    json: ({ shape }: BadInputIds) => ({
      shapes: [
        { id: shape, group: 1 },
        { id: shape, group: 2 },
      ],
    }),
  },
  {
    ...{ row: 66, what: 'a deletion of an unknown id', call: `PATCH ${url}?action=delete` },
    ...{ json: { shapes: [{ id: 999_999 }] }, status: 200, body: { shapes: [] } },
  },
]

const elements = [{ label_id: 1, frame: 0, shapes: [], elements: [{ elements: [{}] }] }]
const ofTracks: BadInputRow[] = [
  ...buildRows(
    {
      'a track without keyframes': tracks([]),
      'two keyframes on one frame': tracks([keyframe(0), keyframe(0, { occluded: true })]),
      'tracks within tracks': tracks([keyframe(0)], { elements }),
    },
    (json) => ({ row: 67, ...create, json }),
  ),
  {
    ...{
      row: 67,
      what: 'keyframes in descending order',
      ...stored,
      json: tracks([keyframe(1), keyframe(0)]),
    },
    body: { tracks: [{ frame: 0, shapes: [{ frame: 0 }, { frame: 1 }] }] },
  },
  {
    ...{ row: 67, what: 'a track that begins before its frame', ...stored },
    ...{ json: tracks([keyframe(0)], { frame: 1 }), body: { tracks: [{ frame: 0 }] } },
  },
]

const replace = { call: `PUT ${url}` } as const
const whole: BadInputRow[] = [
  {
    ...{ row: 68, what: 'a version that is none', ...replace, status: 400, field: 'version' },
    json: { version: 'x' },
  },
  {
    ...{ row: 68, what: '1,000,001 objects', ...replace, status: 413, code: 'too_many_objects' },
    json: ({ label }: BadInputIds) => ({
      tags: Array(1_000_001).fill({ frame: 0, label_id: label }),
    }),
  },
  {
    ...{ row: 68, what: 'nine tenths of a set', ...replace, status: 400, code: 'parse_error' },
    raw: (ids: BadInputIds) =>
      JSON.stringify({ shapes: Array(2000).fill(box(ids)) }).slice(0, -20_000),
  },
  { row: 69, what: 'no bytes at all', ...replace, raw: '', status: 400, code: 'parse_error' },
  {
    ...{ row: 69, what: 'an empty set', call: 'PUT /jobs/{otherJob}/annotations/', json: {} },
    ...{ status: 200, body: { version: 0, tags: [], shapes: [], tracks: [] }, changes: true },
  },
  ...buildRows({ GET: undefined, PUT: {} }, (json) => ({
    ...{ row: 70, call: `${json ? 'PUT' : 'GET'} /jobs/{goneJob}/annotations/`, json, status: 404 },
  })),
  ...buildRows({ GET: undefined, PUT: {} }, (json) => ({
    ...{
      row: 70,
      call: `${json ? 'PUT' : 'GET'} /tasks/{emptyTask}/annotations/`,
      json,
      status: 400,
    },
  })),
]

export const annotations: BadInputRow[] = [
  ...actions,
  ...outlines,
  ...references,
  ...patches,
  ...ofTracks,
  ...whole,
]
