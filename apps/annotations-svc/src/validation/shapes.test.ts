import { describe, expect, test } from 'vitest'
import {
  checkObjects,
  findRefusal,
  integer,
  joint,
  outside,
  required,
  skeleton,
  value,
} from '../testing/checking.ts'
import { box } from '../testing/objects.ts'

/** Validation of shapes: docs/spec/annotations.md#validation */

const of = (type: string, points: unknown) => ({ ...box, type, points })
const mask = (...points: number[]) => of('mask', points)
const valued = (...attributes: unknown[]) => ({ ...box, attributes })

const number = 'A valid number is required.'
const boolean = 'Must be a valid boolean.'
const notNull = 'This field may not be null.'
const length = (type: string) => `invalid length for shape type '${type}'`

describe('a rejected shape has its place and a code', () => {
  test.each([
    [
      'no object',
      'x',
      'invalid',
      { non_field_errors: ['Invalid data. Expected a dictionary, but got str.'] },
    ],
    [
      'nothing in it',
      {},
      'required',
      { label_id: [required], type: [required], frame: [required] },
    ],
    ['no frame', { ...box, frame: undefined }, 'required', { frame: [required] }],
    ['a frame as text', { ...box, frame: '0' }, 'invalid', { frame: [integer] }],
    ['a frame of 1.5', { ...box, frame: 1.5 }, 'invalid', { frame: [integer] }],
    [
      'a frame below 0',
      { ...box, frame: -1 },
      'invalid',
      { frame: ['Ensure this value is greater than or equal to 0.'] },
    ],
    ['a frame of another job', { ...box, frame: 5 }, 'frame_out_of_range', { frame: [outside] }],
    ['a label as text', { ...box, label_id: '40' }, 'invalid', { label_id: [integer] }],
    [
      'a type nobody knows',
      { ...box, type: 'circle' },
      'invalid',
      { type: ['"circle" is not a valid choice.'] },
    ],
    [
      'a type in capitals',
      { ...box, type: 'Rectangle' },
      'invalid',
      { type: ['"Rectangle" is not a valid choice.'] },
    ],
    [
      'a group below 0',
      { ...box, group: -1 },
      'invalid',
      { group: ['Ensure this value is greater than or equal to 0.'] },
    ],
    [
      'a group of 2^31',
      { ...box, group: 2 ** 31 },
      'invalid',
      { group: ['Ensure this value is less than or equal to 2147483647.'] },
    ],
    [
      'a source nobody knows',
      { ...box, source: 'robot' },
      'source_invalid',
      { source: ['must be one of manual, auto, semi-auto, file, consensus'] },
    ],
    [
      'a rotation of 720',
      { ...box, rotation: 720 },
      'invalid',
      { rotation: ['Ensure this value is less than or equal to 360.'] },
    ],
    ['a rotation of null', { ...box, rotation: null }, 'invalid', { rotation: [notNull] }],
    ['a rotation as text', { ...box, rotation: '1' }, 'invalid', { rotation: [number] }],
    [
      'a score of 2',
      { ...box, score: 2 },
      'invalid',
      { score: ['Ensure this value is less than or equal to 1.'] },
    ],
    ['a flag as number', { ...box, occluded: 1 }, 'invalid', { occluded: [boolean] }],
    ['a z_order of 0.5', { ...box, z_order: 0.5 }, 'invalid', { z_order: [integer] }],
    ['an id as text', { ...box, id: 'x' }, 'invalid', { id: [integer] }],
    [
      'points that are no list',
      of('rectangle', {}),
      'invalid',
      { points: ['Expected a list of items but got type "dict".'] },
    ],
    [
      'points as texts',
      of('rectangle', [1, 2, 3, '4']),
      'invalid',
      { points: { 3: ['Value must be a float or an integer'] } },
    ],
    [
      'points with null',
      of('rectangle', [null, 2, 3, 4]),
      'invalid',
      { points: { 0: ['Value must be a float or an integer'] } },
    ],
    [
      'nested points',
      of('polyline', [
        [1, 2],
        [3, 4],
      ]),
      'invalid',
      { points: { 0: ['Value must be a float or an integer'] } },
    ],
    [
      'a point out of every picture',
      of('rectangle', [1e12, 2, 3, 4]),
      'invalid',
      { points: { 0: ['Ensure this value is between -10000000 and 10000000.'] } },
    ],
    [
      'a point beyond a double',
      JSON.parse('{"type":"points","frame":0,"label_id":40,"points":[1,1e400]}'),
      'invalid',
      { points: { 1: ['Ensure this value is between -10000000 and 10000000.'] } },
    ],
    ['no points', of('rectangle', undefined), 'points_invalid', { points: [length('rectangle')] }],
    [
      'a rectangle of 3',
      of('rectangle', [1, 2, 3]),
      'points_invalid',
      { points: [length('rectangle')] },
    ],
    [
      'a rectangle of 5',
      of('rectangle', [1, 2, 3, 4, 5]),
      'points_invalid',
      { points: [length('rectangle')] },
    ],
    [
      'a polygon of 4',
      of('polygon', [1, 2, 3, 4]),
      'points_invalid',
      { points: [length('polygon')] },
    ],
    [
      'a polygon of 7',
      of('polygon', [1, 2, 3, 4, 5, 6, 7]),
      'points_invalid',
      { points: [length('polygon')] },
    ],
    ['a polyline of 2', of('polyline', [1, 2]), 'points_invalid', { points: [length('polyline')] }],
    ['points of 3', of('points', [1, 2, 3]), 'points_invalid', { points: [length('points')] }],
    [
      'an ellipse of 3',
      of('ellipse', [1, 2, 3]),
      'points_invalid',
      { points: [length('ellipse')] },
    ],
    [
      'an ellipse of negative radius',
      of('ellipse', [1, 2, -3, 4]),
      'points_invalid',
      { points: ['radii of an ellipse cannot be negative'] },
    ],
    [
      'a cuboid of 14',
      of('cuboid', Array(14).fill(1)),
      'points_invalid',
      { points: [length('cuboid')] },
    ],
    [
      'more numbers than any shape has',
      of('polyline', Array(200_002).fill(1)),
      'points_invalid',
      { points: ['Ensure this field has no more than 200000 elements.'] },
    ],
    ['a mask of 3', mask(0, 0, 1), 'points_invalid', { points: [length('mask')] }],
    [
      'a mask with half a pixel',
      mask(0.5, 0.5, 0, 0, 0, 0),
      'mask_invalid',
      { points: ['run lengths and the box have to be whole numbers from 0'] },
    ],
    [
      'a mask with a negative run',
      mask(-1, 2, 0, 0, 0, 0),
      'mask_invalid',
      { points: ['run lengths and the box have to be whole numbers from 0'] },
    ],
    [
      'a mask whose box ends early',
      mask(0, 1, 5, 0, 4, 0),
      'mask_invalid',
      { points: ['the box ends before it starts'] },
    ],
    [
      'a mask of too few pixels',
      mask(1, 2, 10, 20, 13, 22),
      'mask_invalid',
      { points: ['runs cover 3 pixels of a box of 12'] },
    ],
    [
      'a mask with an empty run',
      mask(1, 0, 1, 2, 0, 0, 1, 1),
      'mask_invalid',
      { points: ['only the first run may be 0'] },
    ],
    [
      'a mask beyond its frame',
      mask(0, 1, 100, 0, 100, 0),
      'mask_invalid',
      { points: ['the box ends at 100, 0, beyond the frame of 100 by 80'] },
    ],
    [
      'a skeleton without elements',
      { ...skeleton, elements: [] },
      'elements_invalid',
      { elements: ['at least one required for skeleton shape'] },
    ],
    [
      'a skeleton with points',
      { ...skeleton, points: [1, 2] },
      'points_invalid',
      { points: [length('skeleton')] },
    ],
    [
      'elements on a rectangle',
      { ...box, elements: [joint] },
      'elements_invalid',
      { elements: ['not allowed for non-skeleton shape'] },
    ],
    [
      'elements of an element',
      { ...skeleton, elements: [{ ...joint, elements: [joint] }] },
      'elements_invalid',
      { elements: [{ elements: ['not allowed for non-skeleton shape'] }] },
    ],
    [
      'an element on another frame',
      { ...skeleton, elements: [{ ...joint, frame: 3 }] },
      'invalid',
      { elements: [{ frame: ['must be the frame of the skeleton, 2'] }] },
    ],
    [
      'a value that is no option',
      valued(value(90, 'green')),
      'attribute_value_invalid',
      { attributes: [{ value: ['"green" is not allowed for spec_id 90'] }] },
    ],
    [
      'a checkbox that is neither',
      valued(value(92, 'maybe')),
      'attribute_value_invalid',
      { attributes: [{ value: ['"maybe" is not allowed for spec_id 92'] }] },
    ],
    [
      'a number above its range',
      valued(value(93, 6)),
      'attribute_value_invalid',
      { attributes: [{ value: ['"6" is not allowed for spec_id 93'] }] },
    ],
    [
      'a value that is an object',
      valued(value(91, {})),
      'invalid',
      { attributes: [{ value: ['Not a valid string.'] }] },
    ],
    ['a value of null', valued(value(91, null)), 'invalid', { attributes: [{ value: [notNull] }] }],
    ['no value', valued({ spec_id: 91 }), 'required', { attributes: [{ value: [required] }] }],
    [
      'a value that is too long',
      valued(value(91, 'x'.repeat(4097))),
      'invalid',
      { attributes: [{ value: ['Ensure this field has no more than 4096 characters.'] }] },
    ],
    [
      'a value with NUL',
      valued(value(91, 'a\0b')),
      'invalid',
      { attributes: [{ value: ['Null characters and unpaired surrogates are not allowed.'] }] },
    ],
    [
      'a value with half a character',
      valued(value(91, '\ud800')),
      'invalid',
      { attributes: [{ value: ['Null characters and unpaired surrogates are not allowed.'] }] },
    ],
    [
      'two values of one attribute',
      valued(value(91, 'a'), value(91, 'b')),
      'duplicate_attribute',
      { attributes: [{}, { spec_id: ['spec_id 91 is given twice'] }] },
    ],
    ['no spec', valued({ value: 'a' }), 'required', { attributes: [{ spec_id: [required] }] }],
  ])('%s', async (_name, item, code, fields) => {
    expect(await findRefusal('shape', [box, item])).toEqual({
      code,
      body: { shapes: [{}, fields] },
    })
  })

  test.each([
    ['an unknown label', { ...box, label_id: 999 }, 'label_invalid', 'label_id `999` is invalid'],
    [
      'a sublabel at the top',
      { ...box, label_id: 42 },
      'label_invalid',
      'label_id `42` is invalid',
    ],
    [
      'a label that is not below the skeleton',
      { ...skeleton, elements: [{ ...joint, label_id: 40 }] },
      'label_invalid',
      'label_id `40` is invalid',
    ],
    [
      'an attribute of no label',
      valued(value(7, 'a')),
      'attribute_invalid',
      'spec_id `7` is invalid',
    ],
  ])('%s is reported as a single text', async (_name, item, code, text) => {
    expect(await findRefusal('shape', [item])).toEqual({ code, body: [text] })
  })

  test('a problem far down in a list is reported with its path as text', async () => {
    const items = [...Array(1500).fill(box), { ...box, frame: 5 }]
    expect(await findRefusal('shape', items)).toEqual({
      code: 'frame_out_of_range',
      body: [`shapes[1500].frame: ${outside}`],
    })
  })
})

