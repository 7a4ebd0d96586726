/** Labels and frames that KITTI tests share. */
import type { AttributeSpec } from '../model/dataset.ts'
import { framesOf, labelOf } from './run.ts'

const flag = (id: number, name: string): AttributeSpec => {
  return { id, name, mutable: false, input_type: 'checkbox', values: [], default_value: 'false' }
}
export const labels = [
  labelOf({ id: 1, name: 'road', color: '#808080' }),
  labelOf({
    id: 2,
    name: 'Car',
    color: '#ff0000',
    attributes: [flag(1, 'truncated'), flag(2, 'is_crowd'), flag(3, 'parked')],
  }),
]
export const yes = (spec_id: number) => ({ spec_id, value: 'true' })
export const frames = framesOf(['a.jpg', 'b/ü.v2.jpg', 'c.jpg'], 6, 4)
export const asMasks = { conv_mask_to_poly: false }
