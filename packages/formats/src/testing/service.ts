/** The small task that tests of the native format share: a car with attributes, and a person of two points. */
import type { AttributeSpec, ImportTarget, TargetFrames } from '../model/dataset.ts'
import { framesOf, labelOf } from './run.ts'

const spec = (
  given: Partial<AttributeSpec> & Pick<AttributeSpec, 'id' | 'name'>,
): AttributeSpec => {
  return { mutable: false, input_type: 'text', values: [], default_value: '', ...given }
}

export const labels = [
  labelOf({
    id: 40,
    name: 'car',
    color: '#ff0000',
    attributes: [
      spec({ id: 1, name: 'color', input_type: 'select', values: ['red', 'blue'] }),
      spec({
        id: 3,
        name: 'parked',
        input_type: 'checkbox',
        mutable: true,
        default_value: 'false',
      }),
    ],
  }),
  labelOf({
    id: 41,
    name: 'person',
    type: 'skeleton',
    color: '#00ff00',
    svg: '<circle cx="1" data-label-id="42"></circle>',
    attributes: [spec({ id: 4, name: 'mood' })],
    sublabels: [
      labelOf({ id: 42, name: 'head', type: 'points', color: '#0000ff' }),
      labelOf({ id: 43, name: 'foot', type: 'points', color: '#0000ff' }),
    ],
  }),
]

/** Creates a task with frames of 100 x 80 pixels. */
export function framesIn(
  paths: readonly string[],
  given: Partial<TargetFrames> = {},
): ImportTarget {
  const whole = { start_frame: 0, step: 1, is_video: false, includes: () => true }
  return { labels, frames: { frames: framesOf(paths), ...whole, ...given } }
}

export const target = framesIn(['a.jpg', 'b/c.jpg'])

export function inImage(inner: string): string {
  return `<annotations>\n<image id="0" name="a.jpg">\n${inner}\n</image>\n</annotations>`
}

export function inTrack(inner: string, given = 'id="7" label="car"'): string {
  return `<annotations>\n<track ${given}>\n${inner}\n</track>\n</annotations>`
}