describe('accepted shapes and their stored form', () => {
  test.each([
    ['a group of null is no group', { ...box, group: null }, { group: 0 }],
    ['a box upside down stays as it is', of('rectangle', [3, 4, 1, 2]), { points: [3, 4, 1, 2] }],
    ['points outside of the picture', of('points', [-5, 9000]), { points: [-5, 9000] }],
    ['a label that is meant for another type', { ...box, label_id: 41 }, { label_id: 41 }],
    [
      'a mask',
      mask(1, 2, 1, 4, 1, 2, 1, 10, 20, 13, 22),
      { points: [1, 2, 1, 4, 1, 2, 1, 10, 20, 13, 22] },
    ],
    ['a full mask in short form', mask(1, 2, 3, 4), { points: [0, 9, 1, 2, 3, 4] }],
    ['a mask of nothing', mask(1, 0, 0, 0, 0), { points: [1, 0, 0, 0, 0] }],
    [
      'a number as value',
      valued(value(93, 3)),
      { attributes: expect.arrayContaining([value(93, '3')]) },
    ],
    [
      'the default of a number beyond its range',
      valued(value(93, '0')),
      { attributes: expect.arrayContaining([value(93, '0')]) },
    ],
    [
      'yes and no in any case',
      valued(value(92, 'TRUE')),
      { attributes: expect.arrayContaining([value(92, 'true')]) },
    ],
    [
      'a truth as value',
      valued(value(92, true)),
      { attributes: expect.arrayContaining([value(92, 'true')]) },
    ],
  ])('%s', async (_name, item, fields) => {
    expect(await checkObjects('shape', [item])).toEqual([expect.objectContaining(fields)])
  })

  test('the length of a value is counted in characters, not UTF-16 units', async () => {
    const text = '😀'.repeat(4096)
    expect(await checkObjects('shape', [valued(value(91, text))])).toMatchObject([
      { attributes: expect.arrayContaining([value(91, text)]) },
    ])
  })

  test('any text is a value when values are not checked', async () => {
    const [shape] = await checkObjects('shape', [valued(value(90, 'green'))], false)
    expect(shape?.attributes).toContainEqual(value(90, 'green'))
  })
})
